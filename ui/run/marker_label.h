// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/elided_label.h"

namespace mantissa::ui::run {

/// An arm's name behind its marker, as tables and the tree show it.
class MarkerLabel : public shell::ElidedLabel {
  Q_OBJECT

 public:
  /// \param place  0: the reference; from 1 on the trials, in the experiment's order
  MarkerLabel(const QString& name, int place, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int m_place;
};

}  // namespace mantissa::ui::run
