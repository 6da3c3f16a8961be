// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/stand_off_delegate.h"

namespace mantissa::ui::plot {
namespace {

constexpr int kAroundIcon = 8;  // px that a style leaves around an icon

bool isNumber(const QModelIndex& index) {
  if (!index.isValid()) return false;
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  // Models give flags or the number of them; neither converts to the other.
  const int flags = alignment.metaType() == QMetaType::fromType<Qt::Alignment>()
                        ? alignment.value<Qt::Alignment>().toInt()
                        : alignment.toInt();
  return (flags & Qt::AlignRight) != 0;
}

}  // namespace

void StandOffDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (isNumber(index) || !isNumber(index.siblingAtColumn(index.column() - 1))) return;
  // An empty icon of the gap's width: the ground of the cell stays whole.
  option->features |= QStyleOptionViewItem::HasDecoration;
  option->decorationSize = QSize(kGap - kAroundIcon, 1);
}

}  // namespace mantissa::ui::plot
