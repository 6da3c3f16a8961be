// SPDX-License-Identifier: GPL-3.0-or-later
// What the page runs: its actions, its queue, and what the engine tells of a run.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QStorageInfo>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/user_folders.h"
#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/preset_panel.h"
#include "ui/run/queue_panel.h"
#include "ui/run/run_actions.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_controls.h"
#include "ui/run/run_log.h"
#include "ui/run/run_page.h"
#include "ui/shell/edited_size.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::run {
namespace {

void log(const QString& line) { spdlog::info("{}", models::withoutIsolates(line).toStdString()); }

}  // namespace

void RunPage::listenToActions() {
  connect(m_actions, &RunActions::runRequested, this, &RunPage::run);
  connect(m_actions, &RunActions::pauseOrResumeRequested, this, &RunPage::pauseOrResume);
  connect(m_actions, &RunActions::queueRequested, this, &RunPage::queueOpened);
  connect(m_actions, &RunActions::stopRequested, this, &RunPage::stop);
  connect(m_actions, &RunActions::stepRequested, m_controller, &worker::TrainingController::stepOnce);
  connect(m_actions, &RunActions::stopAtCheckpointRequested, this, &RunPage::stopAtCheckpoint);
  connect(m_actions, &RunActions::resumeRunRequested, this, &RunPage::resumeShownRun);
  connect(m_actions, &RunActions::smoothingToggled, m_charts, &RunCharts::toggleSmoothing);
  connect(m_actions, &RunActions::followRequested, m_charts, &RunCharts::followEnd);
  connect(m_actions, &RunActions::controlsToggled, this, [this] {
    if (isVisibleTo(window())) m_controls->setVisible(m_controls->isHidden());  // other pages have theirs
  });
  connect(m_actions, &RunActions::showRunRequested, this, &RunPage::showRun);
  connect(m_actions, &RunActions::editRequested, this, &RunPage::requestEdit);
  connect(m_actions, &RunActions::lookAheadRequested, this, &RunPage::lookAhead);
  connect(m_actions, &RunActions::defaultArchiveRequested, this, &RunPage::useDefaultArchive);
  connect(m_actions, &RunActions::queueFilesRequested, this, &RunPage::queueFiles);
  connect(m_controls->presets(), &PresetPanel::presetRequested, this, [this](int preset) {
    if (m_opened) Q_EMIT presetRequested(QString::fromStdString(m_opened->file), preset);
  });
  QueuePanel* const queue = m_controls->queue();
  connect(queue, &QueuePanel::removalRequested, m_controller, &worker::TrainingController::removeWaiting);
  connect(queue, &QueuePanel::clearingRequested, m_controller, &worker::TrainingController::clearWaiting);
  connect(queue, &QueuePanel::startRequested, m_controller, &worker::TrainingController::startWaiting);
}

