// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_page.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QEventLoop>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/user_folders.h"
#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/run/counters_table.h"
#include "ui/run/experiment_loader.h"
#include "ui/run/experiment_summary.h"
#include "ui/run/glance_strip.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_controls.h"
#include "ui/run/step_panel.h"
#include "ui/shell/action_list.h"
#include "ui/shell/empty_state.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::run {
namespace {

constexpr int kLively = 33;    // ms: steps come, or a person does something
constexpr int kHidden = 330;   // ms: steps are taken and not drawn
constexpr int kWaiting = 200;  // ms: an arm runs, and nothing has come
constexpr char kFileTopic[] = "experiment";
constexpr char kRunTopic[] = "run";
constexpr char kArchiveTopic[] = "archive";

}  // namespace

RunPage::RunPage(worker::EngineFactory engine, QWidget* parent)
    : shell::Page(parent),
      m_controller(new worker::TrainingController(std::move(engine), this)),
      m_loader(new ExperimentLoader(this)),
      m_shown(&m_archiveData),
      m_stack(new QStackedLayout(this)),
      m_empty(new shell::EmptyState(
          tr("Nothing runs yet"),
          tr("This page runs an experiment and shows loss, loss scale, skipped steps and deviation live. Open an "
             "experiment file, or select an arm in the archive on the left."))),
      m_strips(new shell::MessageStrips),
      m_strip(new GlanceStrip),
      m_controls(new RunControls),
      m_charts(new RunCharts),
      m_counters(new CountersTable),
      m_countersNote(new QLabel),
      m_stepPanel(new StepPanel(this)) {
  makeLayout();
  listenToController();
  connect(m_loader, &ExperimentLoader::loaded, this,
          [this](std::int64_t experiment, const std::shared_ptr<const spec::Experiment>& what) {
            if (experiment != m_followed) return;
            m_archived = what;
            if (m_view == View::Archive) showView(View::Archive);
          });
  connect(m_charts, &RunCharts::redrawNeeded, this, &RunPage::wake);
  const auto showStep = [this](qint64 step) { m_stepPanel->showStep(*m_shown, step); };
  connect(m_charts, &RunCharts::stepChosen, this, showStep);
  connect(m_counters, &CountersTable::skipChosen, this, showStep);
  connect(m_charts, &RunCharts::exportFailed, this,
          [this](const QString& sentence) { showFailure(sentence, QStringLiteral("export")); });
  m_clock.setTimerType(Qt::PreciseTimer);
  connect(&m_clock, &QTimer::timeout, this, &RunPage::tick);
}

RunPage::~RunPage() {
  // Both threads end while everything that they tell of is still here.
  m_follower.reset();
  m_controller->disconnect(this);
  delete m_controller;
}

void RunPage::makeLayout() {
  auto* const results = new QVBoxLayout;
  results->setSpacing(8);
  results->addWidget(m_charts, 1);
  auto* const heading = new QHBoxLayout;
  auto* const title = new QLabel(tr("Counters"));
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  m_countersNote->setForegroundRole(QPalette::PlaceholderText);
  heading->addWidget(title);
  heading->addStretch(1);
  heading->addWidget(m_countersNote);
  results->addLayout(heading);

  results->addWidget(m_counters);

  auto* const columns = new QHBoxLayout;
  columns->setSpacing(16);
  columns->addWidget(m_controls);
  columns->addLayout(results, 1);
  auto* const body = new QWidget;
  auto* const layout = new QVBoxLayout(body);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_strip);
  layout->addWidget(m_strips);
  layout->addLayout(columns, 1);
  m_stack->addWidget(body);
  m_stack->addWidget(m_empty);
  m_stack->setCurrentWidget(m_empty);
}

