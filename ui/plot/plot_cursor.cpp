// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_cursor.h"

namespace mantissa::ui::plot {

void PlotCursor::setPosition(std::optional<double> position) {
  if (position == m_position) return;
  m_position = position;
  Q_EMIT positionChanged();
}

}  // namespace mantissa::ui::plot
