// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does with a plot.
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kZoomStep = 1.25;  // of one notch of a wheel, and of one key press
constexpr qint64 kMostListed = 8;   // marks that a tooltip tells of one by one
constexpr double kMarkReach = 5;    // pixels beside a mark that still count as the mark
constexpr double kPanStep = 0.5;    // of the visible range
constexpr double kFarthestY = 4;    // times what the values need: room for a limit far from them

}  // namespace

bool PlotCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto text = textAt(help->pos());
    if (text.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), text, this);
    }
    return true;
  }
  return QWidget::event(event);
}

QString PlotCanvas::textAt(const QPointF& at) const {
  const auto& area = m_frame.geometry.area;
  QStringList found;
  if (at.y() < area.top() + 18) {
    for (const auto& mark : m_frame.nonFinite) {
      if (std::abs(mark.pixel - at.x()) <= kMarkReach) found << sentenceOf(mark, m_state.content);
    }
  } else if (at.y() > area.bottom() - 14) {
    qint64 count = 0;
    for (std::size_t i = 0; i < m_frame.markPixels.size(); ++i) {
      if (!(std::abs(m_frame.markPixels[i] - at.x()) <= kMarkReach) || ++count > kMostListed) continue;
      const PlotMark& mark = m_state.content.marks[m_frame.firstMark + i];
      const auto& describe = m_state.content.describeMark;
      found << (mark.text.isEmpty() && describe ? describe(mark) : mark.text);
    }
    if (count > kMostListed) {
      found.prepend(tr("%1 skipped steps here. The first of them:").arg(positionText(static_cast<double>(count))));
      found << QStringLiteral("\u2026");
    }
  } else {
    return spokenCursor();
  }
  return found.join(u'\n');
}

bool PlotCanvas::activateAt(double pixelX, double pixelY, double reach) {
  const auto& area = m_frame.geometry.area;
  const bool anywhere = pixelY < 0;
  if (anywhere || pixelY > area.bottom() - 14) {
    std::optional<std::size_t> nearest;
    const auto distance = [&](std::size_t mark) { return std::abs(m_frame.markPixels[mark] - pixelX); };
    for (std::size_t i = 0; i < m_frame.markPixels.size(); ++i) {
      if (distance(i) <= reach && (!nearest || distance(i) < distance(*nearest))) nearest = i;
    }
    if (nearest) {
      Q_EMIT markActivated(m_state.content.marks[m_frame.firstMark + *nearest].step);
      return true;
    }
  }
  if (anywhere || pixelY < area.top() + 18) {
    for (const auto& mark : m_frame.nonFinite) {
      if (std::abs(mark.pixel - pixelX) > reach) continue;
      Q_EMIT nonFiniteActivated(mark.x);
      return true;
    }
  }
  return false;
}

void PlotCanvas::zoomX(double factor, double about) {
  const auto range = m_state.navigation->xRange();
  m_state.navigation->zoomX({about - (about - range.low) * factor, about + (range.high - about) * factor},
                            PlotNavigation::Gesture::Continued);
}

void PlotCanvas::zoomY(double factor, double about) {
  const auto range = m_frame.geometry.y;
  if (factor > 1 && m_automaticY && range.length() * factor > kFarthestY * m_automaticY->length()) return;
  m_state.navigation->zoomY(m_state.id, {about - (about - range.low) * factor, about + (range.high - about) * factor},
                            PlotNavigation::Gesture::Continued);
}

void PlotCanvas::pan(double share) {
  const auto range = m_state.navigation->xRange();
  const auto by = share * range.length();
  m_state.navigation->zoomX({range.low + by, range.high + by}, PlotNavigation::Gesture::Continued);
}

void PlotCanvas::wheelEvent(QWheelEvent* event) {
  const auto& geometry = m_frame.geometry;
  const auto turn = event->angleDelta();
  // Shift turns a vertical wheel into a horizontal one on some platforms.
  if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    const auto amount = turn.y() != 0 ? turn.y() : turn.x();
    if (amount != 0) zoomY(std::pow(kZoomStep, -amount / 120.0), geometry.toHeight(event->position().y()));
  } else if (turn.y() < 0 && !m_state.navigation->isZoomed()) {
    return event->ignore();  // farther out there is nothing: the page scrolls
  } else if (turn.y() != 0) {
    zoomX(std::pow(kZoomStep, -turn.y() / 120.0), geometry.toPosition(event->position().x()));
  } else if (turn.x() != 0) {
    pan(-turn.x() / 120.0 * 0.1);
  }
  event->accept();
}

