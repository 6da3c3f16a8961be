// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QTableView>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/plot/plot_colors.h"

namespace mantissa::ui::plot {

/// One cell of a table that a page writes itself.
struct RowsCell {
  enum class Tone { Plain, Faint, Good, Warn, Bad, Undecided };
  QString text;
  QString exact =
      {};  ///< for files and the clipboard, in full, and for the tip where there is no `tip`; empty: as `text`
  Tone tone = Tone::Plain;
  bool isBold = false;
  QString tip = {};
  bool isEditable = false;  ///< see RowsModel::setEditing
  QString shortText = {};   ///< where the table is short of room; empty: as `text`
};

struct RowsColumn {
  QString title;
  QString fileTitle = {};  ///< with the unit of `exact`; empty: as `title`
  bool isNumber = false;   ///< right-aligned
  QString tip = {};
  bool isFlexible = false;  ///< gives way to the others where there is no room for all; one a table
  /// Where the table is too narrow for all columns, on several lines; empty: as `title`. A table in which one has such
  /// a title becomes short where it must.
  QString shortTitle = {};
};

/// Rows whose cells are made when somebody looks at them: a table of 100,000 lines costs what is seen of it. Window
/// thread only.
class RowsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using MakeCell = std::function<RowsCell(int row, int column)>;

  using QAbstractTableModel::QAbstractTableModel;

  void setColumns(std::vector<RowsColumn> columns);
  /// What is selected and where the table is scrolled to stay as far as there are rows.
  void setRows(int count, MakeCell cell);
  /// What is typed into editable cells; false: it is not taken.
  void setEditing(std::function<bool(int row, int column, const QString& text)> take) { m_take = std::move(take); }

  /// Without a call they follow light colours.
  void setColors(const PlotColors& colors);

  /// Short titles and texts, on the screen alone: files and tips have the whole ones.
  void setShort(bool isShort);
  bool isShort() const { return m_isShort; }
  bool canBeShort() const;
  /// What stands in a cell on the screen.
  QString shownText(int row, int column) const;

  RowsCell cell(int row, int column) const { return m_cell(row, column); }
  const std::vector<RowsColumn>& columns() const { return m_columns; }
  /// Whether it holds words and the one before it numbers: its words stand off from them.
  bool followsNumbers(int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  /// Tab-separated with the headers, `exact` where there is one. \param rows  all where none are named
  QString asTsv(const std::vector<int>& rows) const;
  std::string asCsv() const;

 private:
  QString fileText(int row, int column) const;

  std::vector<RowsColumn> m_columns;
  int m_count = 0;
  bool m_isShort = false;
  MakeCell m_cell;
  std::function<bool(int, int, const QString&)> m_take;
  PlotColors m_colors = plotColors(false);
};

/// The view of it. Columns grow with what they show and never shrink; the last one takes the room that is left. Ctrl+C
/// copies the selected rows, or all.
class RowsTable : public QTableView {
  Q_OBJECT

 public:
  explicit RowsTable(QWidget* parent = nullptr);

  RowsModel& rows() { return m_model; }
  const RowsModel& rows() const { return m_model; }
  void copy() const;

  /// The height of so many rows with the header.
  int heightOfRows(int count) const;

  /// Widens columns to what is in view; call after what is shown has changed.
  void fitColumns();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  int neededWidth(int column) const;
  void growColumns();
  int leastWidth() const;
  void setShort(bool isShort);
  void giveWay();

  RowsModel m_model;
  std::vector<int> m_kept;
  int m_wholeWidth = 0;  ///< px that all columns took when they became short
};

}  // namespace mantissa::ui::plot
