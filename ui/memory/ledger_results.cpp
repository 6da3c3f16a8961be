// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_results.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/memory/ledger_pictures.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_numbers.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_button.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;

constexpr int kSpacing = 8;
constexpr int kStackHeight = 128;
constexpr int kChartHeight = 220;
constexpr int kPlanRows = 8;
constexpr int kCategoryRows = 7;
constexpr int kComparisonRows = 13;
constexpr int kHeader = 36;  // px of a picture besides what it shows

/// As small as the words of charts: all columns are seen at the window's first size.
void writeSmall(plot::RowsTable* table) {
  QFont small = table->font();
  if (small.pointSizeF() > 0) small.setPointSizeF(small.pointSizeF() * 0.9);
  table->horizontalHeader()->setFont(small);
  table->setFont(small);
}

plot::PlotColors currentColors() { return shell::Theme::colors(); }

}  // namespace

LedgerResults::LedgerResults(QWidget* parent)
    : QWidget(parent),
      m_stack(new plot::PictureView(QStringLiteral("memory_stack"))),
      m_blocks(new plot::PictureView(QStringLiteral("memory_blocks"))),
      m_timeline(new plot::PlotView(QStringLiteral("memory_timeline"))),
      m_calibration(new plot::PictureView(QStringLiteral("memory_calibration"))),
      m_plans(new plot::PictureView(QStringLiteral("memory_plans"))),
      m_categories(new plot::PictureView(QStringLiteral("memory_categories"))),
      m_comparison(new plot::PictureView(QStringLiteral("memory_comparison"))),
      m_twin(new plot::PictureView(QStringLiteral("memory_blocks_table"))) {
  m_plans->setTableOnly();
  m_categories->setTableOnly();
  m_twin->setTableOnly();
  m_comparison->setTableOnly();
  for (plot::PictureView* const one : {m_plans, m_categories, m_twin, m_comparison}) writeSmall(one->table());
  plot::PictureWords words;
  words.title = tr("Two ledgers");
  m_comparison->setWords(words);
  m_comparison->table()->horizontalHeader()->setStretchLastSection(false);  // ledgers stand side by side
  m_comparison->hide();
  m_timeline->setLegendVisible(false);
  connect(m_timeline, &plot::PlotView::redrawNeeded, this, &LedgerResults::redrawNeeded);
  plot::RowsTable* const plans = m_plans->table();
  plans->setTextElideMode(Qt::ElideMiddle);  // "now" stands at the end
  plans->setSelectionMode(QAbstractItemView::SingleSelection);
  plans->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  plans->rows().setEditing([this](int row, int /*column*/, const QString& text) {
    // The table is made anew: after the editor of the cell has closed.
    QMetaObject::invokeMethod(
        this, [this, row, text] { Q_EMIT timeTyped(static_cast<std::size_t>(row), text); }, Qt::QueuedConnection);
    return true;
  });
  connect(plans->selectionModel(), &QItemSelectionModel::selectionChanged, this, &LedgerResults::rememberPlan);
  makeLayout();
}

void LedgerResults::makeLayout() {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kSpacing);
  m_stack->setFixedHeight(kStackHeight);
  layout->addWidget(m_stack);
  auto* const charts = new QHBoxLayout;
  charts->setSpacing(kSpacing);
  for (QWidget* const one : std::initializer_list<QWidget*>{m_blocks, m_timeline, m_calibration}) {
    one->setMinimumHeight(kChartHeight);
    one->setMinimumWidth(150);
    one->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
    charts->addWidget(one, one == m_calibration ? 8 : 10);
  }
  layout->addLayout(charts, 3);
  m_plans->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(m_plans->table()->horizontalScrollBar(), &QScrollBar::rangeChanged, this, &LedgerResults::fitPlanRows);
  // Short titles stand on two lines.
  connect(&m_plans->table()->rows(), &QAbstractItemModel::headerDataChanged, this, &LedgerResults::fitPlanRows,
          Qt::QueuedConnection);
  fitPlanRows();
  layout->addWidget(m_plans);
  auto* const tables = new QHBoxLayout;
  tables->setSpacing(kSpacing);
  m_categories->setMinimumHeight(m_categories->table()->heightOfRows(kCategoryRows) + kHeader);
  tables->addWidget(m_categories, 13);
  tables->addWidget(m_twin, 7);
  m_twin->setMinimumWidth(150);
  layout->addLayout(tables, 2);
  m_comparison->setMinimumHeight(m_comparison->table()->heightOfRows(kComparisonRows) + kHeader + kSpacing);
  layout->addWidget(m_comparison);
}

