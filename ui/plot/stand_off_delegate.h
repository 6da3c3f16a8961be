// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace mantissa::ui::plot {

/// Words in a column that follows one of numbers stand off from them: those end where the words would begin. Columns
/// are numbers or words by their Qt::TextAlignmentRole; others are drawn as they always are. Window thread.
class StandOffDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  static constexpr int kGap = 12;  ///< px between a number and the words behind it

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace mantissa::ui::plot
