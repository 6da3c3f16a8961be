// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/memory_page.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/spec/parse.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/ledger_solver.h"
#include "ui/memory/typed_view.h"
#include "ui/models/name_words.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/shell/strip_place.h"
#include "ui/worker/training_controller.h"

namespace mantissa::ui::memory {

MemoryPage::MemoryPage(QWidget* parent)
    : shell::Page(parent),
      m_otherValues(TypedValues::example()),
      m_solver(new LedgerSolver(this)),
      m_loader(new CalibrationLoader(this)),
      m_strips(new shell::MessageStrips),
      m_stripPlace(new shell::StripPlace),
      m_strip(new shell::GlanceStrip(kStatements)),
      m_controls(new LedgerControls),
      m_results(new LedgerResults) {
  makeLayout();
  m_redraw.setSingleShot(true);
  connect(&m_redraw, &QTimer::timeout, this, [this] { m_results->redraw(); });
  connect(m_results, &LedgerResults::redrawNeeded, this, &MemoryPage::redrawSoon);
  connect(m_results, &LedgerResults::timeTyped, this, &MemoryPage::takeTime);
  connect(m_controls, &LedgerControls::edited, this, &MemoryPage::recompute);
  connect(m_controls, &LedgerControls::ledgerChosen, this, &MemoryPage::showSavedLedger);
  connect(m_controls, &LedgerControls::ledgerNameEdited, this, &MemoryPage::enableActions);
  connect(m_controls, &LedgerControls::sourceChosen, this, &MemoryPage::changeSource);
  constexpr int kKeepAfter = 500;  // ms: what is typed is kept when the hand rests
  constexpr int kPatience = 100;   // ms: what is sooner there than the eye needs no word
  m_keep.setSingleShot(true);
  m_keep.setInterval(kKeepAfter);
  connect(&m_keep, &QTimer::timeout, this, &MemoryPage::keepState);
  m_patience.setSingleShot(true);
  m_patience.setInterval(kPatience);
  connect(&m_patience, &QTimer::timeout, this, [this] {
    if (m_solver->arePlansAsked()) m_solved.reset();
    if (m_solver->isBusy()) showTraced();
  });
  connect(m_solver, &LedgerSolver::ledgerAnswered, this, [this](const std::shared_ptr<const TracedAnswer>& answer) {
    m_tracedAnswer = answer;
    if (!m_isAsking) showTraced();  // who asks shows it
  });
  connect(m_solver, &LedgerSolver::plansAnswered, this, [this](const std::shared_ptr<const SolverAnswer>& answer) {
    m_solved = answer;
    showTraced();
  });
  connect(m_loader, &CalibrationLoader::loaded, this, &MemoryPage::takePairs);
  showCalibration(*m_results->calibration(), m_pairs);
  listenToCharts();
  setValues(TypedValues::example());
}

void MemoryPage::makeLayout() {
  auto* const area = new QScrollArea;
  area->setWidget(m_results);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);  // what is in it has the keyboard, and brings itself into view
  area->setAccessibleName(tr("Results"));
  auto* const columns = new QHBoxLayout;
  columns->setSpacing(8);
  columns->addWidget(m_controls);
  auto* const results = new QVBoxLayout;
  results->setSpacing(0);
  results->addWidget(area, 1);
  m_stripPlace->add(m_strips);
  results->addWidget(m_stripPlace);
  columns->addLayout(results, 1);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_strip);
  layout->addLayout(columns, 1);
}