/// Whole rows, with the bar below them where one is needed.
void LedgerResults::fitPlanRows() {
  plot::RowsTable* const table = m_plans->table();
  const QScrollBar* const bar = table->horizontalScrollBar();
  const int below = bar->maximum() > bar->minimum() ? bar->sizeHint().height() : 0;
  table->setFixedHeight(table->heightOfRows(kPlanRows) + below);
}

std::vector<plot::ChartWidget*> LedgerResults::charts() const {
  return {m_stack, m_blocks, m_timeline, m_calibration, m_plans, m_categories, m_comparison, m_twin};
}

void LedgerResults::addPlanAction(QAction* action) { m_plans->addToHeader(new shell::ActionButton(action)); }

std::optional<std::size_t> LedgerResults::selectedPlan() const {
  const QModelIndexList rows = m_plans->table()->selectionModel()->selectedRows();
  if (rows.isEmpty()) return std::nullopt;
  return static_cast<std::size_t>(rows.first().row());
}

void LedgerResults::selectPlan(std::size_t plan) {
  m_plans->table()->selectRow(static_cast<int>(plan));
  m_plans->table()->scrollTo(m_plans->table()->rows().index(static_cast<int>(plan), 0));
}

void LedgerResults::showLedger(const ShownLedger& shown) {
  showStack(shown);
  showBlocks(shown);
  showTimeline(shown);
  showPlans(shown);
  fitPlanRows();
  showTable(m_categories, shown.categories, shown);
}

void LedgerResults::rememberPlan() {
  if (m_isShowingPlans) return;
  const std::optional<std::size_t> row = selectedPlan();
  m_chosenPlan.reset();
  if (row && *row < m_rowsPlans.size()) m_chosenPlan = m_rowsPlans[*row];
  Q_EMIT planSelected();
}

/// The selection stays with its plan: a time that is typed sorts the rows anew.
void LedgerResults::showPlans(const ShownLedger& shown) {
  const std::optional<std::size_t> before = selectedPlan();
  m_isShowingPlans = true;
  showTable(m_plans, shown.plans, shown);
  m_rowsPlans.clear();
  const bool isEmpty = !shown.why.isEmpty() || !shown.plans.emptyText.isEmpty();
  for (const engine::Plan& plan : isEmpty ? std::vector<engine::Plan>() : shown.plans.plans) {
    m_rowsPlans.push_back(
        {shown.plans.names[plan.option], shown.plans.checkpointing[plan.option], plan.microbatch, plan.accumulation});
  }
  const auto found =
      m_chosenPlan ? std::find(m_rowsPlans.begin(), m_rowsPlans.end(), *m_chosenPlan) : m_rowsPlans.end();
  if (found == m_rowsPlans.end()) {
    m_plans->table()->clearSelection();
  } else if (const auto row = static_cast<std::size_t>(found - m_rowsPlans.begin()); before != row) {
    selectPlan(row);
  }
  m_isShowingPlans = false;
  if (selectedPlan() != before) Q_EMIT planSelected();
}