void RunPage::listenToController() {
  using worker::TrainingController;
  connect(m_controller, &TrainingController::jobStarted, this, [this] { beginOwnRun(); });
  connect(m_controller, &TrainingController::stateChanged, this, [this](worker::JobState state) {
    m_isNew = true;
    if (state == worker::JobState::Stopping) m_strips->dismiss(QString::fromLatin1(kStopTopic));  // it stops before
    tellInterrupted();
    showWaiting();  // what is behind a run that has just begun waits now
    enableActions();
    tellPaused();
    wake();
  });
  connect(m_controller, &TrainingController::phaseBegan, this, [this](worker::JobId, const QString& phase) {
    m_phase = phase;
    log(QStringLiteral("%1: %2").arg(runTitle(), phase));
    m_isNew = true;
    wake();
  });
  connect(m_controller, &TrainingController::armsOpened, this,
          [this](worker::JobId, const std::vector<record::TrialRow>& arms) {
            for (const record::TrialRow& arm : arms) m_ownNames[arm.id] = QString::fromStdString(arm.start.name);
            if (m_own.resumes == 0) m_ownData.setArms(arms);
            m_isNew = true;
            wake();
            m_brokenRuns.erase({m_own.archive, arms.front().experiment_id});
            Q_EMIT runBroken(m_own.archive, arms.front().experiment_id, {});
            Q_EMIT archiveChanged(m_own.archive);
            const bool isShown = m_view == View::OwnRun || isResumedHere();
            const bool isHere = m_archive.isEmpty() || m_own.archive == m_archive;
            if (isShown && isHere) tellShown(arms.front().experiment_id, arms);
          });
  connect(m_controller, &TrainingController::queueChanged, this, [this] {
    showWaiting();
    if (m_waitTold && !m_controller->waitsForLookAhead()) m_strips->dismiss(QString::fromLatin1(kHeldUpTopic));
    enableActions();
  });
  connect(m_queue, &RunQueue::added, this, &RunPage::showWaiting);
  connect(m_controller, &TrainingController::heldUp, this, &RunPage::tellHeldUp);
  connect(m_controller, &TrainingController::cameBack, this, [this] {
    m_isHeldUp = false;
    m_strips->dismiss(QString::fromLatin1(kHeldUpTopic));
  });
  connect(m_controller, &TrainingController::lookedAhead, this, &RunPage::lookedAhead);
  connect(m_controller, &TrainingController::lookAheadFailed, this, [this](const worker::JobFailure& failure) {
    if (m_lookedAt && shownExperiment() == m_lookedAt.get()) m_controls->preflight()->showFailure(failure.sentence);
    spdlog::warn("{}", failure.sentence.toStdString());
  });
  connect(m_controller, &TrainingController::progressed, this,
          [this](worker::JobId, const session::Progress& progress) {
            m_progress = progress;
            tellProgress();
            m_isNew = true;
            wake();
          });
  connect(m_controller, &TrainingController::waitsForArchive, this, [this](worker::JobId, bool waits) {
    if (std::exchange(m_waitsForArchive, waits) == waits) return;
    m_isNew = true;
    wake();
  });
  connect(m_controller, &TrainingController::noteArrived, this,
          [](worker::JobId, const QString& sentence) { log(models::figuresIn(sentence)); });
  connect(m_controller, &TrainingController::checkpointReached, this,
          [](worker::JobId, qint64 step) { log(checkpointLine(step)); });
  connect(
      m_controller, &TrainingController::armEvaluated, this,
      [this](worker::JobId, const record::Evaluation& evaluation) {
        const auto name = m_ownNames.find(evaluation.trial);
        log(evaluationLine(name != m_ownNames.end() ? name->second : QString::number(evaluation.trial), evaluation));
        m_isNew = m_ownData.takeEvaluation(evaluation) || m_isNew;
        wake();
      });
  connect(m_controller, &TrainingController::armEnded, this, [this](worker::JobId, const record::TrialRow& arm) {
    // It comes once more with its gains.
    for (const QString& line : arm.end.gains ? QStringList() : endLines(arm)) log(line);
    collectFailedArm(arm);
    if (m_own.resumes != 0) return;  // its follower tells
    m_ownData.setArms({arm});
  });
  const auto ended = [this](worker::JobId, const record::RunSummary& summary) {
    // The controller has no run any more that it could name.
    const QString title = titleIn(m_own.archive, QString::fromStdString(summary.experiment), summary.experiment_id);
    for (const QString& line : closingLines(summary, title, QDir::toNativeSeparators(m_own.archive))) log(line);
    endOwnRun();
  };
  connect(m_controller, &TrainingController::jobFinished, this, ended);
  connect(m_controller, &TrainingController::jobStopped, this, ended);
  connect(m_controller, &TrainingController::jobFailed, this, [this](worker::JobId, const worker::JobFailure& failure) {
    spdlog::warn("{}", failure.sentence.toStdString());
    m_failures.addRun(failure.sentence);
    tellFailures();
    tellBrokenRun(failure);
    endOwnRun();
  });
}

