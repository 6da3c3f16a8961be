// SPDX-License-Identifier: GPL-3.0-or-later
// What the page runs: its actions, its queue, and what the engine tells of a run.
#include <spdlog/spdlog.h>

#include <algorithm>

#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QStorageInfo>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/user_folders.h"
#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"
#include "ui/models/record_words.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/preset_panel.h"
#include "ui/run/queue_panel.h"
#include "ui/run/run_actions.h"
#include "ui/run/run_controls.h"
#include "ui/run/run_page.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::run {
namespace {

RunPage::FileQuestion& fileQuestion() {
  static RunPage::FileQuestion question = [](QWidget* parent) {
    return QFileDialog::getOpenFileNames(parent, RunPage::tr("Queue experiment files"), {},
                                         RunPage::tr("Experiments (*.toml);;All files (*)"));
  };
  return question;
}

}  // namespace

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
  connect(m_actions, &RunActions::defaultArchiveRequested, this, &RunPage::useDefaultArchive);
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
            const bool isShown = m_view == View::OwnRun || isResumedHere();
            const bool isHere = m_archive.isEmpty() || m_own.archive == m_archive;
            if (isShown && isHere) tellShown(arms.front().experiment_id, arms);
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
  if (m_controller->state() == worker::JobState::Paused) {
    m_controller->resume();
    return;
  }
  if (!m_opened) return;
  m_strips->dismiss(QString::fromLatin1(kRunTopic));
  if (m_beforeRun && !m_beforeRun(QString::fromStdString(m_opened->file))) return;
  // What stands in the file now is what runs.
  std::shared_ptr<const spec::Experiment> now = readExperiment(QString::fromStdString(m_opened->file));
  if (!now || !makeArchiveFolder()) return;
  m_opened = std::move(now);
  m_queue->run(m_opened, archiveToRunInto());
}

QString RunPage::refusedArchiveWords() const {
  return tr("%1 could not be opened. Open another archive, or use the default one (Run menu).")
      .arg(QFileInfo(m_refusedArchive).fileName());
}

void RunPage::queueFiles() {
  if (!m_refusedArchive.isEmpty()) {
    showFailure(refusedArchiveWords(), QString::fromLatin1(kRunTopic));
    return;
  }
  for (const QString& path : fileQuestion()(this)) {
    if (m_beforeRun && !m_beforeRun(path)) continue;
    const std::shared_ptr<const spec::Experiment> experiment = readExperiment(path);
    if (!experiment || !makeArchiveFolder()) return;
    m_queue->run(experiment, archiveToRunInto());
  }
}

const record::TrialRow* RunPage::resumableArm() const {
  const bool inArchive = m_view == View::Archive && m_armsKnown && m_armsRunning == 0 && m_lastCheckpoint;
  const bool ownHasEnded = m_view == View::OwnRun && m_own.archive == m_archive && !m_queue->current();
  if (!inArchive && !ownHasEnded) return nullptr;
  const auto hasFailed = [](const auto& arm) {
    return arm->arm().start.kind == record::TrialKind::Reference && arm->arm().end.status == record::Status::Failed;
  };
  if (std::any_of(m_shown->arms().begin(), m_shown->arms().end(), hasFailed)) return nullptr;
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
    tellLostRun();
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

/// A run whose process is gone and that left nothing to go on from.
void RunPage::tellLostRun() {
  const QString topic = QString::fromLatin1(kResumeTopic);
  const auto isInterrupted = [](const auto& arm) { return arm->arm().end.status == record::Status::Interrupted; };
  const auto& arms = m_shown->arms();
  const auto lost = std::find_if(arms.begin(), arms.end(), isInterrupted);
  const bool isLost = m_view == View::Archive && m_armsKnown && m_armsRunning == 0 && !m_lastCheckpoint &&
                      lost != arms.end() && !m_queue->resumes(m_archive, (*lost)->arm().experiment_id);
  if (!isLost) return m_strips->dismiss(topic);
  const qint64 steps = m_shown->steps();
  const QString name = QString::fromStdString((*lost)->arm().experiment);
  const QString where =
      steps == 0 ? tr("before its first step") : tr("at step %1").arg(models::figure(report::count_words(steps)));
  m_strips->show(
      shell::MessageStrip::Kind::Warning,
      tr("%1 was interrupted %2: its process is gone, and it left no checkpoint to go on from. What it "
         "recorded stays. Open its file and run it again; with checkpoint = { every = 500 } under [training] "
         "a run can go on after such an end.")
          .arg(name, where),
      topic);
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
  m_strips->dismiss(QString::fromLatin1(kResumeTopic));
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
  if (!m_refusedArchive.isEmpty()) {
    situation.whyNotRun = refusedArchiveWords();
  } else if (archiveToRunInto().isEmpty()) {
    situation.whyNotRun = tr("Open an archive first: there is no home folder for the default one.");
  }
  if (const record::TrialRow* const arm = resumableArm()) {
    situation.resumable = QString::fromStdString(arm->experiment);
  }
  situation.refusedArchive = !m_refusedArchive.isEmpty();
  situation.hasExperiment = m_view == View::Archive || m_opened != nullptr;
  m_actions->update(situation);
  // A trial can be added to a file; what an archive has stays as it was run.
  m_controls->presets()->setVisible(m_view != View::Archive && m_opened != nullptr &&
                                    m_controls->presets()->hasPresets());
  if (m_view == View::Archive && isResumedHere()) {
    m_controls->setNote(tr("Goes on in %1.").arg(QFileInfo(m_archive).fileName()));
  } else if (!m_refusedArchive.isEmpty()) {
    m_controls->setNote(situation.whyNotRun);
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

bool RunPage::isBusy() const {
  return m_controller->state() != worker::JobState::Idle || !m_controller->waiting().empty();
}

void RunPage::finishWork() {
  m_controller->clearWaiting();
  m_controller->stop();
  // Between two runs nothing is left that would tell of its end.
  if (!isBusy()) QMetaObject::invokeMethod(this, &RunPage::workEnded, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::run