void LedgerResults::showStack(const ShownLedger& shown) {
  plot::PictureWords words;
  words.title = tr("Step memory");
  words.subject = shown.subject;
  words.emptyText = shown.why;
  words.spoken = shown.sentence;
  const ShownStack& stack = shown.stack;
  if (shown.why.isEmpty()) {
    words.unit = stack.capacity > 0
                     ? tr("%1, decimal (GB = 10^9 bytes), against a %2 device").arg(shown.scale.unit, stack.deviceText)
                     : tr("%1, decimal (GB = 10^9 bytes)").arg(shown.scale.unit);
  }
  words.note = shown.oldText;
  m_stack->setWords(words);
  m_stack->setPaint([stack, scale = shown.scale](QPainter& painter, const QRectF& area, const plot::PlotInk& ink) {
    paintStack(painter, area, ink, stack, scale);
  });
  plot::RowsModel& rows = m_stack->table()->rows();
  rows.setColumns({{tr("Part")}, {tr("Size, %1").arg(shown.scale.unit), tr("Size, bytes"), true}});
  if (!shown.why.isEmpty()) return rows.setRows(0, {});
  struct Line {
    QString name;
    std::int64_t bytes;
    RowsCell::Tone tone = RowsCell::Tone::Plain;
    bool isBold = false;
  };
  std::vector<Line> lines;
  for (const StackPart& part : stack.parts) lines.push_back({part.name, part.bytes});
  lines.push_back({tr("Total"), stack.total, RowsCell::Tone::Plain, true});
  if (stack.capacity > 0) {
    lines.push_back({tr("Capacity"), stack.capacity});
    lines.push_back({tr("Reserve"), stack.reserve});
    lines.push_back({tr("Usable"), stack.usable});
    const std::int64_t headroom = stack.usable - stack.total;
    lines.push_back({headroom < 0 ? tr("Over by") : tr("Headroom"), headroom < 0 ? -headroom : headroom,
                     headroom < 0 ? RowsCell::Tone::Bad : RowsCell::Tone::Good, true});
  }
  const auto count = static_cast<int>(lines.size());
  rows.setRows(count, [lines = std::move(lines), scale = shown.scale](int row, int column) -> RowsCell {
    const Line& line = lines[static_cast<std::size_t>(row)];
    if (column == 0) return {line.name, {}, line.tone, line.isBold};
    return {scale.text(line.bytes), exactBytes(line.bytes), line.tone, line.isBold, byteCount(line.bytes)};
  });
  m_stack->table()->fitColumns();
}

void LedgerResults::showBlocks(const ShownLedger& shown) {
  const auto blocks = std::make_shared<const ShownBlocks>(shown.blocks);
  const LedgerShades shades = LedgerShades::of(plot::PlotInk::fromPalette(palette(), currentColors(), font()));
  plot::PictureWords words;
  words.title = blocks->title;
  words.subject = shown.subject;
  words.emptyText = shown.why;
  if (shown.why.isEmpty()) {
    words.unit = blocks->unit;
    words.keys = {{shades.activations, tr("activations")}, {shades.fixed, tr("fixed")}};
    if (!blocks->bars.empty()) {
      const auto resident = std::count_if(blocks->bars.begin(), blocks->bars.end(),
                                          [](const ShownBlocks::Bar& bar) { return bar.exceeds == 0; });
      const auto count = static_cast<std::int64_t>(blocks->bars.size());
      words.spoken = resident == count
                         ? tr("All %1 are resident.").arg(countText(count))
                         : tr("The first %1 of %2 are resident; the last exceeds by %3.")
                               .arg(countText(resident), countText(count), sizeText(blocks->bars.back().exceeds));
    }
  }
  m_blocks->setWords(words);
  m_blocks->setPaint([blocks, scale = shown.scale](QPainter& painter, const QRectF& area, const plot::PlotInk& ink) {
    paintBlocks(painter, area, ink, *blocks, scale);
  });
  plot::PictureWords twin = words;
  twin.keys.clear();
  if (shown.why.isEmpty()) twin.unit = tr("%1, table twin").arg(blocks->unit);
  m_twin->setWords(twin);
  const QString unit = shown.scale.unit;
  for (plot::PictureView* const view : {m_blocks, m_twin}) {
    plot::RowsModel& rows = view->table()->rows();
    // The twin's own title says the unit.
    const bool isTwin = view == m_twin;
    rows.setColumns({{blocks->column},
                     {isTwin ? tr("Cumulative") : tr("Cumulative, %1").arg(unit), tr("Cumulative, bytes"), true},
                     {isTwin ? tr("With fixed") : tr("With fixed, %1").arg(unit), tr("With fixed, bytes"), true},
                     {tr("State")}});
    if (!shown.why.isEmpty()) {
      rows.setRows(0, {});
      continue;
    }
    rows.setRows(static_cast<int>(blocks->bars.size()), [blocks, scale = shown.scale](int row, int column) -> RowsCell {
      const auto place = static_cast<std::size_t>(row);
      const ShownBlocks::Bar& bar = blocks->bars[place];
      if (column == 0) return {blocks->name(place)};
      if (column == 1)
        return {scale.text(bar.activations), exactBytes(bar.activations), RowsCell::Tone::Plain, false,
                byteCount(bar.activations)};
      if (column == 2)
        return {scale.text(bar.total), exactBytes(bar.total), RowsCell::Tone::Plain, false, byteCount(bar.total)};
      if (blocks->usable <= 0) return {plot::notMeasuredText()};
      if (bar.exceeds == 0) return {tr("resident")};
      return {tr("exceeds by %1").arg(sizeText(bar.exceeds)), {}, RowsCell::Tone::Bad};
    });
    view->table()->fitColumns();
  }
}

