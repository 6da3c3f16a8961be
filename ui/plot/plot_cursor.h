// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <optional>

namespace mantissa::ui::plot {

/// The position at which all linked plots are read.
class PlotCursor : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  std::optional<double> position() const { return m_position; }
  void setPosition(std::optional<double> position);

 Q_SIGNALS:
  void positionChanged();

 private:
  std::optional<double> m_position;
};

}  // namespace mantissa::ui::plot
