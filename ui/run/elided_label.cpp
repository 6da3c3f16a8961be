// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/elided_label.h"

#include <QPainter>

namespace mantissa::ui::run {

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
  painter.drawText(contentsRect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
}

}  // namespace mantissa::ui::run