void MemoryPage::listenToCharts() {
  for (plot::ChartWidget* const chart : m_results->charts()) {
    connect(chart, &plot::ChartWidget::exportAsked, this, [this, chart] {
      if (m_settings != nullptr) chart->setExportFolder(m_settings->startFolder(QStringLiteral("export"), {}));
    });
    connect(chart, &plot::ChartWidget::exported, this, [this](const QString& path) {
      if (m_settings != nullptr) m_settings->setFolderOf(QStringLiteral("export"), path);
      m_strips->dismiss(QString::fromLatin1(kExportTopic));
      const QString sentence = tr("Written to %1").arg(QDir::toNativeSeparators(path));
      spdlog::info("{}", sentence.toStdString());
      Q_EMIT told(sentence);
    });
    connect(chart, &plot::ChartWidget::exportFailed, this, [this](const QString& sentence) {
      spdlog::warn("{}", sentence.toStdString());
      m_strips->show(shell::MessageStrip::Kind::Failure, sentence, QString::fromLatin1(kExportTopic));
    });
  }
}

void MemoryPage::useActions(shell::ActionList& actions) {
  m_actions = &actions;
  if (const QAction* const toggle = actions.find(QStringLiteral("toggle_controls"))) {
    connect(toggle, &QAction::triggered, this, [this] {
      if (isVisibleTo(window())) m_controls->setVisible(m_controls->isHidden());
    });
  }
  m_solve = actions.add(
      QStringLiteral("memory_solve"), tr("Tools"), tr("&Solve"), QKeySequence(tr("Ctrl+Shift+B")),
      tr("Goes to the plan that fits the device and finishes soonest; traces the experiment first where it is not "
         "traced yet"),
      [this] { solve(); });
  m_controls->addAction(m_solve);
  m_save = actions.add(
      QStringLiteral("memory_save_ledger"), tr("Tools"), tr("&Keep ledger"), QKeySequence(tr("Ctrl+Alt+S")),
      tr("Keeps what is typed, or what came of the traced steps, under the name that stands in the field Ledger"),
      [this] { saveLedger(); });
  m_controls->addAction(m_save);
  m_forget = actions.add(QStringLiteral("memory_forget_ledger"), tr("Tools"), tr("&Forget the kept ledger"),
                         QKeySequence(tr("Ctrl+Alt+L")),
                         tr("The name in the field Ledger, and what was saved under it"), [this] { forgetLedger(); });
  m_usePlan = actions.add(QStringLiteral("memory_use_plan"), tr("Tools"), tr("&Use this plan"),
                          QKeySequence(tr("Ctrl+Shift+U")),
                          tr("Writes microbatch, accumulation and activation checkpointing of the selected plan into "
                             "the experiment's text, to be looked at and saved"),
                          [this] { usePlan(); });
  m_results->addPlanAction(m_usePlan);
  connect(m_results, &LedgerResults::planSelected, this, &MemoryPage::enableActions);
  enableActions();
}

bool MemoryPage::takeStrips(shell::MessageStrips& strips) {
  m_stripPlace->add(&strips);
  return true;
}

TypedValues MemoryPage::values() const {
  TypedValues values = m_controls->values();
  values.times = m_times;
  return values;
}

void MemoryPage::setValues(const TypedValues& values) {
  m_times = values.times;
  m_controls->setValues(values);
  recompute();
}

bool MemoryPage::isSettled() const { return !m_redraw.isActive() && !m_solver->isBusy() && !m_isTracing; }

QByteArray MemoryPage::saveLayout() const { return m_controls->isHidden() ? QByteArray("hidden") : QByteArray(); }

void MemoryPage::restoreLayout(const QByteArray& layout) { m_controls->setHidden(layout == "hidden"); }

bool MemoryPage::isOfExperiment() const { return m_controls->source() == LedgerControls::Source::Experiment; }

void MemoryPage::recompute() {
  if (isOfExperiment()) {
    recomputeTraced();
  } else {
    recomputeTyped();
  }
}

void MemoryPage::recomputeTyped() {
  const TypedValues typed = values();
  m_answer = answerOf(typed);
  m_controls->showAnswer(m_answer);
  m_shown = shownOf(typed, m_answer, m_controls->ledgerName());
  showShown();
}