void RunPage::lookAhead() {
  if (!m_opened || m_controller->state() != worker::JobState::Idle) return;
  const bool isShown = m_view == View::Nothing || (m_view == View::OwnRun && m_own.experiment == m_opened);
  if (!isShown) showView(View::Nothing);
  m_isHeld = false;
  m_lookedAt = m_opened;
  m_controls->preflight()->showWaiting();
  m_queue->lookAhead(*m_opened, archiveToRunInto());
}

void RunPage::lookedAhead(const session::Preflight& found) {
  // Meanwhile something else is shown.
  if (!m_lookedAt || shownExperiment() != m_lookedAt.get()) return;
  const QStorageInfo disk(QFileInfo(archiveToRunInto()).absolutePath());
  const std::optional<qint64> freeBytes = disk.isValid() ? std::optional<qint64>(disk.bytesAvailable()) : std::nullopt;
  m_controls->preflight()->showLines(preflightLines(found, *m_lookedAt, freeBytes));
  const QString name = QString::fromStdString(m_lookedAt->name);
  for (const std::string& note : found.notes) {
    log(QStringLiteral("%1: %2").arg(name, models::figuresIn(QString::fromStdString(note))));
  }
}

QString RunPage::archiveToRunInto() const {
  return m_archive.isEmpty() ? QString::fromStdString(default_archive()) : m_archive;
}

bool RunPage::makeArchiveFolder() {
  if (!m_archive.isEmpty()) return true;
  try {
    make_default_archive_folder();
    m_strips->dismiss(QString::fromLatin1(kFolderTopic));
    return true;
  } catch (const Error& error) {
    showFailure(models::errorText(error), QString::fromLatin1(kFolderTopic));
    return false;
  }
}

void RunPage::run() {
  if (m_controller->state() == worker::JobState::Paused) {
    m_controller->resume();
    return;
  }
  // A second press before the first has shown is none.
  if (m_controller->state() != worker::JobState::Idle || startsSoon()) return;
  if (!readAsSaved()) return;
  forgetFailures();
  m_isHeld = false;
  m_isAside = false;
  m_queue->runNow(m_opened, archiveToRunInto());
  Q_EMIT frontWanted();
}

/// Whether a run was asked for that begins as soon as control is back in the event loop.
bool RunPage::startsSoon() const {
  return m_controller->state() == worker::JobState::Idle && m_controller->isNextDue();
}

/// What stands in the file now is what runs.
bool RunPage::readAsSaved() {
  if (!m_opened) return false;
  m_strips->dismiss(QString::fromLatin1(kRunTopic));
  QString file = QString::fromStdString(m_opened->file);
  if (m_beforeRun) file = m_beforeRun(file);
  if (file.isEmpty()) return false;
  std::shared_ptr<const spec::Experiment> now = readExperiment(file);
  if (!now || !makeArchiveFolder()) return false;
  // What was found out holds where nothing has changed.
  if (m_lookedAt == m_opened && spec::canonical_json(*now) == spec::canonical_json(*m_opened)) m_lookedAt = now;
  if (now->warnings == m_opened->warnings) {
    m_opened = std::move(now);
  } else {
    takeOpened(std::move(now));
  }
  return true;
}

void RunPage::stop() {
  if (m_controller->waitsForLookAhead()) return m_controller->clearWaiting();
  m_controller->holdWaiting();  // a person who stops one run does not ask for the next one
  m_controller->stop();
}

void RunPage::stopAtCheckpoint() {
  if (m_controller->stopsAtCheckpoint()) {
    m_controller->goPastCheckpoint();
  } else {
    m_controller->holdWaiting();
    m_controller->stopAtCheckpoint();
  }
  enableActions();
  tellStopAtCheckpoint();
  m_isNew = true;
  wake();
}

