// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_page.h"

#include <spdlog/spdlog.h>

#include <QDataStream>
#include <QDateTime>
#include <QEventLoop>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QStackedLayout>
#include <QStorageInfo>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/user_folders.h"
#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"
#include "ui/models/record_words.h"
#include "ui/run/counters_table.h"
#include "ui/run/experiment_loader.h"
#include "ui/run/experiment_summary.h"
#include "ui/run/glance_strip.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/preset_panel.h"
#include "ui/run/queue_panel.h"
#include "ui/run/run_actions.h"
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
constexpr qint32 kLayoutVersion = 1;
constexpr char kFileTopic[] = "experiment";
constexpr char kRunTopic[] = "run";
constexpr char kArchiveTopic[] = "archive";
constexpr char kResumeTopic[] = "resume";

RunPage::FileQuestion& fileQuestion() {
  static RunPage::FileQuestion question = [](QWidget* parent) {
    return QFileDialog::getOpenFileNames(parent, RunPage::tr("Queue experiment files"), {},
                                         RunPage::tr("Experiments (*.toml);;All files (*)"));
  };
  return question;
}

}  // namespace

RunPage::RunPage(worker::EngineFactory engine, QWidget* parent)
    : shell::Page(parent),
      m_controller(new worker::TrainingController(std::move(engine), this)),
      m_queue(new RunQueue(m_controller, this)),
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
      m_stepPanel(new StepPanel(this)),
      m_actions(new RunActions(this)) {
  makeLayout();
  listenToController();
  listenToActions();
  connect(m_loader, &ExperimentLoader::loaded, this, [this](std::int64_t experiment, const ArchivedExperiment& what) {
    if (experiment != m_followed) return;
    m_lastCheckpoint = what.lastCheckpoint;
    m_offerIsStale = true;
    wake();
    if (m_archived && what.experiment) return;  // it never changes
    m_archived = what.experiment;
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
  m_charts->disconnect(this);
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
  m_actions->make(actions);
  using shell::IconShape;
  const IconShape icons[] = {IconShape::Play, IconShape::Pause, IconShape::Stop, IconShape::Step};
  const QVector<QAction*> buttons = m_actions->buttons();
  for (int i = 0; i < buttons.size(); ++i) {
    const bool isLast = i + 1 == buttons.size();  // a single step: what is needed least
    m_controls->addAction(buttons[i], icons[i],
                          isLast ? RunControls::ButtonShape::IconOnly : RunControls::ButtonShape::Text);
  }
  m_controls->setEditAction(m_actions->edit());
  m_empty->addAction(actions.find(QStringLiteral("open")));
  enableActions();
}

void RunPage::listenToActions() {
  connect(m_actions, &RunActions::runRequested, this, &RunPage::run);
  connect(m_actions, &RunActions::pauseOrResumeRequested, this, &RunPage::pauseOrResume);
  connect(m_actions, &RunActions::stopRequested, m_controller, &worker::TrainingController::stop);
  connect(m_actions, &RunActions::stepRequested, m_controller, &worker::TrainingController::stepOnce);
  connect(m_actions, &RunActions::stopAtCheckpointRequested, this, [this] {
    m_controller->stopAtCheckpoint();
    enableActions();
  });
  connect(m_actions, &RunActions::resumeRunRequested, this, &RunPage::resumeShownRun);
  connect(m_actions, &RunActions::controlsToggled, this, [this] { m_controls->setVisible(m_controls->isHidden()); });
  connect(m_actions, &RunActions::editRequested, this, &RunPage::requestEdit);
  connect(m_actions, &RunActions::lookAheadRequested, this, &RunPage::lookAhead);
  connect(m_actions, &RunActions::queueFilesRequested, this, &RunPage::queueFiles);
  connect(m_controls->presets(), &PresetPanel::presetRequested, this, [this](int preset) {
    if (m_opened) Q_EMIT presetRequested(QString::fromStdString(m_opened->file), preset);
  });
  connect(m_controls->queue(), &QueuePanel::removalRequested, m_controller, &worker::TrainingController::removeWaiting);
}

void RunPage::setFileQuestion(FileQuestion question) { fileQuestion() = std::move(question); }

void RunPage::listenToController() {
  using worker::TrainingController;
  connect(m_controller, &TrainingController::jobStarted, this, [this] { beginOwnRun(); });
  connect(m_controller, &TrainingController::stateChanged, this, [this] {
    m_isNew = true;
    enableActions();
    wake();
  });
  connect(m_controller, &TrainingController::phaseBegan, this, [this](worker::JobId, const QString& phase) {
    m_phase = phase;
    spdlog::info("{}: {}", m_controller->currentTitle().toStdString(), phase.toStdString());
    m_isNew = true;
    wake();
  });
  connect(m_controller, &TrainingController::armsOpened, this,
          [this](worker::JobId, const std::vector<record::TrialRow>& arms) {
            if (m_own.resumes == 0) m_ownData.setArms(arms);
            m_isNew = true;
            wake();
            Q_EMIT archiveChanged(m_own.archive);
          });
  connect(m_controller, &TrainingController::queueChanged, this,
          [this] { m_controls->queue()->showWaiting(m_controller->waiting()); });
  connect(m_controller, &TrainingController::lookedAhead, this, &RunPage::lookedAhead);
  connect(m_controller, &TrainingController::lookAheadFailed, this, [this](const worker::JobFailure& failure) {
    m_controls->preflight()->showFailure(failure.sentence);
    spdlog::warn("{}", failure.sentence.toStdString());
  });
  connect(m_controller, &TrainingController::progressed, this,
          [this](worker::JobId, const session::Progress& progress) {
            m_progress = progress;
            Q_EMIT progressed(m_controller->currentTitle(), progress.step, progress.steps);
            m_isNew = true;
            wake();
          });
  connect(m_controller, &TrainingController::noteArrived, this,
          [](worker::JobId, const QString& sentence) { spdlog::info("{}", sentence.toStdString()); });
  connect(m_controller, &TrainingController::checkpointReached, this,
          [](worker::JobId, qint64 step) { spdlog::info("checkpoint of all arms at step {}", step); });
  connect(m_controller, &TrainingController::armEvaluated, this,
          [this](worker::JobId, const record::Evaluation& evaluation) {
            logEvaluation(evaluation);
            m_isNew = m_ownData.takeEvaluation(evaluation) || m_isNew;
            wake();
          });
  connect(m_controller, &TrainingController::armEnded, this, [this](worker::JobId, const record::TrialRow& arm) {
    if (!arm.end.gains) logEnd(arm);  // once more with its gains
    if (m_own.resumes != 0) return;   // its follower tells
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

void RunPage::logEvaluation(const record::Evaluation& evaluation) const {
  const ArmData* const arm = m_ownData.arm(evaluation.trial);
  spdlog::info("{}: {} {} at step {}", arm != nullptr ? arm->arm().start.name : std::to_string(evaluation.trial),
               evaluation.metric, report::number_words(evaluation.value), report::count_words(evaluation.step));
}

void RunPage::logEnd(const record::TrialRow& arm) const {
  const record::TrialEnd& end = arm.end;
  spdlog::info("{}: {}, {}{}", arm.start.name, record::to_text(end.status),
               report::skip_sentence(end.counts.skipped, end.counts.attempted),
               end.verdict ? ", " + report::verdict_words(end.verdict->word) : std::string());
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
    if (arm.experiment_id == m_ownData.experiment() && m_own.experiment && m_own.archive == m_archive) {
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
    m_strips->dismiss(QString::fromLatin1(kResumeTopic));
    m_follower = std::make_unique<worker::ArchiveFollower>(m_archive, experiment);
    listenToFollower();
    m_lastCheckpoint.reset();
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
    m_loader->load(m_archive, m_followed,
                   arms.front().start.reference != 0 ? arms.front().start.reference : arms.front().id);
    news();
  });
  connect(follower, &ArchiveFollower::armEnded, this, [this, news](const record::TrialRow& arm) {
    --m_armsRunning;
    m_archiveData.setArms({arm});
    tellFailedArm(arm);
    if (m_armsRunning == 0) {
      m_loader->load(m_archive, m_followed, arm.start.reference != 0 ? arm.start.reference : arm.id);
    }
    news();
  });
  connect(follower, &ArchiveFollower::armEvaluated, this, [this, news](const record::Evaluation& evaluation) {
    if (m_archiveData.takeEvaluation(evaluation)) news();
  });
  connect(follower, &ArchiveFollower::armResumed, this, [this, news](const record::TrialRow& arm, qint64 step) {
    ++m_armsRunning;
    m_archiveData.setArms({arm});
    m_archiveData.truncate(arm.id, step);
    m_offerIsStale = true;
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

std::shared_ptr<const spec::Experiment> RunPage::readExperiment(const QString& path) {
  try {
    return std::make_shared<const spec::Experiment>(spec::read_experiment(path.toStdString()));
  } catch (const Error& error) {
    showFailure(models::errorText(error), QString::fromLatin1(kFileTopic));
    return nullptr;
  }
}

void RunPage::openExperiment(const QString& path) {
  std::shared_ptr<const spec::Experiment> opened = readExperiment(path);
  if (!opened) return;
  m_opened = std::move(opened);
  m_strips->dismiss(QString::fromLatin1(kFileTopic));
  for (const std::string& warning : m_opened->warnings) {
    m_strips->show(shell::MessageStrip::Kind::Warning, QString::fromStdString(warning));
  }
  if (m_controller->state() == worker::JobState::Idle) {
    showView(View::Nothing);
    lookAhead();
  } else {
    m_strips->show(
        shell::MessageStrip::Kind::Note,
        tr("%1 is open. Queue it, and it runs when the present run has ended.").arg(QFileInfo(path).fileName()),
        QString::fromLatin1(kFileTopic));
  }
  enableActions();
  m_controls->focusPrimary();
}

void RunPage::lookAhead() {
  if (!m_opened || m_controller->state() != worker::JobState::Idle) return;
  m_controls->preflight()->showWaiting();
  m_queue->lookAhead(*m_opened, archiveToRunInto());
}

void RunPage::lookedAhead(const session::Preflight& found) {
  if (!m_opened) return;
  const QStorageInfo disk(QFileInfo(archiveToRunInto()).absolutePath());
  const std::optional<qint64> freeBytes = disk.isValid() ? std::optional<qint64>(disk.bytesAvailable()) : std::nullopt;
  m_controls->preflight()->showLines(preflightLines(found, *m_opened, freeBytes));
  for (const std::string& note : found.notes) spdlog::info("{}: {}", m_opened->name, note);
}

void RunPage::showView(View view) {
  m_view = view;
  const spec::Experiment* experiment = nullptr;
  QString name;
  switch (view) {
    case View::Nothing:
      // An experiment that was opened and not run yet: empty charts that wait for it.
      m_ownData.clear();
      m_own = {};
      m_progress.reset();
      m_shown = &m_ownData;
      experiment = m_opened.get();
      break;
    case View::OwnRun:
      m_shown = &m_ownData;
      experiment = m_own.experiment.get();
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
  // What was found out of an opened experiment says nothing of another one.
  if (experiment != m_opened.get()) m_controls->preflight()->clear();
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

bool RunPage::makeArchiveFolder() {
  if (!m_archive.isEmpty()) return true;
  try {
    make_default_archive_folder();
    return true;
  } catch (const Error& error) {
    showFailure(models::errorText(error), QString::fromLatin1(kFileTopic));
    return false;
  }
}

void RunPage::run() {
  if (!m_opened) return;
  m_strips->dismiss(QString::fromLatin1(kRunTopic));
  // What stands in the file now is what runs.
  std::shared_ptr<const spec::Experiment> now = readExperiment(QString::fromStdString(m_opened->file));
  if (!now || !makeArchiveFolder()) return;
  m_opened = std::move(now);
  m_queue->run(m_opened, archiveToRunInto());
}

void RunPage::queueFiles() {
  for (const QString& path : fileQuestion()(this)) {
    const std::shared_ptr<const spec::Experiment> experiment = readExperiment(path);
    if (!experiment || !makeArchiveFolder()) return;
    m_queue->run(experiment, archiveToRunInto());
  }
}

const record::TrialRow* RunPage::resumableArm() const {
  const bool inArchive = m_view == View::Archive && m_armsKnown && m_armsRunning == 0 && m_lastCheckpoint;
  const bool ownHasEnded = m_view == View::OwnRun && m_own.archive == m_archive && !m_queue->current();
  if (!inArchive && !ownHasEnded) return nullptr;
  for (const auto& arm : m_shown->arms()) {
    const record::Status status = arm->arm().end.status;
    if (status != record::Status::Interrupted && status != record::Status::Stopped) continue;
    return m_queue->resumes(m_archive, arm->arm().experiment_id) ? nullptr : &arm->arm();
  }
  return nullptr;
}

void RunPage::offerToResume() {
  m_offerIsStale = false;
  const record::TrialRow* const arm = resumableArm();
  enableActions();
  if (arm == nullptr) {
    m_strips->dismiss(QString::fromLatin1(kResumeTopic));
    return;
  }
  const QString step = models::figure(report::count_words(m_shown->steps()));
  // Stopping makes a checkpoint of the last complete step.
  const qint64 last = m_view == View::Archive ? *m_lastCheckpoint : m_shown->steps();
  const QString checkpoint = models::figure(report::count_words(last));
  const QString name = QString::fromStdString(arm->experiment);
  const bool stopped = arm->end.status == record::Status::Stopped;
  m_strips
      ->show(shell::MessageStrip::Kind::Note,
             stopped ? tr("%1 was stopped at step %2. It can go on from its checkpoint at step %3.")
                           .arg(name, step, checkpoint)
                     : tr("%1 was interrupted at step %2: its process is gone. It can go on from its checkpoint at "
                          "step %3.")
                           .arg(name, step, checkpoint),
             QString::fromLatin1(kResumeTopic))
      ->addWayOut(m_actions->resumeRun());
}

void RunPage::resumeShownRun() {
  const record::TrialRow* const arm = resumableArm();
  if (arm == nullptr) return;
  m_strips->dismiss(QString::fromLatin1(kRunTopic));
  m_strips->dismiss(QString::fromLatin1(kResumeTopic));
  m_queue->resume(m_archive, arm->id, arm->experiment_id, m_view == View::Archive ? m_archived : m_own.experiment,
                  QString::fromStdString(arm->experiment));
  enableActions();
}

bool RunPage::isResumedHere() const {
  return m_own.resumes != 0 && m_controller->state() != worker::JobState::Idle && m_own.archive == m_archive &&
         m_own.resumes == m_followed;
}

void RunPage::beginOwnRun() {
  const OwnRun* const own = m_queue->current();
  if (own == nullptr) return;
  for (const QString& topic : m_armTopics) m_strips->dismiss(topic);
  m_armTopics.clear();
  m_own = *own;
  m_ownData.clear();
  m_progress.reset();
  m_phase = tr("preparing");
  if (m_own.resumes != 0 && m_own.archive == m_archive) {
    // Its earlier steps are in the archive, and the new ones come there.
    follow(m_own.resumes);
  } else {
    showView(View::OwnRun);
  }
  m_strips->dismiss(QString::fromLatin1(kFileTopic));
}

void RunPage::endOwnRun() {
  m_phase.clear();
  m_progress.reset();
  Q_EMIT progressed({}, 0, 0);
  m_isNew = true;
  enableActions();
  wake();
  Q_EMIT archiveChanged(m_own.archive);
  takeSteps();
  if (m_view == View::OwnRun) offerToResume();
  if (m_controller->waiting().empty()) Q_EMIT workEnded();
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
  } else if (const auto& shown = m_view == View::OwnRun ? m_own.experiment : m_opened) {
    Q_EMIT editRequested(QString::fromStdString(shown->file), 0);
  }
}

void RunPage::enableActions() {
  RunSituation situation;
  situation.state = m_controller->state();
  situation.stopsAtCheckpoint = m_controller->stopsAtCheckpoint();
  if (m_opened) situation.openedFile = QFileInfo(QString::fromStdString(m_opened->file)).fileName();
  if (archiveToRunInto().isEmpty()) {
    situation.whyNotRun = tr("Open an archive first: there is no home folder for the default one.");
  }
  if (const record::TrialRow* const arm = resumableArm()) {
    situation.resumable = QString::fromStdString(arm->experiment);
  }
  situation.hasExperiment = m_view == View::Archive || m_opened != nullptr;
  m_actions->update(situation);
  // A trial can be added to a file; what an archive has stays as it was run.
  m_controls->presets()->setVisible(m_view != View::Archive && m_opened != nullptr &&
                                    m_controls->presets()->hasPresets());
  if (m_view == View::Archive && isResumedHere()) {
    m_controls->setNote(tr("Goes on in %1.").arg(QFileInfo(m_archive).fileName()));
  } else if (m_view == View::Archive && m_opened) {
    m_controls->setNote(tr("Run starts %1.").arg(situation.openedFile));
  } else if (m_view == View::Archive) {
    m_controls->setNote(tr("From the archive, for reading. Open an experiment file to run one."));
  } else {
    m_controls->setNote(tr("Runs into %1.").arg(QFileInfo(archiveToRunInto()).fileName()));
  }
  tellRules();
}

void RunPage::tellRules() {
  const auto& experiment = m_view == View::Archive ? m_archived : m_own.experiment;
  const std::vector<const ArmData*> arms = m_shown->shown();
  const std::string rules = experiment ? spec::canonical_json_of_rules(*experiment) : std::string();
  if (arms.empty() || rules.empty()) {
    m_controls->setRulesNote({}, {});
    return;
  }
  const QDateTime began =
      QDateTime::fromString(QString::fromStdString(arms.front()->arm().started_at), Qt::ISODate).toLocalTime();
  m_controls->setRulesNote(
      tr("Rules fixed at %1, hash %2. Other settings make a new run.")
          .arg(QLocale().toString(began, QLocale::ShortFormat), QString::fromStdString(sha256(rules).substr(0, 8))),
      QString::fromStdString(rules));
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
  if (m_offerIsStale && m_armsKnown && m_armsRunning == 0) offerToResume();  // now that its steps are here
  if (isNew) m_budget.begin(PersonWatch::now(), PersonWatch::computed());
  m_isNew = false;
  const bool ownView = m_view != View::Archive || isResumedHere();
  Standing standing;
  standing.ours = ownView;
  standing.running = ownView ? running : m_armsRunning > 0 && m_armsKnown;
  standing.paused = ownView && m_controller->state() == worker::JobState::Paused;
  if (isNew) {
    const spec::Experiment* const experiment = m_view == View::Archive ? m_archived.get() : m_own.experiment.get();
    standing.experiment = experiment;
    if (experiment != nullptr) standing.plannedSteps = experiment->training.steps.value_or(0);
    if (ownView && m_progress) {
      standing.plannedSteps = m_progress->steps;
      standing.remainingSeconds = m_progress->remaining_seconds;
    }
    if (ownView) standing.phase = m_phase;
    m_strip->setStatements(glance(*m_shown, standing));
    m_counters->refresh();
    m_countersNote->setText(m_shown->missed() > 0 ? tr("%1 records were not drawn; the archive has them")
                                                        .arg(models::figure(report::count_words(m_shown->missed())))
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

bool RunPage::isBusy() const {
  return m_controller->state() != worker::JobState::Idle || !m_controller->waiting().empty();
}

void RunPage::finishWork() {
  m_controller->clearWaiting();
  m_controller->stop();
  // Between two runs nothing is left that would tell of its end.
  if (!isBusy()) QMetaObject::invokeMethod(this, &RunPage::workEnded, Qt::QueuedConnection);
}

QByteArray RunPage::saveLayout() const {
  QByteArray layout;
  QDataStream stream(&layout, QIODevice::WriteOnly);
  stream << kLayoutVersion << !m_controls->isHidden() << m_charts->saveLayout();
  return layout;
}

void RunPage::restoreLayout(const QByteArray& layout) {
  QDataStream stream(layout);
  qint32 version = 0;
  bool controls = true;
  QByteArray charts;
  stream >> version >> controls >> charts;
  const bool isKnown = version == kLayoutVersion && stream.status() == QDataStream::Ok;
  m_controls->setVisible(!isKnown || controls);
  m_charts->restoreLayout(isKnown ? charts : QByteArray());
}

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
