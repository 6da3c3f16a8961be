// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QTableView>

#include <cstdint>
#include <optional>
#include <vector>

#include "ui/plot/plot_state.h"

namespace mantissa::ui::plot {

/// Puts the values of several series into rows of equal x. Equal positions within a series are paired in their order.
class RowMerge {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit RowMerge(std::vector<std::shared_ptr<const SeriesData>> series);

  /// Takes in what the series have gained.
  /// \return the number of rows at the start that stayed as they were; rows() counts the rest anew.
  std::size_t update();

  std::size_t rows() const { return m_x.size(); }
  std::size_t columns() const { return m_series.size(); }
  double x(std::size_t row) const { return m_x.at(row); }

  /// Nothing where the series has no value at this x.
  std::optional<double> value(std::size_t row, std::size_t column) const;

 private:
  std::vector<std::shared_ptr<const SeriesData>> m_series;
  std::vector<double> m_x;
  std::vector<std::vector<std::uint32_t>> m_index;  // per series, per row
  std::vector<std::size_t> m_next;                  // per series: the first value without a row
};

/// The table twin of a plot: x and one column a series, in the order of the legend, in full precision; non-finite
/// values as text in the error colour, an en dash where a series has no value. Measured values, or differences as in
/// the plot.
class PlotTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// While sorted by a value, a longer table stops growing: sorting a million rows at every step would freeze the
  /// window.
  static constexpr std::size_t kLongestSortedWhileGrowing = 50'000;

  explicit PlotTableModel(const PlotState& state, QObject* parent = nullptr);

  /// For other content. \pre the sources of the state are up to date.
  void rebuild();

  /// Takes in what the series have gained.
  void refresh();

  /// Whether there are values that a sorted table does not show; sorting again takes them in.
  bool standsStill() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order) override;

  /// The first row that is at or beyond this place, where rows stand by x; nothing where they do not.
  std::optional<int> rowFrom(double x) const;
  double positionAt(int row) const { return m_rows->x(sourceRow(row)); }

  /// Tab-separated, numbers in the C locale and full precision; with the headers. All rows where none are named.
  QString asTsv(const QModelIndexList& selected) const;

 private:
  std::size_t sourceRow(int row) const {
    return m_order.empty() ? static_cast<std::size_t>(row) : m_order[static_cast<std::size_t>(row)];
  }
  bool byPosition() const { return m_sortColumn == 0 && m_sortOrder == Qt::AscendingOrder; }
  std::vector<std::uint32_t> sortedRows() const;
  QString cellText(std::size_t row, int column) const;

  const PlotState& m_state;
  std::optional<RowMerge> m_rows;
  std::size_t m_shown = 0;             // rows that views know of
  std::vector<std::uint32_t> m_order;  // empty: by x, ascending
  int m_sortColumn = 0;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// The view: sorts by the headers, copies the selection (or all) as TSV with Ctrl+C.
class PlotTable : public QTableView {
  Q_OBJECT

 public:
  explicit PlotTable(const PlotState& state, QWidget* parent = nullptr);

  PlotTableModel& plotModel() { return m_model; }
  void copy() const;

  /// How far from the right edge of a column its numbers have their decimal point, px: all of them alike.
  int pointRoom(int column) const;

  /// Scrolls to the first row at or beyond this place. \return its x; nothing where rows are sorted by something else.
  std::optional<double> showFrom(double x);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void fitColumns();
  void widenColumns();
  int widthFor(const QString& text) const;

  QStringList m_fitted;       // the headers that columns have room for
  std::vector<int> m_widths;  // that columns were given; a person may have chosen others
  std::vector<int> m_points;  // the room that the longest decimals so far take with their point
  PlotTableModel m_model;
};

}  // namespace mantissa::ui::plot
