// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/marker_label.h"

#include <QPainter>

#include "ui/plain_tip.h"
#include "ui/plot/plot_colors.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

constexpr int kMarker = 10;  // px across, as in the tree
constexpr int kRoom = 18;    // px before the name
constexpr int kMost = 140;   // px: what stands beside it is read, too

}  // namespace

MarkerLabel::MarkerLabel(const QString& name, int place, QWidget* parent)
    : shell::ElidedLabel(name, parent), m_place(place) {
  setMode(Qt::ElideMiddle);
  setMaximumWidth(kMost);
  setToolTip(plainTip(name));
  setAlignment(Qt::AlignLeft | Qt::AlignTop);
  setContentsMargins(kRoom, 0, 0, 0);
}

void MarkerLabel::paintEvent(QPaintEvent* event) {
  shell::ElidedLabel::paintEvent(event);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const plot::PlotColors& colors = shell::Theme::colors();
  const plot::SeriesStyle style = m_place == 0 ? plot::referenceStyle(colors) : plot::trialStyle(colors, m_place - 1);
  plot::drawMarker(painter, style.marker, QPointF(kMarker / 2.0 + 1, fontMetrics().height() / 2.0), kMarker,
                   style.color);
}

}  // namespace mantissa::ui::run
