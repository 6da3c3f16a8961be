// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/rows_table.h"

#include <QClipboard>
#include <QEvent>
#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPixmap>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ui/plain_tip.h"
#include "ui/plot/chart_widget.h"
#include "ui/plot/stand_off_delegate.h"

namespace mantissa::ui::plot {
namespace {

constexpr int kRoom = 16;           // px around the words of a cell
constexpr int kShortRoom = 7;       // px where there is little of it
constexpr int kRowHeight = 8;       // px of a row besides its words
constexpr int kLeastFlexible = 90;  // px
constexpr int kFittedRows = 60;     // that are looked at: more are never seen at once

/// An empty picture before the words of a header, so that they stand where the words of its cells do.
QPixmap headerGap() {
  constexpr int kAroundPicture = 4;  // px that a style leaves after it
  QPixmap gap(StandOffDelegate::kGap - kAroundPicture, 1);
  gap.fill(Qt::transparent);
  return gap;
}

}  // namespace

void RowsModel::setColumns(std::vector<RowsColumn> columns) {
  const bool isOther = columns.size() != m_columns.size();
  if (isOther) beginResetModel();
  m_columns = std::move(columns);
  if (isOther) {
    m_count = 0;
    endResetModel();
  } else if (!m_columns.empty()) {
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  }
}

void RowsModel::setRows(int count, MakeCell cell) {
  // Rows that stay do not change while others come or go, and those that go are whole until they are gone: who is told
  // of either may look at them.
  if (count < m_count) {
    beginRemoveRows({}, count, m_count - 1);
    m_count = count;
    endRemoveRows();
    m_cell = std::move(cell);
  } else {
    m_cell = std::move(cell);
    if (count > m_count) {
      beginInsertRows({}, m_count, count - 1);
      m_count = count;
      endInsertRows();
    }
  }
  if (m_count > 0 && !m_columns.empty()) Q_EMIT dataChanged(index(0, 0), index(m_count - 1, columnCount() - 1));
}

void RowsModel::setColors(const PlotColors& colors) {
  m_colors = colors;
  if (m_count > 0 && !m_columns.empty()) Q_EMIT dataChanged(index(0, 0), index(m_count - 1, columnCount() - 1));
}

void RowsModel::setShort(bool isShort) {
  if (isShort == m_isShort) return;
  m_isShort = isShort;
  if (m_columns.empty()) return;
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  if (m_count > 0) Q_EMIT dataChanged(index(0, 0), index(m_count - 1, columnCount() - 1));
}

bool RowsModel::canBeShort() const {
  return std::any_of(m_columns.begin(), m_columns.end(),
                     [](const RowsColumn& column) { return !column.shortTitle.isEmpty(); });
}

QString RowsModel::shownText(int row, int column) const {
  const RowsCell cell = m_cell(row, column);
  return m_isShort && !cell.shortText.isEmpty() ? cell.shortText : cell.text;
}

int RowsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : m_count; }

int RowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant RowsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_cell) return {};
  switch (role) {
    case Qt::TextAlignmentRole: {
      const bool isNumber = m_columns[static_cast<std::size_t>(index.column())].isNumber;
      return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    case Qt::DisplayRole:
      return shownText(index.row(), index.column());
    case Qt::EditRole:
      return fileText(index.row(), index.column());
    case Qt::ToolTipRole: {
      const RowsCell cell = m_cell(index.row(), index.column());
      QStringList words;
      if (m_columns[static_cast<std::size_t>(index.column())].isFlexible || (m_isShort && !cell.shortText.isEmpty())) {
        words << cell.text;
      }
      if (!cell.exact.isEmpty() && cell.exact != cell.text && cell.tip.isEmpty()) words << cell.exact;
      if (!cell.tip.isEmpty()) words << cell.tip;
      words.removeDuplicates();
      return plainTip(words.join(u'\n'));
    }
    case Qt::FontRole: {
      if (!m_cell(index.row(), index.column()).isBold) return {};
      QFont bold;
      bold.setBold(true);
      return bold;
    }
    case Qt::ForegroundRole:
      switch (m_cell(index.row(), index.column()).tone) {
        case RowsCell::Tone::Plain:
          return {};
        case RowsCell::Tone::Faint:
          return QGuiApplication::palette().brush(QPalette::PlaceholderText);
        case RowsCell::Tone::Good:
          return QBrush(m_colors.good);
        case RowsCell::Tone::Warn:
          return QBrush(m_colors.warn);
        case RowsCell::Tone::Bad:
          return QBrush(m_colors.bad);
        case RowsCell::Tone::Undecided:
          return QBrush(m_colors.undecided);
      }
      return {};
    default:
      return {};
  }
}

QVariant RowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const RowsColumn& column = m_columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return m_isShort && !column.shortTitle.isEmpty() ? column.shortTitle : column.title;
  if (role == Qt::DecorationRole && followsNumbers(section)) return headerGap();
  if (role == Qt::ToolTipRole) {
    QStringList words;
    if (m_isShort && !column.shortTitle.isEmpty()) words << column.title;
    if (!column.tip.isEmpty()) words << column.tip;
    return words.isEmpty() ? QVariant() : plainTip(words.join(u'\n'));
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

Qt::ItemFlags RowsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.isValid() && m_take && m_cell(index.row(), index.column()).isEditable) flags |= Qt::ItemIsEditable;
  return flags;
}

bool RowsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || !m_take) return false;
  return m_take(index.row(), index.column(), value.toString());
}

bool RowsModel::followsNumbers(int column) const {
  const auto place = static_cast<std::size_t>(column);
  return column > 0 && m_columns[place - 1].isNumber && !m_columns[place].isNumber;
}