void RunPage::useActions(shell::ActionList& actions) {
  m_actions = &actions;
  const QString group = tr("Run");
  m_runAction = actions.add(QStringLiteral("run"), group, tr("&Run"), QKeySequence(tr("F5")),
                            tr("Runs the experiment that is open"), [this] { run(); });
  m_pauseAction = actions.add(QStringLiteral("run_pause"), group, tr("&Pause"), QKeySequence(tr("Ctrl+Space")),
                              tr("Holds the run before its next step, or lets it go on"), [this] { pauseOrResume(); });
  m_stopAction =
      actions.add(QStringLiteral("run_stop"), group, tr("&Stop"), QKeySequence(tr("Shift+F5")),
                  tr("Ends the run; its last complete step becomes a checkpoint"), [this] { m_controller->stop(); });
  m_stepAction =
      actions.add(QStringLiteral("run_step"), group, tr("S&tep"), QKeySequence(tr("F6")),
                  tr("Makes one step of all arms while the run is paused"), [this] { m_controller->stepOnce(); });
  m_controls->addAction(m_runAction, QStringLiteral("media-playback-start"));
  m_controls->addAction(m_pauseAction, QStringLiteral("media-playback-pause"));
  m_controls->addAction(m_stopAction, QStringLiteral("media-playback-stop"));
  m_controls->addAction(m_stepAction, QStringLiteral("media-skip-forward"));
  m_editAction = actions.add(QStringLiteral("edit_experiment"), group, tr("&Edit…"), QKeySequence(tr("Ctrl+E")),
                             tr("Opens the experiment that is shown in an editor"), [this] { requestEdit(); });
  m_controls->setEditAction(m_editAction);
  m_empty->addAction(actions.find(QStringLiteral("open")));
  enableActions();
}

void RunPage::listenToController() {
  using worker::TrainingController;
  connect(m_controller, &TrainingController::jobStarted, this, &RunPage::beginOwnRun);
  connect(m_controller, &TrainingController::stateChanged, this, [this] {
    m_isNew = true;
    enableActions();
    wake();
  });
  connect(m_controller, &TrainingController::phaseBegan, this, [this](worker::JobId, const QString& phase) {
    m_phase = phase;
    m_isNew = true;
    wake();
  });
  connect(m_controller, &TrainingController::armsOpened, this,
          [this](worker::JobId, const std::vector<record::TrialRow>& arms) {
            m_ownData.setArms(arms);
            m_isNew = true;
            wake();
            Q_EMIT archiveChanged(archiveToRunInto());
          });
  connect(m_controller, &TrainingController::progressed, this,
          [this](worker::JobId, const session::Progress& progress) {
            m_progress = progress;
            m_isNew = true;
            wake();
          });
  connect(m_controller, &TrainingController::noteArrived, this,
          [](worker::JobId, const QString& sentence) { spdlog::info("{}", sentence.toStdString()); });
  connect(m_controller, &TrainingController::armEvaluated, this,
          [this](worker::JobId, const record::Evaluation& evaluation) {
            m_isNew = m_ownData.takeEvaluation(evaluation) || m_isNew;
            wake();
          });
  connect(m_controller, &TrainingController::armEnded, this, [this](worker::JobId, const record::TrialRow& arm) {
    m_ownData.setArms({arm});
    tellFailedArm(arm);
  });
  connect(m_controller, &TrainingController::jobFinished, this, &RunPage::endOwnRun);
  connect(m_controller, &TrainingController::jobStopped, this, &RunPage::endOwnRun);
  connect(m_controller, &TrainingController::jobFailed, this, [this](worker::JobId, const worker::JobFailure& failure) {
    showFailure(failure.sentence, QString::fromLatin1(kRunTopic));
    endOwnRun();
  });
}

void RunPage::setArchive(const QString& path, const models::TrialList& trials) {
  const bool isOther = path != m_archive;
  m_archive = path;
  m_trials = trials;
  enableActions();
  if (isOther) {
    m_follower.reset();
    m_loader->cancel();
    m_followed = 0;
    if (m_view == View::Archive) showView(View::Nothing);
    m_archiveData.clear();
    if (m_view == View::Nothing && !m_opened) m_stack->setCurrentWidget(m_empty);
  }
  if (!trials || trials->empty()) return;
  // What a person looks at stays; a fresh page shows the newest experiment.
  if (m_view == View::OwnRun || m_opened || m_followed != 0) return;
  std::int64_t newest = 0;
  for (const record::TrialRow& arm : *trials) newest = std::max(newest, arm.experiment_id);
  follow(newest);
}

void RunPage::selectTrial(std::int64_t id) {
  if (!m_trials) return;
  for (const record::TrialRow& arm : *m_trials) {
    if (arm.id != id) continue;
    if (arm.experiment_id == m_ownData.experiment() && m_ownRun) {
      if (m_view != View::OwnRun) showView(View::OwnRun);
    } else {
      follow(arm.experiment_id);
    }
    return;
  }
}