void MemoryPage::setArchive(const QString& path, const models::TrialList& trials) {
  const auto hasEnded = [](const record::TrialRow& arm) { return arm.end.status != record::Status::Running; };
  const int ended = trials ? static_cast<int>(std::count_if(trials->begin(), trials->end(), hasEnded)) : 0;
  if (path == m_archive && ended == m_endedTrials) return;
  m_archive = path;
  m_endedTrials = ended;
  m_loader->load(ended > 0 ? path : QString());
}

void MemoryPage::takePairs(const MemoryPairs& pairs) {
  m_pairs = pairs;
  showCalibration(*m_results->calibration(), m_pairs);
  recompute();
}

void MemoryPage::showShown() {
  // Pairs are of traced steps: of typed sums they say nothing. A warning about this very trace comes before them.
  if (isOfExperiment() && m_shown.statements[5].state != shell::Statement::State::Warn) {
    if (const std::optional<shell::Statement> trust = trustOf(m_pairs)) m_shown.statements[5] = *trust;
  }
  m_strip->setStatements(m_shown.statements);
  m_results->showLedger(m_shown);
  showComparison();
  enableActions();
  redrawSoon();
  if (m_settings != nullptr) m_keep.start();
}

/// Each source keeps what was typed for it.
void MemoryPage::changeSource() {
  TypedValues now = values();
  std::swap(now, m_otherValues);
  m_times = now.times;
  m_controls->setValues(now);
  recompute();
}

void MemoryPage::openExperiment(const QString& path) {
  try {
    takeExperiment(std::make_shared<const spec::Experiment>(spec::read_experiment(path.toStdString())));
  } catch (const Error&) {
    takeExperiment(nullptr);  // the Run page says why
  }
}

void MemoryPage::readAgain(const QString& path) {
  if (!m_experiment || QFileInfo(QString::fromStdString(m_experiment->file)) != QFileInfo(path)) return;
  m_strips->dismiss(QString::fromLatin1(kPlanTopic));  // it is saved
  openExperiment(path);
}

void MemoryPage::takeExperiment(std::shared_ptr<const spec::Experiment> experiment) {
  const bool wasOfExperiment = isOfExperiment();
  if (m_isTracing) cancelTrace();
  // Arms of another experiment may have the same names, and take other times.
  const bool isOther = !m_experiment || !experiment || m_experiment->file != experiment->file;
  if (isOther) (wasOfExperiment ? m_times : m_otherValues.times).clear();
  m_experiment = std::move(experiment);
  const bool isRestored = m_experiment && !m_restored.file.isEmpty() &&
                          QFileInfo(m_restored.file) == QFileInfo(QString::fromStdString(m_experiment->file));
  m_traced.reset();
  forgetAnswers();
  m_controls->setArms({}, -1);
  m_controls->offerExperiment(m_experiment ? QString::fromStdString(m_experiment->name) : QString());
  if (wasOfExperiment && !m_experiment) return changeSource();
  if (isRestored) return restoreExperiment();
  recompute();
}

void MemoryPage::useController(worker::TrainingController* controller) {
  m_controller = controller;
  using worker::TrainingController;
  connect(controller, &TrainingController::memoryTraceReached, this, [this](bool withOther) {
    if (std::exchange(m_isTraceWaiting, false)) recompute();
    tellTrace(withOther ? tr("Tracing steps of %1: every arm with the other activation checkpointing.")
                        : tr("Tracing steps of %1: every arm at several microbatches."));
  });
  connect(controller, &TrainingController::memoryTraced, this, &MemoryPage::takeTraced);
  connect(controller, &TrainingController::memoryTraceFailed, this, [this](const worker::JobFailure& failure) {
    m_isTracing = false;
    spdlog::warn("{}", failure.sentence.toStdString());
    m_strips->show(shell::MessageStrip::Kind::Failure, failure.sentence, QString::fromLatin1(kTraceTopic));
    recompute();
  });
  connect(controller, &TrainingController::memoryTraceStopped, this, &MemoryPage::traceStopped);
  connect(controller, &QObject::destroyed, this, [this] { m_controller = nullptr; });
}

