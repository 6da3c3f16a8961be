// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace mantissa::ui::run {

/// A line of text that ends in dots where there is no room for all of it.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  using QLabel::QLabel;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace mantissa::ui::run
