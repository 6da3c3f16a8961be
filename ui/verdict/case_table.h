// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace mantissa::ui::verdict {

/// The frozen cases as a table: flips and the smallest margins first, or sorted by any column; all cases, or only those
/// whose decision flipped. Copies as tab-separated values.
class CaseTable : public plot::PictureView {
  Q_OBJECT

 public:
  explicit CaseTable(const QString& id, QWidget* parent = nullptr);

  void showCases(const SharedVerdict& verdict, const QString& subject);

  enum class Column {
    Case,
    Kind,
    Slice,
    Target,
    Reference,
    SameWeights,
    Trained,
    MarginReference,
    MarginSameWeights,
    MarginTrained,
    Tie,
    Change,
    DeviationSameWeights,
    DeviationTrained
  };
  /// Those of this task, in their order.
  const std::vector<Column>& columnsShown() const { return m_columns; }
  /// The place of a column in the table; -1: not shown.
  int placeOf(Column column) const;

  /// Sorted by a column, or, by -1, in the order of importance: flips, then the smallest margins or, without decisions,
  /// the largest deviations.
  void sortBy(int column, Qt::SortOrder order);
  void setOnlyFlips(bool only);
  bool onlyFlips() const;

  /// Brings a case into view and selects it, whatever is filtered; false: there is none of this name.
  bool selectCase(const QString& id);
  /// The case that stands in a row.
  const CaseFacts& caseAt(int row) const;
  /// What stands in place of rows; empty where there are rows.
  QString emptyWords() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill();
  void arrange();
  void tellEmpty();

  SharedVerdict m_data;
  std::vector<Column> m_columns;
  std::vector<std::size_t> m_rows;  ///< places among the cases, in the order of the table
  int m_sorted = -1;
  Qt::SortOrder m_order = Qt::AscendingOrder;
  QCheckBox* m_only;
  QComboBox* m_sorting;
  QLabel* m_empty;  ///< over the rows
};

}  // namespace mantissa::ui::verdict