void RunPage::follow(std::int64_t experiment) {
  // Another arm of what is shown moves nothing: zooms stay.
  if (m_view == View::Archive && m_followed == experiment && m_follower) return;
  if (m_followed != experiment || !m_follower) {
    m_followed = experiment;
    m_archived.reset();
    m_archiveData.clear();
    m_armsKnown = false;
    m_armsRunning = 0;
    for (const QString& topic : m_armTopics) m_strips->dismiss(topic);
    m_armTopics.clear();
    m_follower = std::make_unique<worker::ArchiveFollower>(m_archive, experiment);
    listenToFollower();
    m_loader->load(m_archive, experiment);
  }
  showView(View::Archive);
}

void RunPage::listenToFollower() {
  using worker::ArchiveFollower;
  ArchiveFollower* const follower = m_follower.get();
  const auto news = [this] {
    m_isNew = true;
    wake();
  };
  connect(follower, &ArchiveFollower::armsFound, this, [this, news](const std::vector<record::TrialRow>& arms) {
    m_armsKnown = true;
    m_armsRunning += static_cast<int>(arms.size());  // until each is said to have ended: then its steps are here
    m_archiveData.setArms(arms);
    news();
  });
  connect(follower, &ArchiveFollower::armEnded, this, [this, news](const record::TrialRow& arm) {
    --m_armsRunning;
    m_archiveData.setArms({arm});
    tellFailedArm(arm);
    news();
  });
  connect(follower, &ArchiveFollower::armEvaluated, this, [this, news](const record::Evaluation& evaluation) {
    if (m_archiveData.takeEvaluation(evaluation)) news();
  });
  connect(follower, &ArchiveFollower::armResumed, this, [this, news](const record::TrialRow& arm, qint64 step) {
    ++m_armsRunning;
    m_archiveData.setArms({arm});
    m_archiveData.truncate(arm.id, step);
    news();
  });
  connect(follower, &ArchiveFollower::archiveReplaced, this, [this, news] {
    m_archiveData.clear();
    m_armsKnown = false;
    m_armsRunning = 0;
    news();
  });
  connect(follower, &ArchiveFollower::archiveChanged, this, [this] { Q_EMIT archiveChanged(m_archive); });
  connect(follower, &ArchiveFollower::problemArose, this,
          [this](const QString& sentence) { showFailure(sentence, QString::fromLatin1(kArchiveTopic)); });
  connect(follower, &ArchiveFollower::problemSolved, this,
          [this] { m_strips->dismiss(QString::fromLatin1(kArchiveTopic)); });
}

void RunPage::openExperiment(const QString& path) {
  try {
    m_opened = std::make_shared<const spec::Experiment>(spec::read_experiment(path.toStdString()));
  } catch (const Error& error) {
    showFailure(QString::fromStdString(sentence(error.facts())), QString::fromLatin1(kFileTopic));
    return;
  }
  m_strips->dismiss(QString::fromLatin1(kFileTopic));
  for (const std::string& warning : m_opened->warnings) {
    m_strips->show(shell::MessageStrip::Kind::Warning, QString::fromStdString(warning));
  }
  if (m_controller->state() == worker::JobState::Idle) {
    showView(View::Nothing);
  } else {
    m_strips->show(shell::MessageStrip::Kind::Note,
                   tr("%1 is open and can run when the present run has ended.").arg(QFileInfo(path).fileName()),
                   QString::fromLatin1(kFileTopic));
  }
  enableActions();
  m_controls->focusPrimary();
}

void RunPage::showView(View view) {
  m_view = view;
  const spec::Experiment* experiment = nullptr;
  QString name;
  switch (view) {
    case View::Nothing:
      // An experiment that was opened and not run yet: empty charts that wait for it.
      m_ownData.clear();
      m_ownRun.reset();
      m_progress.reset();
      m_shown = &m_ownData;
      experiment = m_opened.get();
      break;
    case View::OwnRun:
      m_shown = &m_ownData;
      experiment = m_ownRun.get();
      break;
    case View::Archive:
      m_shown = &m_archiveData;
      experiment = m_archived.get();
      if (m_trials) {
        for (const record::TrialRow& arm : *m_trials) {
          if (arm.experiment_id == m_followed) name = QString::fromStdString(arm.experiment);
        }
      }
      break;
  }
  showExperiment(experiment, name);
  m_stepPanel->close();
  m_charts->setData(m_shown);
  m_counters->setData(m_shown);
  m_stack->setCurrentIndex(0);
  m_isNew = true;
  enableActions();
  wake();
}

