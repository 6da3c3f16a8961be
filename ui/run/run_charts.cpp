// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_charts.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_numbers.h"
#include "ui/run/elided_label.h"
#include "ui/run/layout_menu.h"
#include "ui/run/past_loader.h"
#include "ui/shell/flow_layout.h"

namespace mantissa::ui::run {
namespace {

enum SmoothingKind { NoSmoothing, Average, RunningMean };
enum DeviationUnit { Multiples, AsMeasured };

constexpr int kAskAgain = 300;     // ms
constexpr int kLeastHeight = 150;  // of a chart below its legend: the grid scrolls where there are more than fit

QString markText(const ArmData& arm, const Skip& skip) {
  const QString name = QString::fromStdString(arm.arm().start.name);
  const QString step = models::figure(report::count_words(skip.step));
  return skip.parameter.isEmpty() ? RunCharts::tr("%1, step %2: skipped, %3.").arg(name, step, causeWords(skip.cause))
                                  : RunCharts::tr("%1, step %2: skipped, %3, first in %4.")
                                        .arg(name, step, causeWords(skip.cause), skip.parameter);
}

QString whyNoMultiples(bool isTrajectory, bool isMeasured) {
  if (isMeasured) {
    return isTrajectory ? RunCharts::tr(
                              "As measured: the repeats of the reference do not differ, nothing is a multiple "
                              "of their spread")
                        : RunCharts::tr(
                              "As measured: the rounding repeats do not differ from the reference, nothing is "
                              "a multiple of their floor");
  }
  return isTrajectory ? RunCharts::tr(
                            "As measured: no repeat has measured the run-to-run spread. Set repeats = 2 under "
                            "[reference] and run again: deviations then stand in multiples of it")
                      : RunCharts::tr(
                            "As measured: no repeat has measured the rounding floor. Set rounding_repeats = 1 "
                            "under [reference] and run again: deviations then stand in multiples of it");
}

bool isBefore(const plot::PlotMark& left, const plot::PlotMark& right) { return left.x < right.x; }

QString hintText() { return RunCharts::tr("Drag selects, wheel zooms, double click resets"); }

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
      m_hint(new ElidedLabel(hintText())),
      m_layoutButton(new QPushButton(tr("&Layout\u2026"))),
      m_menu(new LayoutMenu(this)),
      m_row(new QWidget),
      m_scroll(new QScrollArea),
      m_scrolled(new QVBoxLayout),
      m_grid(new QGridLayout),
      m_past(new PastLoader(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  makeChoosers();
  makeRow(m_row);
  layout->addWidget(m_row);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(8);
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
  layout->addWidget(m_scroll, 1);
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

int RunCharts::chooserHeight() const { return m_row->layout()->heightForWidth(width()); }

void RunCharts::makeRow(QWidget* widget) {
  auto* const row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  auto* const flow = new shell::FlowLayout;
  flow->setSpacing(8);
  row->addLayout(flow, 1);
  // A label stays beside its fields, in whichever row they stand.
  const auto choose = [flow](QLabel* label, std::initializer_list<QWidget*> fields) {
    auto* const group = new QWidget;
    auto* const layout = new QHBoxLayout(group);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(8);
    label->setBuddy(*fields.begin());
    layout->addWidget(label);
    for (QWidget* const field : fields) layout->addWidget(field);
    flow->addWidget(group);
  };
  choose(new QLabel(tr("&x")), {m_axis});
  choose(new QLabel(tr("S&moothing")), {m_smoothing, m_weight});
  choose(new QLabel(tr("&Deviation")), {m_deviation, m_units});
  choose(m_optimizerLabel, {m_optimizer});
  m_hint->setForegroundRole(QPalette::PlaceholderText);
  m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  flow->addOptional(m_hint);
  m_layoutButton->setToolTip(tr("Which charts are shown, and in how many columns"));
  connect(m_layoutButton, &QPushButton::clicked, this,
          [this] { m_menu->popup(m_layoutButton->mapToGlobal(m_layoutButton->rect().bottomLeft())); });
  row->addWidget(m_layoutButton, 0, Qt::AlignTop);
}

/// Legends that do not say the newest values must not look as if they did.
void RunCharts::tellCursor() {
  const std::optional<double> position = m_cursor->position();
  if (!position) return m_hint->setText(hintText());
  const QString where = plot::positionText(*position);
  const std::array<QString, kXAxes> notes = {
      tr("Cursor at step %1 on all charts"), tr("Cursor at update %1 on all charts"),
      tr("Cursor at sample %1 on all charts"), tr("Cursor at %1 s on all charts")};
  const QString note = notes.at(static_cast<std::size_t>(m_axis->currentIndex())).arg(where);
  const bool isSmoothed = m_smoothing->currentIndex() != NoSmoothing;
  m_hint->setText(isSmoothed ? tr("%1: measured values").arg(note) : note);
}

void RunCharts::makeChoosers() {
  m_axis->addItems({tr("Attempted step"), tr("Applied update"), tr("Samples"), tr("Wall time")});
  m_axis->setAccessibleName(tr("What the curves are drawn against"));
  connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (m_data != nullptr) m_data->setAxis(static_cast<XAxis>(index));
    m_navigation->startOver(expectedRange());
    for (const auto& [chart, view] : m_plots) link(chart, *view);
    choiceChanged();
  });
  m_smoothing->addItems({tr("None"), tr("EMA, de-biased"), tr("Running mean")});
  m_smoothing->setCurrentIndex(Average);
  m_smoothing->setAccessibleName(tr("Smoothing"));
  m_weight->setAccessibleName(tr("Strength of the smoothing"));
  connect(m_smoothing, &QComboBox::currentIndexChanged, this, &RunCharts::chooseSmoothing);
  connect(m_weight, &QDoubleSpinBox::valueChanged, this, &RunCharts::choiceChanged);
  m_deviation->addItems({tr("Trajectory"), tr("Shadow")});
  m_deviation->setAccessibleName(tr("Which deviation"));
  m_deviation->setItemData(0, tr("Both runs as they went: rounding and what it led to"), Qt::ToolTipRole);
  m_deviation->setItemData(1, tr("The same weights in both precisions: rounding alone"), Qt::ToolTipRole);
  m_units->addItems({tr("\u00D7 yardstick"), tr("As measured")});
  m_units->setAccessibleName(tr("Unit of deviations"));
  m_units->setItemData(
      0, tr("Multiples of the run-to-run spread (trajectory) or of the rounding floor (shadow), where it was measured"),
      Qt::ToolTipRole);
  connect(m_deviation, &QComboBox::currentIndexChanged, this, &RunCharts::choiceChanged);
  connect(m_units, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_wantsMultiples = index == Multiples;
    choiceChanged();
  });
  m_optimizer->addItem(tr("all optimizers"));
  m_optimizer->setAccessibleName(tr("Whose skipped steps are shown"));
  m_optimizer->hide();
  m_optimizerLabel->hide();
  connect(m_optimizer, &QComboBox::currentIndexChanged, this, [this] {
    updateMarks();
    Q_EMIT redrawNeeded();
  });
  chooseSmoothing();
}

void RunCharts::chooseSmoothing() {
  const QSignalBlocker blocker(m_weight);
  const bool mean = m_smoothing->currentIndex() == RunningMean;
  m_weight->setDecimals(mean ? 0 : 2);
  m_weight->setRange(mean ? 1 : 0, mean ? plot::Smoothing::kLargestWindow : 0.99);
  m_weight->setSingleStep(mean ? 10 : 0.05);
  m_weight->setSuffix(mean ? tr(" steps") : QString());
  m_weight->setValue(mean ? 50 : 0.9);
  m_weight->setEnabled(m_smoothing->currentIndex() != NoSmoothing);
  m_weight->setToolTip(mean ? tr("Mean of so many steps") : tr("Weight of the past"));
  choiceChanged();
}

plot::Smoothing RunCharts::smoothing() const {
  plot::Smoothing smoothing;
  if (m_smoothing->currentIndex() == Average) {
    smoothing.kind = plot::Smoothing::Kind::Exponential;
    smoothing.weight = m_weight->value();
  } else if (m_smoothing->currentIndex() == RunningMean) {
    smoothing.kind = plot::Smoothing::Kind::RunningMean;
    smoothing.window = static_cast<std::size_t>(m_weight->value());
  }
  return smoothing;
}

ChartChoices RunCharts::choices() const {
  ChartChoices choices;
  choices.axis = static_cast<XAxis>(m_axis->currentIndex());
  choices.comparison = static_cast<Comparison>(m_deviation->currentIndex());
  choices.multiples = m_wantsMultiples;
  choices.smoothing = smoothing();
  choices.live = m_live;
  return choices;
}

plot::PlotView* RunCharts::makeView(Chart chart) {
  auto* const view = new plot::PlotView(idOf(chart));
  // Legends take as many rows as they need: what is drawn below them keeps its height.
  view->setMinimumWidth(220);
  view->canvas()->setMinimumHeight(kLeastHeight);
  connect(view, &plot::PlotView::redrawNeeded, this, &RunCharts::redrawNeeded);
  connect(view, &plot::PlotView::markActivated, this, &RunCharts::stepChosen);
  connect(view, &plot::PlotView::nonFiniteActivated, this, [this, chart](double x) { chooseNonFinite(chart, x); });
  connect(view, &plot::PlotView::exportFailed, this, &RunCharts::exportFailed);
  link(chart, *view);
  return view;
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
  const int columns = std::min(m_menu->columns(), static_cast<int>(wanted.size()));
  const int rows = (static_cast<int>(wanted.size()) + columns - 1) / columns;
  for (int i = 0; i < std::max(rows, m_grid->rowCount()); ++i) m_grid->setRowStretch(i, i < rows ? 1 : 0);
  for (int i = 0; i < std::max(columns, m_grid->columnCount()); ++i) m_grid->setColumnStretch(i, i < columns ? 1 : 0);
  int place = 0;
  QWidget* before = m_layoutButton;
  for (const Chart chart : wanted) {
    plot::PlotView*& view = m_plots[chart];
    if (view == nullptr) view = makeView(chart);
    m_grid->addWidget(view, place / columns, place % columns);
    view->show();
    QWidget::setTabOrder(before, view);
    before = view;
    ++place;
  }
  rebuild();
  Q_EMIT redrawNeeded();
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
  content.describeMark = [this](const plot::PlotMark& mark) {
    const ArmData* const arm = m_data == nullptr ? nullptr : m_data->arm(mark.source);
    const Skip* const skip = arm == nullptr ? nullptr : arm->skipAt(mark.step);
    return skip == nullptr ? QString() : markText(*arm, *skip);
  };
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

void RunCharts::offerOptimizers() {
  std::size_t most = 0;
  if (m_data != nullptr) {
    for (const ArmData* const arm : m_data->shown()) most = std::max(most, arm->optimizers());
  }
  m_optimizer->setVisible(most > 1);
  m_optimizerLabel->setVisible(most > 1);
  QStringList names;
  for (std::size_t i = 0; most > 1 && i < most; ++i) names << m_data->optimizerName(i);
  const auto isNamed = [&] {
    if (m_optimizer->count() != names.size() + 1) return false;
    for (int i = 0; i < names.size(); ++i) {
      if (m_optimizer->itemText(i + 1) != names[i]) return false;
    }
    return true;
  };
  if (isNamed()) return;
  const QSignalBlocker blocker(m_optimizer);
  const int chosen = m_optimizer->currentIndex();
  while (m_optimizer->count() > 1) m_optimizer->removeItem(1);
  m_optimizer->addItems(names);
  if (chosen < m_optimizer->count()) m_optimizer->setCurrentIndex(chosen);
}

/// Where there is no yardstick, nothing is offered that would do nothing; what a person chose holds where there is one.
void RunCharts::offerMultiples() {
  const auto comparison = static_cast<Comparison>(m_deviation->currentIndex());
  const bool isTrajectory = comparison == Comparison::Trajectory;
  bool isMeasured = false;
  bool isOffered = false;
  for (std::size_t i = 0; i < kMeasures && m_data != nullptr; ++i) {
    const std::optional<Yardstick> yardstick = m_data->yardstick(deviation(static_cast<Measure>(i), comparison));
    isMeasured = isMeasured || yardstick;
    isOffered = isOffered || (yardstick && yardstick->isUsable());
  }
  // Those that are to come count as well.
  if (!isMeasured && m_experiment && m_data != nullptr && (m_live || m_data->steps() == 0)) {
    const spec::Reference& reference = m_experiment->reference;
    isOffered = (isTrajectory ? reference.repeats : reference.rounding_repeats) > 0;
  }
  const int shown = isOffered && m_wantsMultiples ? Multiples : AsMeasured;
  if (m_units->currentIndex() != shown) {
    const QSignalBlocker blocker(m_units);
    m_units->setCurrentIndex(shown);
  }
  m_units->setEnabled(isOffered);
  m_units->setToolTip(isOffered ? QString() : whyNoMultiples(isTrajectory, isMeasured));
}

void RunCharts::nameOptimizers() {
  if (m_data == nullptr) return;
  std::vector<QString> kinds;
  if (m_experiment) {
    for (const spec::Optimizer& optimizer : m_experiment->training.optimizers) {
      kinds.push_back(QString::fromStdString(to_text(optimizer.kind)));
    }
  }
  m_data->setOptimizerKinds(std::move(kinds));
}

void RunCharts::closeTables() {
  for (const auto& [chart, view] : m_plots) view->setTableShown(false);
}

std::vector<plot::PlotMark> RunCharts::marksOf(const ArmData& arm, std::size_t firstSkip) const {
  const auto axis = static_cast<std::size_t>(m_axis->currentIndex());
  const auto optimizer =
      m_optimizer->currentIndex() <= 0 ? std::nullopt : std::optional<qint64>(m_optimizer->currentIndex() - 1);
  std::vector<plot::PlotMark> marks;
  for (std::size_t i = firstSkip; i < arm.skips().size(); ++i) {
    const Skip& skip = arm.skips()[i];
    if (skip.isOf(optimizer)) marks.push_back({skip.x[axis], skip.step, {}, {}, arm.arm().id});
  }
  return marks;
}

/// All of them anew.
void RunCharts::updateMarks() {
  m_marked.clear();
  std::vector<plot::PlotMark> marks;
  qint64 left = 0;  // calibrations
  if (m_data != nullptr) {
    for (const ArmData* const arm : m_data->shown()) {
      m_marked[arm->arm().id] = {arm->skips().size(), arm->skipsBy(record::SkipCause::Calibration)};
      left += arm->skipsBy(record::SkipCause::Calibration);
      const std::vector<plot::PlotMark> own = marksOf(*arm, 0);
      marks.insert(marks.end(), own.begin(), own.end());
    }
  }
  std::stable_sort(marks.begin(), marks.end(), isBefore);
  qint64 calibrations = 0;
  plot::PlotMark* first = nullptr;
  for (auto mark = marks.begin(); mark != marks.end() && left > 0; ++mark) {
    const Skip* const skip = m_data->arm(mark->source)->skipAt(mark->step);
    if (skip == nullptr || skip->cause != record::SkipCause::Calibration) continue;
    if (first == nullptr) first = &*mark;
    ++calibrations;
    --left;
  }
  if (first != nullptr) first->label = tr("%1 calibration").arg(models::figure(report::count_words(calibrations)));
  for (const auto& [chart, view] : m_plots) {
    if (hasMarks(chart)) view->setMarks(marks);
  }
}

/// Those that are new: a run may have a hundred thousand, and get more with every step.
void RunCharts::addMarks() {
  std::vector<plot::PlotMark> marks;
  for (const ArmData* const arm : m_data->shown()) {
    Marked& marked = m_marked[arm->arm().id];
    const qint64 calibrations = arm->skipsBy(record::SkipCause::Calibration);
    if (arm->skips().size() < marked.skips || calibrations != marked.calibrations) return updateMarks();
    const std::vector<plot::PlotMark> own = marksOf(*arm, marked.skips);
    marks.insert(marks.end(), own.begin(), own.end());
    marked.skips = arm->skips().size();
  }
  std::stable_sort(marks.begin(), marks.end(), isBefore);
  for (const auto& [chart, view] : m_plots) {
    if (hasMarks(chart)) view->addMarks(marks);
  }
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
  return milliseconds;
}

QByteArray RunCharts::saveLayout() const {
  QJsonArray charts;
  for (const Chart chart : m_menu->charts()) charts << idOf(chart);
  const QJsonObject layout = {{QStringLiteral("charts"), charts},
                              {QStringLiteral("columns"), m_menu->columns()},
                              {QStringLiteral("axis"), m_axis->currentIndex()},
                              {QStringLiteral("smoothing"), m_smoothing->currentIndex()},
                              {QStringLiteral("weight"), m_weight->value()},
                              {QStringLiteral("deviation"), m_deviation->currentIndex()},
                              {QStringLiteral("units"), m_wantsMultiples ? Multiples : AsMeasured}};
  return QJsonDocument(layout).toJson(QJsonDocument::Compact);
}

void RunCharts::restoreLayout(const QByteArray& bytes) {
  const QJsonObject layout = QJsonDocument::fromJson(bytes).object();
  std::vector<Chart> charts;
  for (const auto& id : layout[QLatin1String("charts")].toArray()) {
    if (const std::optional<Chart> chart = chartOfId(id.toString())) charts.push_back(*chart);
  }
  // What a layout does not say is as on a new page.
  const auto restore = [&layout](const char* name, QComboBox* chooser, int usual = 0) {
    const int index = layout[QLatin1String(name)].toInt(usual);
    if (index >= 0 && index < chooser->count()) chooser->setCurrentIndex(index);
  };
  restore("axis", m_axis);
  restore("smoothing", m_smoothing, Average);
  if (layout.contains(QLatin1String("weight"))) m_weight->setValue(layout[QLatin1String("weight")].toDouble());
  restore("deviation", m_deviation);
  m_wantsMultiples = layout[QLatin1String("units")].toInt(Multiples) != AsMeasured;
  choiceChanged();
  m_menu->choose(charts, layout[QLatin1String("columns")].toInt(2));
  chooseCharts();
  if (bytes.isEmpty()) closeTables();
}

void RunCharts::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) Q_EMIT redrawNeeded();
}

}  // namespace mantissa::ui::run
