// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/strip_place.h"

#include <QResizeEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "ui/shell/message_strip.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kSpacing = 4;
constexpr int kAbove = 8;

}  // namespace

StripPlace::StripPlace(int below, QWidget* parent) : QScrollArea(parent), m_strips(new QVBoxLayout) {
  auto* const inner = new QWidget;
  m_strips->setContentsMargins(0, kAbove, 0, below);
  m_strips->setSpacing(kSpacing);
  inner->setLayout(m_strips);
  inner->installEventFilter(this);
  setWidget(inner);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  // The ground of what it stands in.
  inner->setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Maximum);
  hide();
}

void StripPlace::add(MessageStrips* strips) {
  if (strips->parentWidget() == widget()) return;
  const bool areAny = strips->count() > 0;
  m_strips->insertWidget(0, strips);
  strips->setVisible(areAny);
  disconnect(strips, &MessageStrips::countChanged, nullptr, nullptr);  // of the place before
  connect(strips, &MessageStrips::countChanged, this, &StripPlace::fit);
  fit();
}

void StripPlace::fit() {
  m_strips->invalidate();
  const int height = m_strips->isEmpty() ? 0 : m_strips->totalHeightForWidth(std::max(1, width()));
  const int before = std::exchange(m_height, height);
  setVisible(height > 0);
  if (before == height) return;
  updateGeometry();
  if (height > before) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

QSize StripPlace::sizeHint() const {
  const int most = parentWidget() != nullptr ? parentWidget()->height() / 2 : m_height;
  return {0, std::min(m_height, most)};
}

QSize StripPlace::minimumSizeHint() const { return {0, 0}; }

bool StripPlace::event(QEvent* event) {
  if (event->type() == QEvent::ParentChange && parentWidget() != nullptr) parentWidget()->installEventFilter(this);
  return QScrollArea::event(event);
}

bool StripPlace::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) updateGeometry();  // the most that it may take
  const bool isInner = watched == widget();
  const bool hasChanged = event->type() == QEvent::LayoutRequest || event->type() == QEvent::ChildRemoved;
  if (isInner && hasChanged) fit();
  return QScrollArea::eventFilter(watched, event);
}

void StripPlace::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fit();
}

}  // namespace mantissa::ui::shell
