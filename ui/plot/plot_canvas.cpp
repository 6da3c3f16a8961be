// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_canvas.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <cmath>

#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::plot {

PlotCanvas::PlotCanvas(PlotState& state, QWidget* parent) : QWidget(parent), m_state(state) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setBackgroundRole(QPalette::Base);
}

void PlotCanvas::forgetLayout() {
  m_automaticY.reset();
  m_zoomedX.reset();
  m_leftMargin = 0;
  m_selectionFrom.reset();
  m_stale = true;
}

QFont PlotCanvas::labelFont() const {
  auto labels = font();
  if (labels.pointSizeF() > 0) labels.setPointSizeF(labels.pointSizeF() * 0.92);
  return labels;
}

PlotInk PlotCanvas::ink() const { return PlotInk::fromPalette(palette(), m_state.colors, labelFont()); }

std::optional<Range> PlotCanvas::zoomedX() const {
  return m_state.navigation->isZoomed() ? std::optional(m_state.navigation->xRange()) : std::nullopt;
}

PlotFrame PlotCanvas::frameFor(const QSizeF& size, const QFont& font) const {
  FrameRequest request;
  request.content = &m_state.content;
  request.sources = &m_state.sources;
  request.hidden = &m_state.hidden;
  request.size = size;
  request.font = font;
  request.x = m_state.navigation->xRange();
  request.y = m_state.navigation->yRange(m_state.id);
  request.previousY = m_automaticY;
  request.keepsY = zoomedX() == m_zoomedX;
  request.leftMargin = m_leftMargin;
  return makeFrame(request);
}

bool PlotCanvas::redraw() {
  if (!isVisible() || visibleRegion().isEmpty()) return false;
  if (m_stale) {
    drawFrame();
    update();
    return true;
  }
  if (std::exchange(m_overlayStale, false)) update();
  return false;
}

void PlotCanvas::drawFrame() {
  QElapsedTimer timer;
  timer.start();
  m_frame = frameFor(size(), labelFont());
  if (!m_state.navigation->yRange(m_state.id)) {
    m_automaticY = m_frame.geometry.y;
    m_zoomedX = zoomedX();
  }
  m_leftMargin = m_frame.geometry.area.left();

  const auto ratio = devicePixelRatioF();
  const QSize pixels(static_cast<int>(std::ceil(width() * ratio)), static_cast<int>(std::ceil(height() * ratio)));
  if (m_picture.size() != pixels) m_picture = QPixmap(pixels);
  m_picture.setDevicePixelRatio(ratio);
  const auto current = ink();
  m_picture.fill(current.base);
  QPainter painter(&m_picture);
  painter.setRenderHint(QPainter::Antialiasing, true);
  paintPlot(painter, m_frame, m_state.content, current, m_chart);
  painter.end();
  m_stale = false;
  m_overlayStale = false;
  m_frameMilliseconds = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
  readAnew();
}

void PlotCanvas::paintEvent(QPaintEvent* event) {
  // After a change of size, of the theme or of the content the old picture would be wrong, not merely late.
  const auto ratio = devicePixelRatioF();
  const QSize pixels(static_cast<int>(std::ceil(width() * ratio)), static_cast<int>(std::ceil(height() * ratio)));
  if (m_stale || m_picture.size() != pixels) {
    m_state.sources.update();
    drawFrame();
    // What is around the piece that came into view is of the old picture.
    if (event->region().boundingRect() != rect()) update();
    QMetaObject::invokeMethod(this, &PlotCanvas::redrawNeeded, Qt::QueuedConnection);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, m_picture);
  paintOverlays(painter);
}

void PlotCanvas::paintOverlays(QPainter& painter) {
  if (m_state.cursor && m_state.cursor->position())
    paintCursor(painter, m_frame, m_state.content, *m_state.cursor->position(), ink());
  const auto box = selectionBox();
  if (!box.isEmpty()) {
    auto fill = palette().color(QPalette::Highlight);
    painter.setPen(fill);
    fill.setAlphaF(0.18F);
    painter.setBrush(fill);
    painter.drawRect(box);
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(palette().color(QPalette::Highlight));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

QRectF PlotCanvas::selectionBox() const {
  const auto& area = m_frame.geometry.area;
  if (m_drag == Drag::Select && m_dragFrom != m_dragTo) {
    auto box = QRectF(m_dragFrom, m_dragTo).normalized();
    // Nearly along one axis: that axis alone is meant.
    if (box.height() < 8) box.setTop(area.top()), box.setBottom(area.bottom());
    if (box.width() < 8) box.setLeft(area.left()), box.setRight(area.right());
    return box.intersected(area);
  }
  if (m_selectionFrom && m_state.cursor && m_state.cursor->position()) {
    const auto from = m_frame.geometry.toPixelX(*m_selectionFrom);
    const auto to = m_frame.geometry.toPixelX(*m_state.cursor->position());
    return QRectF(QPointF(std::min(from, to), area.top()), QPointF(std::max(from, to), area.bottom()))
        .intersected(area);
  }
  return {};
}

void PlotCanvas::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_stale = true;
}

void PlotCanvas::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  switch (event->type()) {
    case QEvent::FontChange:
      m_leftMargin = 0;
      [[fallthrough]];
    case QEvent::PaletteChange:
    case QEvent::StyleChange:
    case QEvent::LocaleChange:
      m_stale = true;
      m_picture = {};
      update();
      break;
    default:
      break;
  }
}

QString PlotCanvas::spokenCursor() const {
  if (!m_state.cursor || !m_state.cursor->position()) return {};
  QStringList values;
  for (const auto& source : m_state.sources.sources()) {
    if (m_state.hidden.contains(source.series.id)) continue;
    const auto value = valueToRead(m_state, *source.series.data);
    values << tr("%1 %2").arg(
        source.series.name,
        value ? fullValueText(inUnit(m_state.content, *value)) + m_state.content.valueSuffix : notMeasuredText());
  }
  return tr("%1 %2: %3")
      .arg(m_state.content.xName, placeText(m_state.content, *m_state.cursor->position()),
           values.join(QStringLiteral(", ")));
}

}  // namespace mantissa::ui::plot
