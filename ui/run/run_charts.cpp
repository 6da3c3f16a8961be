// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_charts.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/run/layout_menu.h"
#include "ui/run/past_loader.h"
#include "ui/shell/elided_label.h"

namespace mantissa::ui::run {
namespace {

constexpr int kAskAgain = 300;    // ms
constexpr int kLeastWidth = 220;  // of a chart: fewer columns where there is not that much for each
constexpr int kSpacing = 8;
constexpr int kLeastHeight = 184;  // of a chart with its legend, whatever stands in it: the grid scrolls where more fit
constexpr int kTightHeight = 150;  // of one where something stands at the foot for a while
constexpr int kLeastFoot = 48;
constexpr int kNotchesPerRow = 3;  // lines that a notch of the wheel scrolls

}  // namespace

RunCharts::RunCharts(QWidget* parent)
    : QWidget(parent),
      m_navigation(new plot::PlotNavigation(this)),
      m_cursor(new plot::PlotCursor(this)),
      m_axis(new QComboBox),
      m_smoothing(new QComboBox),
      m_weight(new QDoubleSpinBox),
      m_deviation(new QComboBox),
      m_units(new QComboBox),
      m_optimizer(new QComboBox),
      m_optimizerLabel(new QLabel(tr("S&kips of"))),
      m_hint(new shell::ElidedLabel(QString())),
      m_layoutButton(new QPushButton(tr("&Layout\u2026"))),
      m_follow(new QPushButton(tr("Follow"))),
      m_menu(new LayoutMenu(this)),
      m_row(new QWidget),
      m_scroll(new QScrollArea),
      m_scrolled(new QVBoxLayout),
      m_grid(new QGridLayout),
      m_past(new PastLoader(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  makeChoosers();
  makeRow(m_row);
  layout->addWidget(m_row);
  layout->addSpacing(kSpacing);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(kSpacing);
  auto* const inner = new QWidget;
  m_scrolled->setContentsMargins(0, 0, 0, 0);
  m_scrolled->setSpacing(8);
  m_scrolled->addLayout(m_grid, 1);
  inner->setLayout(m_scrolled);
  m_scroll->setWidget(inner);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->viewport()->installEventFilter(this);
  m_scroll->installEventFilter(this);
  inner->installEventFilter(this);
  layout->addWidget(m_scroll, 1);
  connect(m_navigation, &plot::PlotNavigation::rangesChanged, this, &RunCharts::offerToFollow);
  connect(m_menu, &LayoutMenu::chosen, this, &RunCharts::chooseCharts);
  connect(m_menu, &LayoutMenu::wasReset, this, &RunCharts::closeTables);
  connect(m_cursor, &plot::PlotCursor::positionChanged, this, &RunCharts::tellCursor);
  connect(m_past, &PastLoader::loaded, this, [this](const std::vector<Past>& pasts) {
    // The archive gets a step a moment after the window.
    if (!m_data->fill(pasts)) QTimer::singleShot(kAskAgain, this, &RunCharts::loadPast);
    Q_EMIT redrawNeeded();
  });
  connect(m_past, &PastLoader::failed, this, [this](const QString& sentence) {
    m_data->goOnWithoutPast();
    Q_EMIT pastFailed(sentence);
    Q_EMIT redrawNeeded();
  });
  chooseCharts();
}

RunCharts::~RunCharts() {
  // What goes with it may still have news (a chart that hides ends the cursor), and nobody to tell them to.
  for (const auto& [chart, view] : m_plots) view->disconnect(this);
  m_cursor->disconnect(this);
  m_navigation->disconnect(this);
}

plot::PlotView* RunCharts::makeView(Chart chart) {
  auto* const view = new plot::PlotView(idOf(chart));
  // The room of a legend is the chart's own: rows of charts stand still when legends are filled.
  view->setMinimumSize(kLeastWidth, kTightHeight);
  connect(view, &plot::PlotView::redrawNeeded, this, &RunCharts::redrawNeeded);
  connect(view, &plot::PlotView::markActivated, this, &RunCharts::stepChosen);
  connect(view, &plot::PlotView::nonFiniteActivated, this, [this, chart](double x) { chooseNonFinite(chart, x); });
  connect(view, &plot::PlotView::exportFailed, this, &RunCharts::exportFailed);
  connect(view, &plot::PlotView::exportAsked, this, &RunCharts::exportAsked);
  connect(view, &plot::PlotView::exported, this, &RunCharts::exported);
  link(chart, *view);
  return view;
}

void RunCharts::setExportFolder(const QString& folder) {
  for (const auto& [chart, view] : m_plots) view->setExportFolder(folder);
}

/// An axis of its own has zooms and a cursor of its own.
void RunCharts::link(Chart chart, plot::PlotView& view) {
  const bool own = hasOwnAxis(chart, static_cast<XAxis>(m_axis->currentIndex()));
  view.setNavigation(own ? nullptr : m_navigation);
  view.setPlotCursor(own ? nullptr : m_cursor);
  if (own) view.navigation()->startOver(std::nullopt);
}

void RunCharts::chooseCharts() {
  const std::vector<Chart> wanted = m_menu->charts();
  for (auto known = m_plots.begin(); known != m_plots.end();) {
    m_grid->removeWidget(known->second);
    if (std::find(wanted.begin(), wanted.end(), known->first) != wanted.end()) {
      ++known;
      continue;
    }
    known->second->disconnect(this);
    known->second->hide();
    known->second->deleteLater();
    known = m_plots.erase(known);
  }
  for (const Chart chart : wanted) {
    plot::PlotView*& view = m_plots[chart];
    if (view == nullptr) view = makeView(chart);
  }
  placeCharts();
  rebuild();
  Q_EMIT redrawNeeded();
}

/// As many as a person wants, or as have room: nothing of a chart lies under the scroll bar or beyond the edge.
int RunCharts::columnsThatFit() const {
  const int room = width() - m_scroll->verticalScrollBar()->sizeHint().width();
  const int most = std::max(1, (room + kSpacing) / (kLeastWidth + kSpacing));
  return std::min({m_menu->columns(), static_cast<int>(m_plots.size()), most});
}

void RunCharts::placeCharts() {
  const std::vector<Chart> wanted = m_menu->charts();
  const int columns = m_columns = columnsThatFit();
  for (const auto& [chart, view] : m_plots) m_grid->removeWidget(view);
  const int rows = (static_cast<int>(wanted.size()) + columns - 1) / columns;
  for (int i = 0; i < std::max(rows, m_grid->rowCount()); ++i) m_grid->setRowStretch(i, i < rows ? 1 : 0);
  for (int i = 0; i < std::max(columns, m_grid->columnCount()); ++i) m_grid->setColumnStretch(i, i < columns ? 1 : 0);
  int place = 0;
  QWidget* before = m_layoutButton;
  for (const Chart chart : wanted) {
    plot::PlotView* const view = m_plots.at(chart);
    m_grid->addWidget(view, place / columns, place % columns);
    view->show();
    QWidget::setTabOrder(before, view);
    before = view;
    ++place;
  }
  m_rowHeight = 0;
  fitRows();
}

void RunCharts::setFoot(QWidget* foot) {
  m_foot = foot;
  layout()->addWidget(foot);
}

/// As many whole rows as have room stand there: none is cut at the lower edge, and a notch of the wheel goes on by one.
/// What stands at the foot makes rows lower before it takes one out of sight.
void RunCharts::fitRows() {
  if (m_columns == 0) return;
  const int rows = (static_cast<int>(m_plots.size()) + m_columns - 1) / m_columns;
  const int whole = height() - m_row->geometry().bottom() - 1 - kSpacing;
  if (m_foot != nullptr) m_foot->setMaximumHeight(std::max(kLeastFoot, whole - kTightHeight));
  const int room = std::min(whole, m_scroll->height());
  // What comes to the foot or goes moves no chart that the pointer is about to press.
  if (m_rowHeight > 0 && whole == m_whole && room != m_room && m_scroll->underMouse()) return;
  const auto fitting = [rows](int into, int least) {
    return std::clamp((into + kSpacing) / (least + kSpacing), 1, rows);
  };
  const int seen = std::min(fitting(whole, kLeastHeight), fitting(room, kTightHeight));
  const int share = std::max(kTightHeight, (room - (seen - 1) * kSpacing) / seen);
  const bool areAllSeen = rows == seen && m_scrolled->count() == 1 && seen * (share + kSpacing) - kSpacing <= room;
  m_scroll->setVerticalScrollBarPolicy(areAllSeen ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  m_whole = whole;
  if (share == m_rowHeight && room == m_room) return;
  m_rowHeight = share;
  m_room = room;
  // Rows that fill the room do so by what they need at least: with less of it they stay as they are.
  const int rest = areAllSeen ? room - (seen - 1) * kSpacing - seen * share : 0;
  for (int i = 0; i < std::max(rows, m_grid->rowCount()); ++i) {
    m_grid->setRowMinimumHeight(i, i < rows ? share + (i < rest ? 1 : 0) : 0);
  }
  m_scroll->verticalScrollBar()->setSingleStep((share + kSpacing) / kNotchesPerRow);
}

bool RunCharts::eventFilter(QObject* watched, QEvent* event) {
  if (const auto* const field = qobject_cast<QWidget*>(watched); field != nullptr && m_row->isAncestorOf(field)) {
    // One that has not the keyboard leaves the wheel to what scrolls.
    const bool isOnItsWay = event->type() == QEvent::Wheel && !field->hasFocus();
    if (isOnItsWay) event->ignore();
    return isOnItsWay;
  }
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) fitRows();
  // That the pointer has left is known once it has: the attribute is set before or after the event.
  if (watched == m_scroll && event->type() == QEvent::Leave) QTimer::singleShot(0, this, &RunCharts::fitRows);
  return QWidget::eventFilter(watched, event);
}

void RunCharts::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (columnsThatFit() != m_columns) placeCharts();
  offerToFollow();
}

std::vector<plot::PlotView*> RunCharts::plots() const {
  std::vector<plot::PlotView*> views;
  for (const auto& [chart, view] : m_plots) views.push_back(view);
  return views;
}

plot::PlotView* RunCharts::plot(Chart chart) const {
  const auto found = m_plots.find(chart);
  return found == m_plots.end() ? nullptr : found->second;
}

void RunCharts::setData(RunData* newData) {
  m_past->cancel();
  m_data = newData;
  if (m_data != nullptr) m_data->setAxis(static_cast<XAxis>(m_axis->currentIndex()));
  nameOptimizers();
  m_navigation->startOver(expectedRange());
  for (const auto& [chart, view] : m_plots) {
    if (view->navigation() != m_navigation) view->navigation()->startOver(std::nullopt);
  }
  m_cursor->setPosition(std::nullopt);
  rebuild();
}

void RunCharts::setExperiment(std::shared_ptr<const spec::Experiment> experiment) {
  if (m_experiment == experiment) return;
  m_experiment = std::move(experiment);
  nameOptimizers();
  rebuild();
}

void RunCharts::setPlannedSteps(qint64 steps) {
  if (m_plannedSteps == steps) return;
  m_plannedSteps = steps;
  m_navigation->setExpectedRange(expectedRange());
}

std::optional<plot::Range> RunCharts::expectedRange() const {
  // Other axes do not say where they will end.
  if (m_plannedSteps <= 0 || m_axis->currentIndex() != static_cast<int>(XAxis::Step)) return std::nullopt;
  return plot::Range{0.0, static_cast<double>(m_plannedSteps)};
}

void RunCharts::setLive(bool live) {
  if (m_live == live) return;
  m_live = live;
  for (const auto& [chart, view] : m_plots) view->setLive(live);
  offerToFollow();
}

void RunCharts::choiceChanged() {
  rebuild();
  Q_EMIT redrawNeeded();
}

/// Memory goes to what is looked at; what was not is read from the archive.
void RunCharts::keepWhatIsShown() {
  if (m_data == nullptr) return;
  Quantities wanted;
  for (const auto& [chart, view] : m_plots) {
    if (const auto quantity = quantityOf(chart, choices().comparison)) wanted.set(static_cast<std::size_t>(*quantity));
  }
  m_data->keep(wanted);
  loadPast();
}

void RunCharts::loadPast() {
  if (m_data == nullptr || m_past->isBusy()) return;
  const std::vector<PastRequest> requests = m_data->missing();
  if (!requests.empty()) m_past->load(m_archive, requests);
}

bool RunCharts::isLoading() const { return m_past->isBusy(); }

void RunCharts::rebuild() {
  keepWhatIsShown();
  offerOptimizers();
  offerMultiples();
  for (const auto& [chart, view] : m_plots) rebuild(chart, *view);
  m_revision = m_data == nullptr ? -1 : m_data->revision();
  updateMarks();
}

void RunCharts::rebuild(Chart chart, plot::PlotView& view) {
  const bool isNew = view.content().title.isEmpty();
  const auto scale = isNew ? std::nullopt : std::optional(view.content().scale);
  plot::PlotContent content = chartContent(chart, {m_data, m_experiment.get()}, choices(), scale);
  content.difference = !isNew && view.content().difference;
  content.marks = view.content().marks;
  content.describeMark = [this](const plot::PlotMark& mark) { return markText(mark); };
  view.setContent(std::move(content));
}

/// What may change without another series: yardsticks grow while their repeats train.
void RunCharts::renewLines() {
  for (const auto& [chart, view] : m_plots) {
    const plot::PlotContent& shown = view->content();
    plot::PlotContent content = chartContent(chart, {m_data, m_experiment.get()}, choices(), shown.scale);
    if (content.unit != shown.unit || content.isMultiple != shown.isMultiple) {
      rebuild(chart, *view);
    } else {
      view->setLines(std::move(content.limits), std::move(content.bands), content.valueUnit);
      view->setEmptyText(content.emptyText);
    }
  }
}

void RunCharts::closeTables() {
  for (const auto& [chart, view] : m_plots) view->setTableShown(false);
}

void RunCharts::chooseNonFinite(Chart chart, double x) {
  if (m_data == nullptr) return;
  const auto axis = static_cast<XAxis>(m_axis->currentIndex());
  const qint64 step = m_data->stepAt(hasOwnAxis(chart, axis) ? XAxis::AppliedUpdate : axis, x);
  if (step > 0) Q_EMIT stepChosen(step);
}

double RunCharts::redraw() {
  if (m_data != nullptr) {
    if (m_revision != m_data->revision()) {
      rebuild();
    } else {
      addMarks();
      renewLines();
      offerOptimizers();
      offerMultiples();
    }
  }
  double milliseconds = 0;
  for (const auto& [chart, view] : m_plots) {
    if (view->redraw()) milliseconds += view->frameMilliseconds();
  }
  offerToFollow();
  return milliseconds;
}

void RunCharts::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) Q_EMIT redrawNeeded();
}

}  // namespace mantissa::ui::run