/// Of the checkpoint at which the run stops; nothing: it makes none on its way, or is not asked to.
std::optional<qint64> RunPage::stopStep() const {
  const auto& experiment = m_own.experiment ? m_own.experiment : m_archived;
  if (!m_controller->stopsAtCheckpoint() || !experiment || !m_progress) return std::nullopt;
  const std::optional<std::int64_t> every = experiment->training.checkpoint.every;
  if (!every || m_controller->state() == worker::JobState::Paused) return std::nullopt;
  const qint64 next = (m_progress->step / *every + 1) * *every;
  return std::min<qint64>(next, m_progress->steps);
}

void RunPage::tellStopAtCheckpoint() {
  const QString topic = QString::fromLatin1(kStopTopic);
  if (!m_controller->stopsAtCheckpoint()) return m_strips->dismiss(topic);
  const std::optional<qint64> step = stopStep();
  const QString title = models::isolated(runTitle());
  shell::MessageStrip* const strip = m_strips->show(
      shell::MessageStrip::Kind::Note,
      step ? tr("%1 stops at its next checkpoint, at step %2.").arg(title, models::figure(report::count_words(*step)))
           : tr("%1 stops where its present step ends.").arg(title),
      topic);
  auto* const stopNow = new QAction(tr("Stop now"), strip);
  stopNow->setToolTip(m_actions->stop()->toolTip());
  connect(stopNow, &QAction::triggered, m_actions->stop(), &QAction::trigger);
  strip->addWayOut(stopNow);
  strip->addWayOut(m_actions->stopAtCheckpoint());
}

QString RunPage::refusedArchiveWords() const {
  return tr("%1 could not be opened. Open another archive, or use the default one (Run menu).")
      .arg(QFileInfo(m_refusedArchive).fileName());
}

