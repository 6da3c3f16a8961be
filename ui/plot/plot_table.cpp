// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/number_text.h"
#include "ui/plot/plot_frame.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::plot {
namespace {

constexpr int kCellMargin = 6;  // px, at either side of a number

/// The decimals of a number with the point; empty of one that has none.
QString decimalsOf(const QString& number) {
  const qsizetype point = number.indexOf(QLocale().decimalPoint());
  return point < 0 ? QString() : number.mid(point);
}

/// Numbers whose points stand above each other.
class PointDelegate final : public QStyledItemDelegate {
 public:
  explicit PointDelegate(PlotTable& table) : QStyledItemDelegate(&table), m_table(table) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString number = std::exchange(cell.text, QString());
    const QStyle& style = *m_table.style();
    style.drawControl(QStyle::CE_ItemViewItem, &cell, painter, &m_table);
    const int own = cell.fontMetrics.horizontalAdvance(decimalsOf(number));
    const int room = std::max(kCellMargin, m_table.pointRoom(index.column()) - own);
    const bool isSelected = cell.state.testFlag(QStyle::State_Selected);
    const auto group = cell.state.testFlag(QStyle::State_Active) ? QPalette::Active : QPalette::Inactive;
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(group, isSelected ? QPalette::HighlightedText : QPalette::Text));
    const QRect place = cell.rect.adjusted(kCellMargin, 0, -room, 0);
    painter->drawText(place, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                      cell.fontMetrics.elidedText(number, Qt::ElideRight, place.width()));
    painter->restore();
  }

 private:
  PlotTable& m_table;
};

}  // namespace

RowMerge::RowMerge(std::vector<std::shared_ptr<const SeriesData>> series)
    : m_series(std::move(series)), m_index(m_series.size()), m_next(m_series.size()) {}

std::size_t RowMerge::update() {
  // New values of a slower run belong between rows that are there already: those rows are made anew.
  auto earliest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < m_series.size(); ++i) {
    if (m_next[i] < m_series[i]->size()) earliest = std::min(earliest, m_series[i]->x(m_next[i]));
  }
  if (std::isinf(earliest)) return m_x.size();
  const auto kept = static_cast<std::size_t>(std::lower_bound(m_x.begin(), m_x.end(), earliest) - m_x.begin());
  for (std::size_t i = 0; i < m_series.size(); ++i) {
    const auto& index = m_index[i];
    const auto first = std::find_if(index.begin() + static_cast<std::ptrdiff_t>(kept), index.end(),
                                    [](std::uint32_t value) { return value != kNone; });
    if (first != index.end()) m_next[i] = *first;
    m_index[i].resize(kept);
  }
  m_x.resize(kept);
  while (true) {
    auto x = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < m_series.size(); ++i) {
      if (m_next[i] < m_series[i]->size()) x = std::min(x, m_series[i]->x(m_next[i]));
    }
    if (std::isinf(x)) return kept;
    m_x.push_back(x);
    for (std::size_t i = 0; i < m_series.size(); ++i) {
      const bool has = m_next[i] < m_series[i]->size() && m_series[i]->x(m_next[i]) == x;
      m_index[i].push_back(has ? static_cast<std::uint32_t>(m_next[i]++) : kNone);
    }
  }
}

std::optional<double> RowMerge::value(std::size_t row, std::size_t column) const {
  const auto index = m_index[column][row];
  if (index == kNone) return std::nullopt;
  return m_series[column]->y(index);
}

PlotTableModel::PlotTableModel(const PlotState& state, QObject* parent) : QAbstractTableModel(parent), m_state(state) {}

void PlotTableModel::rebuild() {
  beginResetModel();
  std::vector<std::shared_ptr<const SeriesData>> series;
  for (const auto& source : m_state.sources.sources()) series.push_back(source.series.data);
  m_rows.emplace(std::move(series));
  m_rows->update();
  m_shown = m_rows->rows();
  if (m_sortColumn >= columnCount()) m_sortColumn = 0;
  m_order = sortedRows();
  endResetModel();
}

void PlotTableModel::refresh() {
  if (!m_rows) return;
  const auto before = m_shown;
  if (byPosition()) {
    // Views still see the old number of rows: what was appended is announced, what was merged into the midst resets
    // them.
    const auto kept = m_rows->update();
    if (kept == before && m_rows->rows() == before) return;
    if (kept == before) {
      beginInsertRows({}, static_cast<int>(before), static_cast<int>(m_rows->rows()) - 1);
      m_shown = m_rows->rows();
      endInsertRows();
    } else {
      beginResetModel();
      m_shown = m_rows->rows();
      endResetModel();
    }
    return;
  }
  if (m_shown > kLongestSortedWhileGrowing) return;
  const auto kept = m_rows->update();
  if (kept == before && m_rows->rows() == before) return;
  beginResetModel();
  m_shown = m_rows->rows();
  m_order = sortedRows();
  endResetModel();
}