void PlotCanvas::mousePressEvent(QMouseEvent* event) {
  m_dragFrom = m_dragTo = event->position();
  // A mark at the very edge can be hit from both sides.
  const auto reach = m_frame.geometry.area.adjusted(-kMarkReach, 0, kMarkReach, 0);
  if (event->button() == Qt::LeftButton && reach.contains(event->position())) {
    m_drag = Drag::Select;
  } else if (event->button() == Qt::MiddleButton) {
    m_drag = Drag::Pan;
    m_panFrom = m_state.navigation->xRange();
  } else {
    event->ignore();
  }
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event) {
  const auto at = event->position();
  m_pointer = at;
  if (m_drag == Drag::Select) {
    const bool far = (at - m_dragFrom).manhattanLength() >= QApplication::startDragDistance();
    m_dragTo = far ? at : m_dragFrom;
    m_overlayStale = true;
    Q_EMIT redrawNeeded();
  } else if (m_drag == Drag::Pan) {
    const auto by = (m_dragFrom.x() - at.x()) / m_frame.geometry.lines.width() * m_panFrom.length();
    m_state.navigation->zoomX({m_panFrom.low + by, m_panFrom.high + by}, PlotNavigation::Gesture::Continued);
  }
  const auto& area = m_frame.geometry.area;
  if (area.adjusted(-kMarkReach, 0, kMarkReach, 0).contains(at)) {
    const auto onMark = !textAt(at).isEmpty() && (at.y() < area.top() + 18 || at.y() > area.bottom() - 14);
    setCursor(onMark ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setCursorAt(m_frame.geometry.toPosition(at.x()));
    m_readByMouse = true;
    m_readByKeyboard = false;
  }
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent* event) {
  m_pointer = event->position();
  const auto drag = m_drag;
  const auto box = selectionBox();
  m_drag = Drag::None;
  m_overlayStale = true;
  if (drag == Drag::Select && event->button() == Qt::LeftButton) {
    if (!box.isEmpty()) {
      zoomToSelection(box);
    } else {
      activateAt(event->position().x(), event->position().y(), kMarkReach);
    }
  }
  Q_EMIT redrawNeeded();
}

void PlotCanvas::zoomToSelection(const QRectF& box) {
  const auto& geometry = m_frame.geometry;
  const auto area = geometry.area;
  const Range x{geometry.toPosition(box.left()), geometry.toPosition(box.right())};
  const Range y{geometry.toHeight(std::min(box.bottom(), geometry.lines.bottom())),
                geometry.toHeight(std::max(box.top(), geometry.lines.top()))};
  if (box.height() >= area.height() - 1) {
    m_state.navigation->zoomX(x, PlotNavigation::Gesture::New);
  } else if (box.width() >= area.width() - 1) {
    m_state.navigation->zoomY(m_state.id, y, PlotNavigation::Gesture::New);
  } else {
    m_state.navigation->zoomBox(x, m_state.id, y);
  }
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_state.navigation->reset();
}

void PlotCanvas::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  if (m_readByMouse) endCursor();
}

void PlotCanvas::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  if (m_readByMouse || m_readByKeyboard) endCursor();
}

void PlotCanvas::endCursor() {
  m_readByMouse = m_readByKeyboard = false;
  if (m_state.cursor) m_state.cursor->setPosition(std::nullopt);
}

void PlotCanvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void PlotCanvas::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  m_selectionFrom.reset();
  if (m_readByKeyboard && event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) {
    endCursor();
  }
  update();
}

void PlotCanvas::setCursorAt(double position) {
  if (!m_state.cursor) return;
  const auto nearest = nearestPosition(m_state, position);
  if (nearest) m_state.cursor->setPosition(nearest);
  m_overlayStale = true;
}

/// After the picture has changed under it: the pointer lies on another place than it did, and a cursor that is out of
/// sight reads nothing.
void PlotCanvas::readAnew() {
  if (!m_state.cursor || !m_state.cursor->position()) return;
  const auto& area = m_frame.geometry.area;
  if (m_readByMouse && area.left() <= m_pointer.x() && m_pointer.x() <= area.right()) {
    setCursorAt(m_frame.geometry.toPosition(m_pointer.x()));
  }
  if ((m_readByMouse || m_readByKeyboard) && !m_frame.geometry.x.contains(*m_state.cursor->position())) endCursor();
}

double PlotCanvas::cursorOrMiddle() const {
  const auto range = m_state.navigation->xRange();
  if (m_state.cursor && m_state.cursor->position() && range.contains(*m_state.cursor->position())) {
    return *m_state.cursor->position();
  }
  return range.low + range.length() / 2;
}

