// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace mantissa::ui::shell {
namespace {

constexpr int kLeastOptional = 80;  // px: less than that says nothing

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout() { qDeleteAll(m_items); }

void FlowLayout::setFilling(bool filling) {
  m_filling = filling;
  invalidate();
}

void FlowLayout::addOptional(QWidget* widget) {
  m_optional = widget;
  addWidget(widget);
}

void FlowLayout::moveToFront(const QWidget* widget) {
  for (int i = 0; i < m_items.size(); ++i) {
    if (m_items[i]->widget() == widget) m_items.move(i, 0);
  }
  invalidate();
}

void FlowLayout::addItem(QLayoutItem* item) { m_items << item; }

int FlowLayout::count() const { return static_cast<int>(m_items.size()); }

QLayoutItem* FlowLayout::itemAt(int index) const { return m_items.value(index, nullptr); }

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QList<QLayoutItem*> FlowLayout::shownItems() const {
  QList<QLayoutItem*> items;
  for (QLayoutItem* const item : m_items) {
    if (!item->isEmpty() && (m_optional == nullptr || item->widget() != m_optional)) items << item;
  }
  return items;
}

int FlowLayout::heightForWidth(int width) const {
  const QMargins margins = contentsMargins();
  return arrange({0, 0, width - margins.left() - margins.right(), 0}, false) + margins.top() + margins.bottom();
}

QSize FlowLayout::sizeHint() const {
  QSize size;
  for (const QLayoutItem* const item : shownItems()) {
    const QSize one = item->sizeHint();
    size = {size.width() + one.width() + (size.width() > 0 ? spacing() : 0), std::max(size.height(), one.height())};
  }
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* const item : shownItems()) size = size.expandedTo(item->minimumSize());
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect.marginsRemoved(contentsMargins()), true);
}

int FlowLayout::arrange(const QRect& rect, bool place) const {
  QList<QList<QLayoutItem*>> rows(1);
  int used = 0;
  for (QLayoutItem* const item : shownItems()) {
    // Filled rows give back what one item has beyond its least.
    const int width = (m_filling ? item->minimumSize() : item->sizeHint()).width();
    if (!rows.back().isEmpty() && used + spacing() + width > rect.width()) {
      rows << QList<QLayoutItem*>();
      used = 0;
    }
    used += width + (rows.back().isEmpty() ? 0 : spacing());
    rows.back() << item;
  }
  int y = rect.y();
  for (const QList<QLayoutItem*>& row : rows) {
    int height = 0;
    for (const QLayoutItem* const item : row) height = std::max(height, item->sizeHint().height());
    if (place) placeRow(row, {rect.x(), y, rect.width(), height});
    y += height + spacing();
  }
  if (place && m_optional != nullptr) {
    const int left = used + 2 * spacing();
    const bool hasRoom = rect.width() - left >= kLeastOptional;
    const int height = rows.back().isEmpty() ? 0 : rows.back().front()->sizeHint().height();
    m_optional->setGeometry(hasRoom ? QRect(rect.x() + left, y - spacing() - height, rect.width() - left, height)
                                    : QRect());
  }
  return y - spacing() - rect.y();
}

void FlowLayout::placeRow(const QList<QLayoutItem*>& row, const QRect& rect) const {
  int least = 0;
  for (const QLayoutItem* const item : row) least += item->minimumSize().width();
  const int extra = std::max(0, rect.width() - least - static_cast<int>(row.size() - 1) * spacing());
  int x = rect.x();
  for (int i = 0; i < row.size(); ++i) {
    int width = std::min(row[i]->sizeHint().width(), rect.width());
    if (m_filling) {
      const int count = static_cast<int>(row.size());
      width = row[i]->minimumSize().width() + extra * (i + 1) / count - extra * i / count;
    }
    row[i]->setGeometry({x, rect.y(), std::min(width, rect.width()), rect.height()});
    x += width + spacing();
  }
}

}  // namespace mantissa::ui::shell