bool PlotTableModel::standsStill() const {
  if (!m_rows || byPosition() || m_shown == 0) return false;
  const auto& sources = m_state.sources.sources();
  return std::any_of(sources.begin(), sources.end(), [&](const PlotSources::Source& source) {
    return !source.series.data->empty() &&
           source.series.data->positions().at(source.series.data->size() - 1) > m_rows->x(m_shown - 1);
  });
}

int PlotTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_shown);
}

int PlotTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_rows ? 0 : static_cast<int>(m_rows->columns()) + 1;
}

QVariant PlotTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto row = sourceRow(index.row());
  const auto value = index.column() == 0 ? std::optional<double>(m_rows->x(row))
                                         : m_rows->value(row, static_cast<std::size_t>(index.column() - 1));
  switch (role) {
    case Qt::DisplayRole:
      if (!value) return notMeasuredText();
      return index.column() == 0 ? positionText(*value) : fullValueText(inUnit(m_state.content, *value));
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if (value && !std::isfinite(*value)) return m_state.colors.bad;
      return {};
    case Qt::ToolTipRole:
      if (!value) return tr("No value at this position");
      return fullValueText(index.column() == 0 ? *value : inUnit(m_state.content, *value));
    default:
      return {};
  }
}

QVariant PlotTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || !m_rows || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  if (section == 0) return xColumnName(m_state.content);
  return columnName(m_state.content, m_state.sources.sources()[static_cast<std::size_t>(section - 1)].series.name);
}

void PlotTableModel::sort(int column, Qt::SortOrder order) {
  if (!m_rows || column < 0 || column >= columnCount()) return;
  m_sortColumn = column;
  m_sortOrder = order;
  const auto rows = m_rows->rows();
  m_rows->update();
  if (m_rows->rows() != rows || m_shown != rows) {
    beginResetModel();
    m_shown = m_rows->rows();
    m_order = sortedRows();
    endResetModel();
    return;
  }
  Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const auto before = persistentIndexList();
  std::vector<std::size_t> sources;
  sources.reserve(static_cast<std::size_t>(before.size()));
  for (const auto& index : before) sources.push_back(sourceRow(index.row()));
  m_order = sortedRows();
  std::vector<std::uint32_t> rowOf(m_shown);
  for (std::size_t row = 0; row < m_shown; ++row)
    rowOf[sourceRow(static_cast<int>(row))] = static_cast<std::uint32_t>(row);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) {
    after << index(static_cast<int>(rowOf[sources[static_cast<std::size_t>(i)]]), before[i].column());
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

std::vector<std::uint32_t> PlotTableModel::sortedRows() const {
  if (byPosition()) return {};
  std::vector<std::uint32_t> order(m_rows->rows());
  std::iota(order.begin(), order.end(), 0U);
  if (m_sortColumn == 0) {
    std::reverse(order.begin(), order.end());
    return order;
  }
  const auto column = static_cast<std::size_t>(m_sortColumn - 1);
  // What has no order comes last, whichever way the rest is sorted: NaN, then what is missing.
  const auto rank = [&](const std::optional<double>& value) { return !value ? 2 : std::isnan(*value) ? 1 : 0; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
    const auto a = m_rows->value(left, column);
    const auto b = m_rows->value(right, column);
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (rank(a) != 0) return false;
    return m_sortOrder == Qt::AscendingOrder ? *a < *b : *b < *a;
  });
  return order;
}

std::optional<int> PlotTableModel::rowFrom(double x) const {
  if (!m_rows || !byPosition() || m_shown == 0) return std::nullopt;
  std::size_t low = 0;
  for (std::size_t high = m_shown; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    m_rows->x(middle) < x ? low = middle + 1 : high = middle;
  }
  return static_cast<int>(std::min(low, m_shown - 1));
}

QString PlotTableModel::cellText(std::size_t row, int column) const {
  if (column == 0) return QString::fromStdString(to_text(m_rows->x(row)));
  const auto value = m_rows->value(row, static_cast<std::size_t>(column - 1));
  return value ? QString::fromStdString(to_text(inUnit(m_state.content, *value))) : QString();
}