void MemoryPage::redrawSoon() {
  if (!m_redraw.isActive()) m_redraw.start(0);
}

void MemoryPage::solve() {
  if (isOfExperiment() && m_isTracing) return cancelTrace();
  if (isOfExperiment() && !m_traced) return trace();
  if (m_shown.plans.plans.empty()) return;
  m_results->selectPlan(m_shown.plans.best.value_or(0));
  m_results->plans()->table()->setFocus(Qt::OtherFocusReason);
}

void MemoryPage::useSettings(shell::Settings& settings) {
  m_settings = &settings;
  m_store = LedgerStore::fromJson(settings.ledgers());
  m_controls->offerLedgers(m_store.names(), {});
  restoreState();
  enableActions();
}

QString MemoryPage::whyNoPlan() const {
  if (isOfExperiment() && m_solver->arePlansAsked()) return tr("Plans are being worked out.");
  if (m_shown.plans.plans.empty()) return m_shown.why.isEmpty() ? m_shown.plans.emptyText : m_shown.why;
  const std::optional<std::size_t> plan = m_results->selectedPlan();
  if (!plan || *plan >= m_shown.plans.plans.size()) return tr("Select a plan in the table first.");
  if (!m_shown.plans.plans[*plan].fits) return tr("The selected plan does not fit the device.");
  if (!m_experiment) return tr("Open an experiment file first: a plan is written into one.");
  return {};
}

void MemoryPage::usePlan() {
  if (!whyNoPlan().isEmpty()) return;
  const engine::Plan plan = m_shown.plans.plans[*m_results->selectedPlan()];
  const bool isCheckpointed = m_shown.plans.checkpointing[plan.option];
  const QString file = QString::fromStdString(m_experiment->file);
  if (isOfExperiment()) return writePlan(file, plan, isCheckpointed);
  // Typed values are of no experiment: which one they change is for a person to say.
  shell::MessageStrip* const strip =
      m_strips->show(shell::MessageStrip::Kind::Note,
                     tr("This plan is of typed values. Write it into %1, the experiment that is open? It changes %2.")
                         .arg(models::isolated(QFileInfo(file).fileName()), planChanges(plan, isCheckpointed)),
                     QString::fromLatin1(kPlanTopic));
  auto* const write = new QAction(tr("Write into %1").arg(QFileInfo(file).fileName()), strip);
  connect(write, &QAction::triggered, this,
          [this, file, plan, isCheckpointed] { writePlan(file, plan, isCheckpointed); });
  strip->addWayOut(write);
}

void MemoryPage::writePlan(const QString& file, const engine::Plan& plan, bool isCheckpointed) {
  const QString changes = m_experiment ? planChanges(plan, isCheckpointed) : QString();
  Q_EMIT planRequested(file, plan.microbatch, plan.accumulation, isCheckpointed);
  const QString sentence = tr("The plan %1 × %2 stands in the editor of %3 and is not saved yet: %4.")
                               .arg(countText(plan.microbatch), countText(plan.accumulation),
                                    models::isolated(QFileInfo(file).fileName()), changes);
  spdlog::info("{}", sentence.toStdString());
  m_strips->show(shell::MessageStrip::Kind::Note, sentence, QString::fromLatin1(kPlanTopic));
}

/// The keys that a plan sets, and what they were in the file.
QString MemoryPage::planChanges(const engine::Plan& plan, bool isCheckpointed) const {
  const spec::Training& training = m_experiment->training;
  const auto count = [](std::int64_t number) { return QString::number(number); };
  const auto switched = [](bool isOn) { return isOn ? QStringLiteral("\"blocks\"") : QStringLiteral("\"off\""); };
  const bool wasCheckpointed = training.activation_checkpointing == spec::ActivationCheckpointing::Blocks;
  QStringList changes;
  const auto add = [&changes](const char* key, const QString& before, const QString& after) {
    if (before != after) changes << tr("%1 from %2 to %3").arg(QLatin1String(key), before, after);
  };
  add("training.batch", training.batch ? count(*training.batch) : tr("its default"), count(plan.microbatch));
  add("training.accumulate", count(training.accumulate), count(plan.accumulation));
  add("training.activation_checkpointing", switched(wasCheckpointed), switched(isCheckpointed));
  return changes.isEmpty() ? tr("nothing: the file has it so") : changes.join(QStringLiteral(", "));
}

