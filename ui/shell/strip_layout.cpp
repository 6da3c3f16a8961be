// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/strip_layout.h"

#include <QLabel>
#include <QStyle>

#include <algorithm>

namespace mantissa::ui::shell {
namespace {

constexpr int kReadableLetters = 50;  // in a line: with fewer a sentence of two lines becomes a column

}  // namespace

StripLayout::StripLayout(QWidget* parent) : QLayout(parent) {}

StripLayout::~StripLayout() { qDeleteAll(items()); }

void StripLayout::setSentence(QLabel* label) {
  addChildWidget(label);
  m_sentence = new QWidgetItemV2(label);
}

void StripLayout::setDismiss(QWidget* button) {
  addChildWidget(button);
  m_dismiss = new QWidgetItemV2(button);
}

void StripLayout::addWayOut(QWidget* button) {
  addChildWidget(button);
  m_waysOut.prepend(new QWidgetItemV2(button));
  invalidate();
}

void StripLayout::addItem(QLayoutItem* item) { m_waysOut.prepend(item); }

QList<QLayoutItem*> StripLayout::items() const {
  QList<QLayoutItem*> all;
  if (m_sentence != nullptr) all << m_sentence;
  all << m_waysOut;
  if (m_dismiss != nullptr) all << m_dismiss;
  return all;
}

int StripLayout::count() const { return static_cast<int>(items().size()); }

QLayoutItem* StripLayout::itemAt(int index) const { return items().value(index, nullptr); }

QLayoutItem* StripLayout::takeAt(int index) {
  QLayoutItem* const item = itemAt(index);
  if (item == nullptr) return nullptr;
  if (item == m_sentence) m_sentence = nullptr;
  if (item == m_dismiss) m_dismiss = nullptr;
  m_waysOut.removeOne(item);
  return item;
}

int StripLayout::heightForWidth(int width) const { return arrange({0, 0, width, 0}, false); }

QSize StripLayout::sizeHint() const {
  QSize size;
  for (const QLayoutItem* const item : items()) {
    const QSize one = item->sizeHint();
    size = {size.width() + one.width() + (size.width() > 0 ? spacing() : 0), std::max(size.height(), one.height())};
  }
  return size.grownBy(contentsMargins());
}

QSize StripLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* const item : m_waysOut) size = size.expandedTo(item->minimumSize());
  if (m_dismiss != nullptr) size.rwidth() += spacing() + m_dismiss->minimumSize().width();
  for (const QLayoutItem* const item : items()) size.setHeight(std::max(size.height(), item->minimumSize().height()));
  return size.grownBy(contentsMargins());
}

void StripLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

/// \param left  pixels for the sentence beside its ways out
bool StripLayout::fitsBeside(int left) const {
  const auto* const label = static_cast<QLabel*>(m_sentence->widget());
  const QFontMetrics metrics = label->fontMetrics();
  const int readable = metrics.averageCharWidth() * kReadableLetters;
  // The accessible name is the sentence whatever the label has room for: the answer never hangs on itself.
  return left >= std::min(readable, metrics.horizontalAdvance(label->accessibleName()));
}

void StripLayout::put(QLayoutItem* item, const QRect& within, const QRect& where, bool place) const {
  if (!place) return;
  const Qt::LayoutDirection direction = parentWidget() != nullptr ? parentWidget()->layoutDirection() : Qt::LeftToRight;
  item->setGeometry(QStyle::visualRect(direction, within, where));
}

int StripLayout::arrange(const QRect& rect, bool place) const {
  if (m_sentence == nullptr || m_dismiss == nullptr) return 0;  // while the strip is made or goes
  const QRect inner = rect.marginsRemoved(contentsMargins());
  const QSize dismiss = m_dismiss->sizeHint();
  const int room = inner.width() - dismiss.width() - spacing();
  int buttons = 0;
  int row = dismiss.height();
  for (const QLayoutItem* const item : m_waysOut) {
    buttons += item->sizeHint().width() + spacing();
    row = std::max(row, item->sizeHint().height());
  }
  const bool isBeside = m_waysOut.isEmpty() || fitsBeside(room - buttons);
  const int width = std::max(1, isBeside ? room - buttons : room);
  const int lines =
      m_sentence->hasHeightForWidth() ? m_sentence->heightForWidth(width) : m_sentence->sizeHint().height();
  const int first = std::max(lines, isBeside ? row : dismiss.height());
  put(m_sentence, inner, {inner.x(), inner.y(), width, first}, place);
  put(m_dismiss, inner,
      {inner.right() + 1 - dismiss.width(), inner.y() + (first - dismiss.height()) / 2, dismiss.width(),
       dismiss.height()},
      place);
  int x = isBeside ? inner.x() + width + spacing() : inner.x();
  int y = isBeside ? inner.y() + (first - row) / 2 : inner.y() + first + spacing() / 2;
  for (QLayoutItem* const item : m_waysOut) {
    const QSize size = item->sizeHint();
    if (!isBeside && x > inner.x() && x + size.width() > inner.x() + inner.width()) {
      x = inner.x();
      y += row + spacing() / 2;
    }
    put(item, inner, {x, y + (row - size.height()) / 2, std::min(size.width(), inner.width()), size.height()}, place);
    x += size.width() + spacing();
  }
  const int bottom = isBeside ? inner.y() + first : y + row;
  const QMargins margins = contentsMargins();
  return bottom - inner.y() + margins.top() + margins.bottom();
}

}  // namespace mantissa::ui::shell