QString PlotTableModel::asTsv(const QModelIndexList& selected) const {
  std::vector<int> rows;
  std::vector<int> columns;
  for (const auto& index : selected) {
    rows.push_back(index.row());
    columns.push_back(index.column());
  }
  if (selected.isEmpty()) {
    rows.resize(m_shown);
    std::iota(rows.begin(), rows.end(), 0);
    columns.resize(static_cast<std::size_t>(columnCount()));
    std::iota(columns.begin(), columns.end(), 0);
  }
  for (auto* numbers : {&rows, &columns}) {
    std::sort(numbers->begin(), numbers->end());
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  }
  QString text;
  const auto addRow = [&](const auto& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += u'\t';
      text += cell(columns[i]);
    }
    text += u'\n';
  };
  addRow([this](int column) { return headerData(column, Qt::Horizontal).toString(); });
  for (const auto row : rows) {
    addRow([&](int column) { return cellText(sourceRow(row), column); });
  }
  return text;
}

PlotTable::PlotTable(const PlotState& state, QWidget* parent) : QTableView(parent), m_model(state) {
  setModel(&m_model);
  setSortingEnabled(true);
  sortByColumn(0, Qt::AscendingOrder);
  setAlternatingRowColors(true);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  setWordWrap(false);  // a number has no second line
  setItemDelegate(new PointDelegate(*this));
  horizontalHeader()->setHighlightSections(false);
  connect(&m_model, &QAbstractItemModel::modelReset, this, &PlotTable::fitColumns);
  connect(&m_model, &QAbstractItemModel::layoutChanged, this, &PlotTable::widenColumns);
  connect(&m_model, &QAbstractItemModel::rowsInserted, this, &PlotTable::widenColumns);
}

/// Columns are as wide as numbers mostly are, or as their header where that is wider, and widen for a longer number
/// that comes into view; what a person chose stays while the headers do.
void PlotTable::fitColumns() {
  QStringList headers;
  for (int column = 0; column < m_model.columnCount(); ++column) {
    headers << m_model.headerData(column, Qt::Horizontal).toString();
  }
  if (headers == m_fitted) return widenColumns();
  m_fitted = headers;
  m_widths.clear();
  m_points.assign(static_cast<std::size_t>(headers.size()), 0);
  for (int column = 0; column < headers.size(); ++column) {
    const QString usual = column == 0 ? QStringLiteral("1,000,000") : QStringLiteral("0.00000000000000000");
    m_widths.push_back(std::max(horizontalHeader()->sectionSizeHint(column), widthFor(usual)));
    horizontalHeader()->resizeSection(column, m_widths.back());
  }
  widenColumns();
}

/// Of a cell with these words: with the margins that the style leaves at either side of them.
int PlotTable::widthFor(const QString& text) const {
  return fontMetrics().horizontalAdvance(text) + 2 * (style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1) + 12;
}

void PlotTable::widenColumns() {
  const int first = rowAt(0);
  if (first < 0) return;
  const int below = rowAt(viewport()->height() - 1);
  const int last = below < 0 ? m_model.rowCount() - 1 : below;
  for (int column = 0; column < static_cast<int>(m_widths.size()); ++column) {
    int& width = m_widths[static_cast<std::size_t>(column)];
    if (columnWidth(column) != width) continue;  // a person's choice
    int& points = m_points[static_cast<std::size_t>(column)];
    const int pointsBefore = points;
    int before = 0;  // the widest of what stands left of the point
    for (int row = first; row <= last; ++row) {
      const QString number = m_model.index(row, column).data().toString();
      const int decimals = fontMetrics().horizontalAdvance(decimalsOf(number));
      points = std::max(points, decimals);
      before = std::max(before, widthFor(number) - decimals);
    }
    width = std::max(width, before + points);
    if (points != pointsBefore) viewport()->update();
    if (columnWidth(column) != width) setColumnWidth(column, width);
  }
}

int PlotTable::pointRoom(int column) const {
  const auto place = static_cast<std::size_t>(column);
  return kCellMargin + (place < m_points.size() ? m_points[place] : 0);
}

void PlotTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  widenColumns();
}

void PlotTable::scrollContentsBy(int dx, int dy) {
  QTableView::scrollContentsBy(dx, dy);
  if (dy != 0) widenColumns();
}

std::optional<double> PlotTable::showFrom(double x) {
  const std::optional<int> row = m_model.rowFrom(x);
  if (!row) return std::nullopt;
  scrollTo(m_model.index(*row, 0), QAbstractItemView::PositionAtTop);
  return m_model.positionAt(*row);
}

void PlotTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  m_fitted.clear();
  fitColumns();
}

void PlotTable::copy() const {
  QGuiApplication::clipboard()->setText(m_model.asTsv(selectionModel()->selectedIndexes()));
}

void PlotTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
    event->accept();
    return;
  }
  QTableView::keyPressEvent(event);
}

}  // namespace mantissa::ui::plot