void LedgerResults::showTimeline(const ShownLedger& shown) {
  const ShownTimeline& timeline = shown.timeline;
  plot::PlotContent content;
  content.title = tr("One step");
  content.experiment = shown.subject;
  content.xName = tr("event");
  content.isFilled = true;
  content.live = false;
  content.valueUnit = shown.scale.bytes;
  content.valueName = shown.scale.unit;
  content.emptyText = shown.why.isEmpty() ? timeline.emptyText : shown.why;
  if (shown.why.isEmpty() && timeline.allocated) {
    content.unit = tr("%1 · %2 events").arg(timeline.unit, countText(timeline.events));
    plot::PlotSeries series;
    series.id = QStringLiteral("allocated");
    series.name = tr("allocated");
    series.style.color = LedgerShades::of(plot::PlotInk::fromPalette(palette(), currentColors(), font())).activations;
    series.data = timeline.allocated;
    series.steps = true;
    content.series.push_back(series);
    for (const ShownTimeline::Part& part : timeline.parts) content.sections.push_back({part.from, part.name});
    content.points = {
        {static_cast<double>(timeline.peakEvent), static_cast<double>(timeline.peak), timeline.peakWords}};
  }
  m_timeline->setContent(std::move(content));
}

void LedgerResults::showTable(plot::PictureView* view, const ShownTable& table, const ShownLedger& shown) {
  plot::PictureWords words;
  words.title = table.title;
  words.unit = table.unit;
  words.note = table.note;
  words.subject = shown.subject;
  words.emptyText = shown.why.isEmpty() ? table.emptyText : shown.why;
  plot::RowsModel& rows = view->table()->rows();
  const bool isEmpty = !words.emptyText.isEmpty();
  if (isEmpty) words.unit = words.emptyText;
  view->setWords(words);
  if (!isEmpty) rows.setColumns(table.columns);
  rows.setRows(isEmpty ? 0 : table.rows, isEmpty ? plot::RowsModel::MakeCell() : table.cell);
  view->table()->fitColumns();
}

void LedgerResults::showComparison(const std::optional<ShownTable>& comparison) {
  m_comparison->setVisible(comparison.has_value());
  if (comparison) showTable(m_comparison, *comparison, {});
}

void LedgerResults::redraw() { m_timeline->redraw(); }

}  // namespace mantissa::ui::memory