void RunPage::showExperiment(const spec::Experiment* experiment, const QString& name) {
  if (experiment == nullptr) {
    m_controls->showExperiment(name, {}, {}, {});
    m_charts->setPlannedSteps(0);
    m_charts->setExperiment(nullptr);
    return;
  }
  m_controls->showExperiment(QString::fromStdString(experiment->name), QString::fromStdString(experiment->file),
                             experimentSummary(*experiment), policySummary(*experiment));
  m_charts->setPlannedSteps(experiment->training.steps.value_or(0));
  m_charts->setExperiment(std::make_shared<const spec::Experiment>(*experiment));
}

void RunPage::tellFailedArm(const record::TrialRow& arm) {
  if (arm.end.status != record::Status::Failed) return;
  const QString topic = QStringLiteral("arm %1").arg(arm.id);
  m_armTopics << topic;
  showFailure(
      tr("%1 has failed: %2").arg(QString::fromStdString(arm.start.name), QString::fromStdString(arm.end.failure_text)),
      topic);
}

void RunPage::showFailure(const QString& sentence, const QString& topic) {
  spdlog::warn("{}", sentence.toStdString());
  m_strips->show(shell::MessageStrip::Kind::Failure, sentence, topic);
  m_stack->setCurrentIndex(0);
}

QString RunPage::archiveToRunInto() const {
  return m_archive.isEmpty() ? QString::fromStdString(default_archive()) : m_archive;
}

void RunPage::run() {
  if (!m_opened || m_controller->state() != worker::JobState::Idle) return;
  m_strips->dismiss(QString::fromLatin1(kRunTopic));
  try {
    // What stands in the file now is what runs.
    m_opened = std::make_shared<const spec::Experiment>(spec::read_experiment(m_opened->file));
    if (m_archive.isEmpty()) make_default_archive_folder();
  } catch (const Error& error) {
    showFailure(QString::fromStdString(sentence(error.facts())), QString::fromLatin1(kFileTopic));
    return;
  }
  m_ownRun = m_opened;
  worker::Job job;
  job.title = QString::fromStdString(m_ownRun->name);
  worker::Job::Run work;
  work.experiment = *m_ownRun;
  work.options.archive = archiveToRunInto().toStdString();
  work.options.gains = session::MeasureGains::Short;  // as mantissa-cli run does
  job.work = std::move(work);
  m_controller->enqueue(std::move(job));
  m_runAction->setEnabled(false);
}

void RunPage::beginOwnRun(worker::JobId /*job*/) {
  for (const QString& topic : m_armTopics) m_strips->dismiss(topic);
  m_armTopics.clear();
  m_ownData.clear();
  m_progress.reset();
  m_phase = tr("preparing");
  showView(View::OwnRun);
}

void RunPage::endOwnRun() {
  m_phase.clear();
  m_progress.reset();
  m_isNew = true;
  enableActions();
  wake();
  Q_EMIT archiveChanged(archiveToRunInto());
  Q_EMIT workEnded();
}

void RunPage::pauseOrResume() {
  if (m_controller->state() == worker::JobState::Paused) {
    m_controller->resume();
  } else {
    m_controller->pause();
  }
}

void RunPage::requestEdit() {
  if (m_view == View::Archive) {
    Q_EMIT editRequested({}, m_followed);
  } else if (const auto& shown = m_view == View::OwnRun ? m_ownRun : m_opened) {
    Q_EMIT editRequested(QString::fromStdString(shown->file), 0);
  }
}