void PlotCanvas::moveCursor(double pixels) {
  if (!m_state.cursor) return;
  const auto range = m_state.navigation->xRange();
  const auto step = pixels * range.length() / std::max(1.0, m_frame.geometry.lines.width());
  const auto before = m_state.cursor->position();
  if (!before) {
    setCursorAt(pixels > 0 ? range.low : range.high);
  } else {
    setCursorAt(*before + step);
    // Values that stand apart: to the next one, however far.
    if (m_state.cursor->position() == before) {
      std::optional<double> next;
      for (const auto& source : m_state.sources.sources()) {
        const auto& values = *source.series.data;
        if (m_state.hidden.contains(source.series.id) || values.empty()) continue;
        const auto& positions = values.positions();
        const auto index =
            pixels > 0 ? positions.upper(*before, 0, values.size()) : positions.lower(*before, 0, values.size());
        if (pixels > 0 ? index == values.size() : index == 0) continue;
        const auto x = values.x(pixels > 0 ? index : index - 1);
        if (!next || std::abs(x - *before) < std::abs(*next - *before)) next = x;
      }
      if (next) m_state.cursor->setPosition(next);
    }
  }
  setAccessibleDescription(spokenCursor());
}

void PlotCanvas::goToMark(int direction) {
  if (!m_state.cursor) return;
  const auto range = m_state.navigation->xRange();
  const auto from = m_state.cursor->position().value_or(direction > 0 ? range.low - 1 : range.high + 1);
  std::optional<double> next;
  const auto consider = [&](double x) {
    const bool ahead = direction > 0 ? x > from : x < from;
    if (ahead && range.contains(x) && (!next || std::abs(x - from) < std::abs(*next - from))) next = x;
  };
  for (const auto& mark : m_state.content.marks) consider(mark.x);
  for (const auto& mark : m_frame.nonFinite) consider(mark.x);
  if (next) m_state.cursor->setPosition(next);
  setAccessibleDescription(spokenCursor());
}

void PlotCanvas::toggleKeyboardSelection() {
  if (!m_state.cursor) return;
  if (!m_selectionFrom) {
    if (!m_state.cursor->position()) setCursorAt(cursorOrMiddle());
    m_selectionFrom = m_state.cursor->position();
    return;
  }
  const auto box = selectionBox();
  m_selectionFrom.reset();
  if (!box.isEmpty()) zoomToSelection(box);
}

void PlotCanvas::keyPressEvent(QKeyEvent* event) {
  const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
  const bool shift = modifiers.testFlag(Qt::ShiftModifier);
  const bool control = modifiers.testFlag(Qt::ControlModifier);
  auto& navigation = *m_state.navigation;
  const auto& geometry = m_frame.geometry;
  const auto middleY = geometry.y.low + geometry.y.length() / 2;
  const auto range = navigation.xRange();
  const auto before = m_state.cursor ? m_state.cursor->position() : std::nullopt;
  if (modifiers.testFlag(Qt::AltModifier)) {
    if (event->key() == Qt::Key_Left) return navigation.back();
    if (event->key() == Qt::Key_Right) return navigation.forward();
    return QWidget::keyPressEvent(event);
  }
  // Other combinations with Ctrl belong to the window.
  if (control && event->key() != Qt::Key_Left && event->key() != Qt::Key_Right) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
      const auto direction = event->key() == Qt::Key_Right ? 1 : -1;
      if (control) {
        goToMark(direction);
      } else {
        moveCursor(direction * (shift ? 10 : 1));
      }
      break;
    }
    case Qt::Key_Home:
      setCursorAt(range.low);
      break;
    case Qt::Key_End:
      setCursorAt(range.high);
      break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoomX(1 / kZoomStep, cursorOrMiddle());
      break;
    case Qt::Key_Minus:
      zoomX(kZoomStep, cursorOrMiddle());
      break;
    case Qt::Key_BracketRight:
    case Qt::Key_Up:
      zoomY(1 / kZoomStep, middleY);
      break;
    case Qt::Key_BracketLeft:
    case Qt::Key_Down:
      zoomY(kZoomStep, middleY);
      break;
    case Qt::Key_PageUp:
      pan(-kPanStep);
      break;
    case Qt::Key_PageDown:
      pan(kPanStep);
      break;
    case Qt::Key_0:
      navigation.reset();
      break;
    case Qt::Key_S:
      toggleKeyboardSelection();
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_selectionFrom) {
        toggleKeyboardSelection();
      } else if (m_state.cursor && m_state.cursor->position()) {
        activateAt(geometry.toPixelX(*m_state.cursor->position()), -1, kMarkReach);
      }
      break;
    case Qt::Key_Escape:
      if (m_selectionFrom) {
        m_selectionFrom.reset();
      } else if (m_state.cursor) {
        m_state.cursor->setPosition(std::nullopt);
      }
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  if (m_state.cursor && m_state.cursor->position() != before) {
    m_readByKeyboard = m_state.cursor->position().has_value();
    m_readByMouse = false;
  }
  m_overlayStale = true;
  Q_EMIT redrawNeeded();
}

}  // namespace mantissa::ui::plot