QString RowsModel::fileText(int row, int column) const {
  const RowsCell cell = m_cell(row, column);
  return cell.exact.isEmpty() ? cell.text : cell.exact;
}

QString RowsModel::asTsv(const std::vector<int>& rows) const {
  std::vector<int> all(static_cast<std::size_t>(m_count));
  std::iota(all.begin(), all.end(), 0);
  QStringList titles;
  for (const RowsColumn& column : m_columns) titles << (column.fileTitle.isEmpty() ? column.title : column.fileTitle);
  QStringList lines{titles.join(u'\t')};
  for (const int row : rows.empty() ? all : rows) {
    QStringList cells;
    for (int column = 0; column < columnCount(); ++column) cells << fileText(row, column);
    lines << cells.join(u'\t');
  }
  return lines.join(u'\n') + u'\n';
}

std::string RowsModel::asCsv() const {
  std::string text;
  for (std::size_t i = 0; i < m_columns.size(); ++i) {
    if (i > 0) text += ',';
    text += csvField(m_columns[i].fileTitle.isEmpty() ? m_columns[i].title : m_columns[i].fileTitle);
  }
  text += '\n';
  for (int row = 0; row < m_count; ++row) {
    for (int column = 0; column < columnCount(); ++column) {
      if (column > 0) text += ',';
      text += csvField(fileText(row, column));
    }
    text += '\n';
  }
  return text;
}

RowsTable::RowsTable(QWidget* parent) : QTableView(parent) {
  setModel(&m_model);
  m_model.setColors(plotColors(isDark(palette())));
  setItemDelegate(new StandOffDelegate(this));
  // The header begins anew, too.
  connect(&m_model, &QAbstractItemModel::modelReset, this, [this] { m_kept.clear(); });
  setFrameShape(QFrame::NoFrame);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + kRowHeight);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setMinimumSectionSize(24);
  setMinimumHeight(heightOfRows(2));
  // A table takes the room that it is given: its hint would keep rows from being laid out in a small window.
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
}

int RowsTable::heightOfRows(int count) const {
  return horizontalHeader()->sizeHint().height() + count * verticalHeader()->defaultSectionSize() + 2;
}

int RowsTable::neededWidth(int column) const {
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics metrics(bold);  // the wider one
  const QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  int width = 0;
  for (const QString& line : title.split(u'\n')) {
    width = std::max(width, horizontalHeader()->fontMetrics().horizontalAdvance(line));
  }
  const int first = std::max(0, rowAt(0));
  const int last = std::min(m_model.rowCount(), first + kFittedRows);
  for (int row = first; row < last; ++row) {
    width = std::max(width, metrics.horizontalAdvance(m_model.shownText(row, column)));
  }
  return width + (m_model.isShort() ? kShortRoom : kRoom) +
         (m_model.followsNumbers(column) ? StandOffDelegate::kGap : 0);
}

void RowsTable::fitColumns() {
  growColumns();
  if (m_model.canBeShort() && !m_model.isShort() && leastWidth() > viewport()->width()) {
    m_wholeWidth = leastWidth();
    setShort(true);
  }
  giveWay();
}

void RowsTable::setShort(bool isShort) {
  m_model.setShort(isShort);
  m_kept.clear();
  growColumns();
}

/// Of all columns, the flexible one as narrow as it may be.
int RowsTable::leastWidth() const {
  int width = 0;
  for (std::size_t i = 0; i < m_kept.size(); ++i) {
    width += m_model.columns()[i].isFlexible ? std::min(kLeastFlexible, m_kept[i]) : m_kept[i];
  }
  return width;
}

void RowsTable::growColumns() {
  const int columns = m_model.columnCount();
  m_kept.resize(static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) {
    int& kept = m_kept[static_cast<std::size_t>(column)];
    const int needed = neededWidth(column);
    if (needed <= kept) continue;  // wider ones were chosen by a person, or needed before
    const bool isFirst = kept == 0;
    kept = needed;
    if (isFirst || columnWidth(column) < needed) setColumnWidth(column, needed);
  }
}

/// Words that are cut stand whole in their tip.
void RowsTable::giveWay() {
  const std::vector<RowsColumn>& columns = m_model.columns();
  const auto flexible =
      std::find_if(columns.begin(), columns.end(), [](const RowsColumn& column) { return column.isFlexible; });
  if (flexible == columns.end()) return;
  const auto place = static_cast<std::size_t>(flexible - columns.begin());
  const int others = std::accumulate(m_kept.begin(), m_kept.end(), 0) - m_kept[place];
  const int width = std::clamp(viewport()->width() - others, std::min(kLeastFlexible, m_kept[place]), m_kept[place]);
  if (columnWidth(static_cast<int>(place)) != width) setColumnWidth(static_cast<int>(place), width);
}

void RowsTable::copy() const {
  std::vector<int> rows;
  for (const QModelIndex& row : selectionModel()->selectedRows()) rows.push_back(row.row());
  std::sort(rows.begin(), rows.end());
  QGuiApplication::clipboard()->setText(m_model.asTsv(rows));
}

void RowsTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
    event->accept();
    return;
  }
  QTableView::keyPressEvent(event);
}

void RowsTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) m_model.setColors(plotColors(isDark(palette())));
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  m_kept.clear();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + kRowHeight);
  fitColumns();
}

void RowsTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  if (m_model.isShort() && viewport()->width() >= m_wholeWidth) setShort(false);
  fitColumns();
}

void RowsTable::scrollContentsBy(int dx, int dy) {
  QTableView::scrollContentsBy(dx, dy);
  if (dy != 0) fitColumns();
}

}  // namespace mantissa::ui::plot