void RunPage::enableActions() {
  if (m_actions == nullptr) return;
  using worker::JobState;
  const JobState state = m_controller->state();
  QString whyNotRun;
  if (state != JobState::Idle) {
    whyNotRun = tr("A run is going on.");
  } else if (!m_opened) {
    whyNotRun = tr("Open an experiment file first.");
  } else if (archiveToRunInto().isEmpty()) {
    whyNotRun = tr("Open an archive first: there is no home folder for the default one.");
  }
  m_actions->setEnabled(m_runAction, whyNotRun.isEmpty(), whyNotRun);
  const bool holds = state == JobState::Running || state == JobState::Starting || state == JobState::Paused;
  m_pauseAction->setText(state == JobState::Paused ? tr("R&esume") : tr("&Pause"));
  const QString nothing = state == JobState::Stopping ? tr("The run is stopping.") : tr("Nothing runs.");
  m_actions->setEnabled(m_pauseAction, holds, nothing);
  m_actions->setEnabled(m_stopAction, holds, nothing);
  m_actions->setEnabled(m_editAction, m_view == View::Archive || m_opened != nullptr,
                        tr("Open an experiment file first."));
  m_actions->setEnabled(m_stepAction, state == JobState::Paused, tr("Only a paused run makes single steps."));
  if (m_view == View::Archive && m_opened && state == JobState::Idle) {
    m_controls->setNote(tr("Run starts %1.").arg(QFileInfo(QString::fromStdString(m_opened->file)).fileName()));
  } else if (m_view == View::Archive) {
    m_controls->setNote(tr("From the archive, for reading. Open an experiment file to run one."));
  } else {
    m_controls->setNote(tr("Runs into %1.").arg(QFileInfo(archiveToRunInto()).fileName()));
  }
}

bool RunPage::takeSteps() {
  const bool own = m_ownData.take(m_controller->takeSteps());
  const bool followed = m_follower && m_archiveData.take(m_follower->takeSteps());
  return m_view == View::Archive ? followed : own;
}

void RunPage::wake() {
  if (!isVisible() && m_controller->state() == worker::JobState::Idle) return;
  if (m_clock.isActive() && m_clock.interval() <= kLively) return;
  m_clock.start(kLively);
}

void RunPage::tick() {
  const bool isDue = m_budget.isDue(PersonWatch::now(), PersonWatch::computed(), m_person.interacts());
  const bool isNew = takeSteps() || m_isNew;
  const bool running = m_controller->state() != worker::JobState::Idle;
  if (!isVisible()) {
    // Steps are taken all the same, so that none is missed; nothing is drawn.
    m_clock.start(kHidden);
    if (!running) m_clock.stop();
    return;
  }
  if (!isDue) {
    m_isNew = isNew;
    m_clock.start(kLively);
    return;
  }
  if (isNew) m_budget.begin(PersonWatch::now(), PersonWatch::computed());
  m_isNew = false;
  const bool ownView = m_view != View::Archive;
  Standing standing;
  standing.ours = ownView;
  standing.running = ownView ? running : m_armsRunning > 0 && m_armsKnown;
  standing.paused = ownView && m_controller->state() == worker::JobState::Paused;
  if (isNew) {
    const spec::Experiment* const experiment = ownView ? m_ownRun.get() : m_archived.get();
    standing.experiment = experiment;
    if (experiment != nullptr) standing.plannedSteps = experiment->training.steps.value_or(0);
    if (ownView && m_progress) {
      standing.plannedSteps = m_progress->steps;
      standing.remainingSeconds = m_progress->remaining_seconds;
    }
    if (ownView) standing.phase = m_phase;
    m_strip->setStatements(glance(*m_shown, standing));
    m_counters->refresh();
    m_countersNote->setText(m_shown->missed() > 0
                                ? tr("%1 records were not drawn; the archive has them")
                                      .arg(QString::fromStdString(report::count_words(m_shown->missed())))
                                : m_counters->counters().qualityNote());
    m_charts->setLive(standing.running && !standing.paused);
  }
  m_charts->redraw();
  if (isNew) {
    m_clock.start(kLively);
  } else if (running || (m_follower && (m_armsRunning > 0 || !m_armsKnown))) {
    m_clock.start(kWaiting);
  } else {
    m_clock.stop();
  }
}

bool RunPage::isSettled() const {
  if (m_view != View::Archive) return !m_isNew;
  if (!m_armsKnown || m_isNew) return false;
  // What still runs is never complete: a moment in which nothing is new will do.
  return m_armsRunning > 0 ? m_shown->steps() > 0 && m_clock.interval() == kWaiting : !m_clock.isActive();
}

bool RunPage::isBusy() const { return m_controller->state() != worker::JobState::Idle; }

void RunPage::finishWork() { m_controller->stop(); }

QByteArray RunPage::saveLayout() const { return m_charts->saveLayout(); }

void RunPage::restoreLayout(const QByteArray& layout) { m_charts->restoreLayout(layout); }

void RunPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  m_isNew = true;
  wake();
}

void RunPage::hideEvent(QHideEvent* event) {
  Page::hideEvent(event);
  if (m_controller->state() == worker::JobState::Idle) m_clock.stop();
}

}  // namespace mantissa::ui::run