const record::TrialRow* RunPage::resumableArm() const {
  const bool inArchive = m_view == View::Archive && isFollowedOver() && m_lastCheckpoint;
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

/// Of the run that is shown; empty: none is, or how it stands is not known yet.
QString RunPage::whyNotResumed() const {
  const auto& arms = m_shown->arms();
  if (m_view == View::OwnRun && m_queue->current() != nullptr) {
    const QString title = models::isolated(runTitle());
    return m_controller->state() == worker::JobState::Paused ? tr("%1 is paused: Resume lets it go on.").arg(title)
                                                             : tr("%1 is running.").arg(title);
  }
  if (arms.empty() || m_view == View::Nothing) return {};
  const record::TrialRow& reference = arms.front()->arm();
  const QString name = models::isolated(titleOf(reference));
  if (m_queue->resumes(m_archive, reference.experiment_id)) return tr("%1 goes on already, or waits for it.").arg(name);
  if (m_view == View::Archive && !m_armsKnown) return {};
  if (m_view == View::Archive && runsElsewhere()) return tr("%1 is running in another process.").arg(name);
  if (m_view == View::Archive && !isFollowedOver()) return tr("%1 is still being read from its archive.").arg(name);
  if (m_view == View::OwnRun && !m_brokenWords.isEmpty()) {
    return tr("The archive of %1 could not be written. Where it can be again, the run goes on from its last "
              "checkpoint, if it had made one.")
        .arg(name);
  }
  const auto has = [&arms](record::Status status) {
    return std::any_of(arms.begin(), arms.end(), [status](const auto& arm) { return arm->arm().end.status == status; });
  };
  if (reference.end.status == record::Status::Failed) {
    return tr("The reference of %1 failed, and a run goes on with its reference only. Open its file and run it again.")
        .arg(name);
  }
  if (has(record::Status::Interrupted) || has(record::Status::Stopped)) {
    if (m_view != View::Archive || !m_areCheckpointsKnown || m_lastCheckpoint) return {};
    return (has(record::Status::Interrupted)
                ? tr("%1 was interrupted before its first checkpoint: there is nothing to go on from. Open its file "
                     "and run it again.")
                : tr("%1 was stopped without a checkpoint: there is nothing to go on from. Open its file and run it "
                     "again."))
        .arg(name);
  }
  return tr("%1 has come to its end. Only a run that was stopped or interrupted can go on.").arg(name);
}

void RunPage::offerToResume() {
  m_offerIsStale = false;
  const record::TrialRow* const arm = resumableArm();
  enableActions();
  if (arm != nullptr && m_goesOn) return resumeShownRun();
  if (arm == nullptr) {
    m_goesOn = false;
    tellLostRun();
    return;
  }
  forgetBrokenRun(arm->experiment_id);
  const QString step = models::figure(report::count_words(m_shown->steps()));
  // Stopping makes a checkpoint of the last complete step.
  const qint64 last = m_view == View::Archive ? *m_lastCheckpoint : m_shown->steps();
  const QString checkpoint = models::figure(report::count_words(last));
  const QString name = models::isolated(titleOf(*arm));
  const bool stopped = arm->end.status == record::Status::Stopped;
  shell::MessageStrip* const strip = tellOfEnd(
      shell::MessageStrip::Kind::Note,
      stopped
          ? tr("%1 was stopped at step %2. It can go on from its checkpoint at step %3.").arg(name, step, checkpoint)
          : tr("%1 was interrupted at step %2. It can go on from its checkpoint at step %3.")
                .arg(name, step, checkpoint),
      *arm);
  if (strip != nullptr) strip->addWayOut(m_actions->resumeRun());
}

/// How a run ended, unless a person has dismissed that before; where it goes on and ends once more, it is told again.
shell::MessageStrip* RunPage::tellOfEnd(shell::MessageStrip::Kind kind, const QString& sentence,
                                        const record::TrialRow& arm) {
  const QString topic = QString::fromLatin1(kResumeTopic);
  const QString what = QStringLiteral("%1#%2#%3#run")
                           .arg(QFileInfo(m_archive).absoluteFilePath(), QString::number(arm.id),
                                QString::number(arm.end.counts.attempted));
  if (m_settings != nullptr && m_settings->isDismissed(what)) {
    m_strips->dismiss(topic);
    return nullptr;
  }
  shell::MessageStrip* const strip = m_strips->show(kind, sentence, topic);
  connect(strip, &shell::MessageStrip::dismissed, this, [this, what] {
    if (m_settings != nullptr) m_settings->dismiss(what);
  });
  return strip;
}

/// A run whose process is gone and that left nothing to go on from.
void RunPage::tellLostRun() {
  const QString topic = QString::fromLatin1(kResumeTopic);
  const auto isInterrupted = [](const auto& arm) { return arm->arm().end.status == record::Status::Interrupted; };
  const auto& arms = m_shown->arms();
  const auto lost = std::find_if(arms.begin(), arms.end(), isInterrupted);
  const bool isLost = m_view == View::Archive && isFollowedOver() && !m_lastCheckpoint && lost != arms.end() &&
                      !m_queue->resumes(m_archive, (*lost)->arm().experiment_id);
  if (!isLost) return m_strips->dismiss(topic);
  forgetBrokenRun((*lost)->arm().experiment_id);
  const qint64 steps = m_shown->steps();
  const QString name = models::isolated(titleOf((*lost)->arm()));
  const QString where =
      steps == 0 ? tr("before its first step") : tr("at step %1").arg(models::figure(report::count_words(steps)));
  tellOfEnd(shell::MessageStrip::Kind::Warning,
            tr("%1 was interrupted %2, and it left no checkpoint to go on from. What it "
               "recorded stays. Open its file and run it again; with checkpoint = { every = 500 } under [training] "
               "a run can go on after such an end.")
                .arg(name, where),
            (*lost)->arm());
}

void RunPage::resumeShownRun() {
  m_goesOn = false;
  const record::TrialRow* const arm = resumableArm();
  if (arm == nullptr) return goOnWithInterrupted();
  m_strips->dismiss(QString::fromLatin1(kRunTopic));
  m_strips->dismiss(QString::fromLatin1(kResumeTopic));
  if (m_controller->state() == worker::JobState::Idle) forgetFailures();  // what ended this run, too
  const auto& experiment = m_view == View::Archive ? m_archived : m_own.experiment;
  if (experiment) tellChangedFile(*experiment, titleOf(*arm));
  m_queue->resume(m_archive, arm->id, arm->experiment_id, experiment, QString::fromStdString(arm->experiment));
  enableActions();
}

/// The run at work, and its archive where the window shows another one.
QString RunPage::jobWords() const {
  QString words = models::isolated(runTitle());
  if (m_own.archive != m_archive && !m_archive.isEmpty()) {
    words = tr("%1 into %2").arg(words, models::isolated(QFileInfo(m_own.archive).fileName()));
  }
  return m_controller->state() == worker::JobState::Paused ? tr("%1, paused").arg(words) : words;
}

/// To the status bar, from the start of the job on: the step that the page has.
void RunPage::tellProgress() {
  if (m_controller->currentJob() == 0) return;
  const qint64 planned = m_own.experiment ? m_own.experiment->training.steps.value_or(0) : 0;
  Q_EMIT progressed(jobWords(), stepReached(), m_progress ? m_progress->steps : planned);
}

/// The newest step of this page's own run that is known of: the engine may not have told of the one before a step that
/// does not end, and the data of a run that was gone on with is in the archive's view.
qint64 RunPage::stepReached() const {
  const bool isFollowed = m_own.resumes != 0 && m_own.resumes == m_followed && m_own.archive == m_archive;
  const qint64 here = (isFollowed ? m_archiveData : m_ownData).steps();
  return m_progress ? std::max<qint64>(m_progress->step, here) : here;
}

bool RunPage::isResumedHere() const {
  return m_own.resumes != 0 && m_controller->state() != worker::JobState::Idle && m_own.archive == m_archive &&
         m_own.resumes == m_followed;
}

void RunPage::beginOwnRun() {
  const OwnRun* const own = m_queue->current();
  if (own == nullptr) return;
  forgetFailedArms();
  m_own = *own;
  m_ownJob = m_controller->currentJob();
  m_brokenWords.clear();
  m_brokenReason.clear();
  m_lateWriters.stop();
  clearData(m_ownData);
  countRun();
  m_ownNames.clear();
  m_progress.reset();
  m_phase = tr("preparing");
  m_controls->preflight()->endWaiting();
  if (m_own.resumes != 0 && m_own.archive == m_archive) {
    // Its earlier steps are in the archive, and the new ones come there.
    follow(m_own.resumes);
  } else {
    showView(View::OwnRun);
  }
  m_strips->dismiss(QString::fromLatin1(kResumeTopic));
  tellProgress();
}

void RunPage::endOwnRun() {
  // Where a person has stopped it, what waits is begun by another word, and is a queue of its own.
  m_failures.end(m_controller->holdsWaiting() ? 0 : static_cast<int>(m_controller->waiting().size()));
  m_phase.clear();
  m_waitsForArchive = false;
  m_progress.reset();
  Q_EMIT progressed({}, 0, 0);
  m_isNew = true;
  enableActions();
  wake();
  Q_EMIT archiveChanged(m_own.archive);
  takeSteps();
  if (m_view == View::OwnRun) offerToResume();
  tellStopAtCheckpoint();
  if (m_controller->waiting().empty()) Q_EMIT workEnded();
}

void RunPage::showWaiting() {
  // What starts at once does not wait.
  m_controls->queue()->showWaiting(startsSoon() ? std::vector<worker::WaitingJob>() : namedWaiting(),
                                   m_controller->holdsWaiting());
}

/// Also to the tree, the status bar and the log.
void RunPage::tellPaused() {
  const bool isPaused = m_controller->state() == worker::JobState::Paused;
  const std::int64_t experiment = ownExperiment();
  Q_EMIT runPaused(m_own.archive, isPaused ? experiment : 0);
  if (std::exchange(m_isPausedTold, isPaused) == isPaused) return;
  tellProgress();
  const QString title = runTitle();
  if (isPaused) log(tr("%1: paused at step %2").arg(title, models::figure(report::count_words(stepReached()))));
  if (m_controller->state() == worker::JobState::Running) log(tr("%1: goes on").arg(title));
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

/// Whether Run begins something else than a person sees.
bool RunPage::runsAnother() const {
  if (!m_opened || m_view == View::Nothing) return false;
  const auto& shown = m_view == View::Archive ? m_archived : m_own.experiment;
  return !shown || shown->file != m_opened->file;
}

void RunPage::enableActions() {
  RunSituation situation;
  situation.state = m_controller->state();
  situation.startsSoon = startsSoon();
  situation.waitsForLookAhead = m_controller->waitsForLookAhead();
  situation.stopsAtCheckpoint = m_controller->stopsAtCheckpoint();
  if (m_opened) situation.openedFile = QFileInfo(QString::fromStdString(m_opened->file)).fileName();
  situation.runsAnother = runsAnother();
  situation.runElsewhere = runElsewhere();
  if (!m_refusedArchive.isEmpty()) {
    situation.whyNotRun = refusedArchiveWords();
  } else if (archiveToRunInto().isEmpty()) {
    situation.whyNotRun = tr("Open an archive first: there is no home folder for the default one.");
  }
  if (const record::TrialRow* const arm = resumableArm()) {
    situation.resumable = QString::fromStdString(arm->experiment);
  } else if (m_view == View::Nothing && models::interruptedArm(m_trials) != nullptr && !isBusy()) {
    situation.resumable = QString::fromStdString(models::interruptedArm(m_trials)->experiment);
  } else {
    situation.whyNotResumed = whyNotResumed();
  }
  situation.refusedArchive = !m_refusedArchive.isEmpty();
  situation.hasExperiment = m_view == View::Archive || m_opened != nullptr;
  const auto& shown = m_view == View::OwnRun ? m_own.experiment : m_opened;
  situation.isTooLargeToEdit =
      m_view != View::Archive && shown && static_cast<qint64>(shown->text.size()) > shell::kLargestEdited;
  m_actions->update(situation);
  m_controls->offerGoOn(situation.state == worker::JobState::Idle && resumableArm() != nullptr);
  if (situation.state == worker::JobState::Running) m_controls->focusNextAfterPrimary();
  // A trial can be added to a file that is open; what an archive has of another one stays as it was run.
  m_controls->presets()->setVisible((m_view != View::Archive || !runsAnother()) && m_opened != nullptr &&
                                    !situation.isTooLargeToEdit && m_controls->presets()->hasPresets());
  if (m_view == View::Archive && isResumedHere()) {
    m_controls->setNote(tr("Goes on in %1.").arg(models::isolated(QFileInfo(m_archive).fileName())));
  } else if (!m_refusedArchive.isEmpty()) {
    m_controls->setNote(situation.whyNotRun);
  } else if (m_view == View::Archive) {
    const QString whence =
        runsElsewhere() ? tr("Live from another process, for reading.") : tr("From the archive, for reading.");
    m_controls->setNote(whence + u' ' +
                        (m_opened ? tr("Run starts %1.").arg(models::isolated(situation.openedFile))
                                  : tr("Open an experiment file to run one.")));
  } else if (m_queue->current() != nullptr) {
    m_controls->setNote(tr("Runs into %1.").arg(models::isolated(QFileInfo(m_queue->current()->archive).fileName())));
  } else if (m_view == View::OwnRun && m_isAside) {
    m_controls->setNote(
        tr("Run starts %1, into %2.")
            .arg(models::isolated(situation.openedFile), models::isolated(QFileInfo(archiveToRunInto()).fileName())));
  } else if (archiveToRunInto().isEmpty()) {
    m_controls->setNote(tr("There is no folder for an archive of your own: open or create an archive to run into."));
  } else {
    m_controls->setNote(tr("Runs into %1.").arg(models::isolated(QFileInfo(archiveToRunInto()).fileName())));
  }
  tellRules();
  tellOpenedAside();
  tellRunElsewhere();
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

}  // namespace mantissa::ui::run
