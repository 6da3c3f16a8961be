// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/counters_table.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>
#include <numeric>

#include "ui/plot/stand_off_delegate.h"
#include "ui/shell/marker_delegate.h"

namespace mantissa::ui::run {
namespace {

constexpr int kRows = 4;          // that are seen without scrolling
constexpr int kRoom = 1;          // pixels of a column besides its text
constexpr int kHeaderRoom = 6;    // pixels around the words of a header
constexpr int kFitAfter = 300;    // ms
constexpr int kWidestName = 180;  // pixels; what an arm counts is what the table is for

}  // namespace

CountersTable::CountersTable(QWidget* parent) : QTableView(parent) {
  setModel(&m_model);
  setAccessibleName(tr("Counters"));
  // As small as the words of charts: all columns are seen at the window's first size.
  QFont small = font();
  if (small.pointSizeF() > 0) small.setPointSizeF(small.pointSizeF() * 0.9);
  setFont(small);
  horizontalHeader()->setFont(small);
  setItemDelegateForColumn(CountersModel::ArmColumn, new shell::MarkerDelegate(CountersModel::PlaceRole, this));
  setItemDelegateForColumn(CountersModel::CauseColumn, new plot::StandOffDelegate(this));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setShowGrid(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideMiddle);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(24);
  m_fitSoon.setSingleShot(true);
  m_fitSoon.setInterval(kFitAfter);
  connect(&m_fitSoon, &QTimer::timeout, this, &CountersTable::fitColumns);
  connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
    const qint64 step = index.data(CountersModel::LastSkipRole).toLongLong();
    if (step > 0) Q_EMIT skipChosen(step);
  });
  fitColumns();
}

void CountersTable::setData(const RunData* run) {
  m_model.setData(run);
  m_seen = {};
  m_model.refresh();
  fitColumns();
}

void CountersTable::setPlanned(qint64 steps, qint64 iterations) {
  m_model.setPlanned(steps, iterations);
  fitColumns();
}

void CountersTable::refresh() {
  m_model.refresh();
  // Names are read from the first moment on, and no number is ever shown with some of its digits.
  if (m_model.rowCount() != m_rowsFitted || cutsNumbers()) fitColumns();
  // Thirty times a second would be more than anybody sees.
  if (!m_fitSoon.isActive()) m_fitSoon.start();
}

bool CountersTable::cutsNumbers() const {
  for (int column = 0; column < CountersModel::kColumns; ++column) {
    if (column == CountersModel::ArmColumn || column == CountersModel::CauseColumn) continue;
    if (sizeHintForColumn(column) + kRoom > columnWidth(column)) return true;
  }
  return false;
}

/// As wide as the longest name; one that is longer than the counts have room for has dots in its middle.
int CountersTable::nameWidth() const {
  const QString title = m_model.headerData(CountersModel::ArmColumn, Qt::Horizontal, Qt::DisplayRole).toString();
  const int heading = horizontalHeader()->fontMetrics().horizontalAdvance(title) + kHeaderRoom;
  const int names = std::max(sizeHintForColumn(CountersModel::ArmColumn) + kRoom, heading);
  return std::min(std::max(names, m_kept[CountersModel::ArmColumn]), kWidestName);
}

void CountersTable::fitColumns() {
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  setFixedHeight(horizontalHeader()->sizeHint().height() + kRows * verticalHeader()->defaultSectionSize() + 4);
  m_rowsFitted = m_model.rowCount();
  const int margins = 2 * (style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, this) + 1);
  std::array<int, CountersModel::kColumns> needed{};  // by what stands there now
  for (int column = 0; column < CountersModel::kColumns; ++column) {
    // A header's own hint keeps room for the arrow of sorting, which is never shown here.
    const QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const auto place = static_cast<std::size_t>(column);
    if (column == CountersModel::ArmColumn) {
      needed[place] = m_kept[place] = nameWidth();
      continue;
    }
    const int heading = horizontalHeader()->fontMetrics().horizontalAdvance(title) + kHeaderRoom;
    needed[place] = std::max(sizeHintForColumn(column) + kRoom, heading);
    if (column == CountersModel::CauseColumn) {
      m_causeWidth = std::max(m_causeWidth, needed[place]);  // the gap is part of both hints
      m_causeHeading = heading;
      continue;
    }
    // What has stood there once may come again: a column that gave its room back would jump.
    m_seen[place] = std::max(m_seen[place], sizeHintForColumn(column) + kRoom);
    needed[place] = std::max(needed[place], m_seen[place]);
    const int widest = fontMetrics().horizontalAdvance(m_model.widestText(column)) + margins;
    m_kept[place] = std::max({m_kept[place], needed[place], widest + kRoom});
  }
  // Where all that is kept has no room, what stands there now comes before what may come; the counts keep still.
  const int viewportWidth = viewport()->width();
  const bool hasRoom = std::accumulate(m_kept.begin(), m_kept.end(), m_causeWidth) <= viewportWidth;
  int others = 0;
  for (int column = 0; column < CountersModel::kColumns; ++column) {
    if (column == CountersModel::CauseColumn) continue;
    const auto place = static_cast<std::size_t>(column);
    const int width = hasRoom || column < CountersModel::CauseColumn ? m_kept[place] : needed[place];
    if (columnWidth(column) != width) setColumnWidth(column, width);
    others += width;
  }
  // Dots in the cause spare the scrolling; where there is scrolling anyway they spare nothing.
  const bool scrolls = others + m_causeHeading > viewportWidth;
  const int cause = std::max(viewportWidth - others, hasRoom || scrolls ? m_causeWidth : m_causeHeading);
  if (columnWidth(CountersModel::CauseColumn) != cause) setColumnWidth(CountersModel::CauseColumn, cause);
}

void CountersTable::copy() const {
  QStringList lines;
  const auto addLine = [&lines](const auto& cell) {
    QStringList cells;
    for (int column = 0; column < CountersModel::kColumns; ++column) cells << cell(column).toString();
    lines << cells.join(u'\t');
  };
  addLine([this](int column) { return m_model.headerData(column, Qt::Horizontal, CountersModel::FileRole); });
  for (int row = 0; row < m_model.rowCount(); ++row) {
    if (selectionModel()->hasSelection() && !selectionModel()->isRowSelected(row, {})) continue;
    addLine([&](int column) { return m_model.index(row, column).data(CountersModel::FileRole); });
  }
  QGuiApplication::clipboard()->setText(lines.join(u'\n') + u'\n');
}

void CountersTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
    event->accept();
    return;
  }
  QTableView::keyPressEvent(event);
}

void CountersTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fitColumns();
}

void CountersTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  m_causeWidth = 0;
  m_seen = {};
  fitColumns();
}

}  // namespace mantissa::ui::run