/// Empty forgets the time. Others of the same plan give way to it.
void MemoryPage::takeTime(std::size_t plan, const QString& text) {
  if (plan >= m_shown.plans.plans.size()) return;
  const engine::Plan& chosen = m_shown.plans.plans[plan];
  TypedTime time;
  time.step = {chosen.microbatch, chosen.accumulation, 0.0};
  if (isOfExperiment()) {
    const session::ArmForecast& forecast = m_traced->forecasts[chosen.option];
    time.arm = QString::fromStdString(forecast.arm);
    time.isCheckpointed = forecast.activation_checkpointing;
  } else {
    time.policy = m_answer.options[chosen.option].policy;
    time.isCheckpointed = m_answer.options[chosen.option].isCheckpointed;
  }
  const std::optional<double> seconds = number_from_text(withDecimalPoint(text).trimmed().toStdString());
  if (!text.trimmed().isEmpty() && !(seconds && std::isfinite(*seconds) && *seconds > 0)) {
    m_strips->show(shell::MessageStrip::Kind::Warning,
                   tr("Time of a step: found '%1', expected seconds above 0, with a decimal point.").arg(text),
                   QString::fromLatin1(kTimeTopic));
    return;
  }
  m_strips->dismiss(QString::fromLatin1(kTimeTopic));
  const auto isSame = [&time](const TypedTime& other) { return time.isSamePlan(other); };
  m_times.erase(std::remove_if(m_times.begin(), m_times.end(), isSame), m_times.end());
  if (seconds && !text.trimmed().isEmpty()) {
    time.step.seconds = *seconds;
    m_times.push_back(time);
  }
  recompute();
}

void MemoryPage::enableActions() {
  if (m_actions == nullptr) return;
  // The way to cancel stays on the page, whatever becomes of the strip; nor does a button lose the keyboard that began
  // the trace.
  const bool canTrace = isOfExperiment() && !m_traced && m_controller != nullptr;
  const QString solve = canTrace && m_isTracing ? tr("&Cancel the trace") : tr("&Solve");
  if (m_solve->text() != solve) m_solve->setText(solve);
  const bool hasPlans = !m_shown.plans.plans.empty();
  m_actions->setEnabled(m_solve, hasPlans || canTrace, m_shown.why.isEmpty() ? m_shown.plans.emptyText : m_shown.why);
  const QString whyNot = whyNoPlan();
  const QString whyNotKept = this->whyNotKept();
  m_actions->setEnabled(m_save, whyNotKept.isEmpty(), whyNotKept);
  m_actions->setEnabled(m_forget, m_store.find(m_controls->ledgerName()) != nullptr,
                        tr("No ledger of this name is kept."));
  m_actions->setEnabled(m_usePlan, whyNot.isEmpty(), whyNot);
}

void MemoryPage::hideEvent(QHideEvent* event) {
  shell::Page::hideEvent(event);
  if (m_keep.isActive()) keepState();
}

void MemoryPage::showEvent(QShowEvent* event) {
  shell::Page::showEvent(event);
  redrawSoon();
}

void MemoryPage::changeEvent(QEvent* event) {
  shell::Page::changeEvent(event);
  // Colours of the pictures' keys and curves are part of what is shown.
  if (event->type() == QEvent::PaletteChange && !m_shown.statements.empty()) {
    m_results->showLedger(m_shown);
    redrawSoon();
  }
}

}  // namespace mantissa::ui::memory
