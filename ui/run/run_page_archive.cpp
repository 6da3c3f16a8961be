// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows of the archive that is open: one of its experiments, followed while another process writes it.
#include <algorithm>
#include <utility>

#include <QAction>
#include <QFileInfo>
#include <QHash>
#include <QSet>
#include <QStackedLayout>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/run/experiment_loader.h"
#include "ui/run/run_actions.h"
#include "ui/run/run_page.h"
#include "ui/shell/empty_state.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::run {

namespace {

std::set<std::int64_t> runningExperiments(const models::TrialList& trials) {
  std::set<std::int64_t> running;
  if (!trials) return running;
  for (const record::TrialRow& arm : *trials) {
    if (arm.end.status == record::Status::Running) running.insert(arm.experiment_id);
  }
  return running;
}

std::int64_t newestExperiment(const models::TrialList& trials) {
  std::int64_t newest = 0;
  if (!trials) return newest;
  for (const record::TrialRow& arm : *trials) newest = std::max(newest, arm.experiment_id);
  return newest;
}

}  // namespace

void RunPage::setArchive(const QString& path, const models::TrialList& trials) {
  const bool isOther = path != m_archive;
  const std::int64_t newestBefore = newestExperiment(m_trials);
  const std::set<std::int64_t> runningBefore = std::exchange(m_running, runningExperiments(trials));
  const bool isAlike = !isOther && models::standAlike(m_trials, trials);
  m_archive = path;
  m_trials = trials;
  if (isAlike) return;
  showWaiting();  // by names that tell them apart
  m_refusedArchive.clear();
  m_strips->dismiss(QString::fromLatin1(kRefusedTopic));
  enableActions();
  if (isOther) {
    m_follower.reset();
    m_loader->cancel();
    m_followed = 0;
    m_isChosen = false;
    // A run of this window goes on, and into the archive that it began with.
    if (m_view == View::Archive) showView(m_queue->current() != nullptr ? View::OwnRun : View::Nothing);
    clearData(m_archiveData);
    tellPaused();
    if (m_view == View::Nothing && !m_opened && m_strips->count() == 0) m_stack->setCurrentWidget(m_empty);
  }
  tellInterrupted();
  if (!trials || trials->empty()) return;
  if (!isOther) followWhatBegan(runningBefore, newestBefore);
  // What a person looks at stays; a fresh page shows the newest experiment.
  if (m_view == View::OwnRun || (m_opened && !m_isHeld) || m_followed != 0) return;
  follow(newestExperiment(trials));
}

/// Turns to a run that another process has begun or gone on with, where nobody is busy with anything else. Elsewhere
/// the tree alone tells of it.
void RunPage::followWhatBegan(const std::set<std::int64_t>& runningBefore, std::int64_t newestBefore) {
  if (m_isChosen || isBusy()) return;
  // A short one has begun and ended between two looks.
  std::int64_t begun = newestExperiment(m_trials);
  if (begun <= newestBefore) begun = 0;
  for (const std::int64_t experiment : m_running) {
    if (runningBefore.count(experiment) == 0) begun = std::max(begun, experiment);
  }
  const bool isOwn = m_own.archive == m_archive && (begun == m_ownData.experiment() || begun == m_own.resumes);
  if (begun == 0 || isOwn || (m_view == View::Archive && begun == m_followed)) return;
  follow(begun);
  tellShown(begun, *m_trials);
}

/// Selects in the tree what the page has turned to: the first trial, or the reference where there is none.
void RunPage::tellShown(std::int64_t experiment, const std::vector<record::TrialRow>& arms) {
  std::int64_t shown = 0;
  bool isTrial = false;
  for (const record::TrialRow& arm : arms) {
    if (arm.experiment_id != experiment || isTrial) continue;
    isTrial = arm.start.kind == record::TrialKind::Trial;
    if (isTrial || shown == 0) shown = arm.id;
  }
  Q_EMIT trialShown(shown);
  m_isChosen = false;
}

void RunPage::refuseArchive(const QString& path) {
  if (path == m_own.archive) return;  // a run goes into it: nothing else was asked for
  m_refusedArchive = path;
  enableActions();
}

void RunPage::useDefaultArchive() {
  m_refusedArchive.clear();
  m_strips->dismiss(QString::fromLatin1(kRefusedTopic));
  enableActions();
}

void RunPage::selectTrial(std::int64_t id) {
  if (!m_trials) return;
  for (const record::TrialRow& arm : *m_trials) {
    if (arm.id == id) return selectExperiment(arm.experiment_id);
  }
}

void RunPage::selectExperiment(std::int64_t id) {
  if (id == m_ownData.experiment() && m_own.experiment && m_own.archive == m_archive) {
    if (m_view != View::OwnRun) {
      showView(View::OwnRun);
      if (m_queue->current() == nullptr) offerToResume();
    }
  } else {
    follow(id);
  }
  m_isChosen = id != newestExperiment(m_trials);
}

std::int64_t RunPage::ownExperiment() const { return m_own.resumes != 0 ? m_own.resumes : m_ownData.experiment(); }

/// Of an experiment of an archive, as the tree names it; of one of another archive than the window shows, its name.
QString RunPage::titleIn(const QString& archive, const QString& name, std::int64_t experiment) const {
  return archive == m_archive ? models::experimentTitle(name, experiment, m_trials) : name;
}

/// Of the run at work.
QString RunPage::runTitle() const {
  const bool hasBegun = m_ownJob == m_controller->currentJob();  // or what is known is of the one before
  return titleIn(m_own.archive, m_controller->currentTitle(), hasBegun ? ownExperiment() : 0);
}

/// Of an arm that is shown.
QString RunPage::titleOf(const record::TrialRow& arm) const {
  return titleIn(m_view == View::Archive ? m_archive : m_own.archive, QString::fromStdString(arm.experiment),
                 arm.experiment_id);
}

/// Those that wait, each by a name of its own: what goes on has its number in the archive; a new one has none yet, and
/// is told apart by its file.
std::vector<worker::WaitingJob> RunPage::namedWaiting() const {
  std::vector<worker::WaitingJob> waiting = m_controller->waiting();
  QHash<QString, QSet<QString>> files;
  const auto fileOf = [](const OwnRun& run) {
    return run.experiment ? QFileInfo(QString::fromStdString(run.experiment->file)).fileName() : QString();
  };
  if (const OwnRun* const run = m_queue->current()) files[m_controller->currentTitle()] << fileOf(*run);
  for (const worker::WaitingJob& job : waiting) {
    if (const OwnRun* const run = m_queue->run(job.id)) files[job.title] << fileOf(*run);
  }
  for (worker::WaitingJob& job : waiting) {
    const OwnRun* const run = m_queue->run(job.id);
    if (run == nullptr) continue;
    if (run->resumes != 0) {
      job.title = titleIn(run->archive, job.title, run->resumes);
    } else if (files[job.title].size() > 1) {
      job.title = QStringLiteral("%1 · %2").arg(models::isolated(job.title), models::isolated(fileOf(*run)));
    }
  }
  // What is alike to the end has its place in the queue.
  QHash<QString, int> alike;
  for (const worker::WaitingJob& job : waiting) ++alike[job.title];
  QHash<QString, int> place;
  for (worker::WaitingJob& job : waiting) {
    const int all = alike.value(job.title);
    if (all < 2) continue;
    const int number = ++place[job.title];
    job.title = tr("%1 (%2 of %3)").arg(models::isolated(job.title), wholeText(number), wholeText(all));
  }
  return waiting;
}

/// Where the actions are about a run that is not what is shown.
QString RunPage::runElsewhere() const {
  const bool isElsewhere = m_queue->current() != nullptr && m_view != View::OwnRun && !isResumedHere();
  return isElsewhere ? runTitle() : QString();
}

void RunPage::tellRunElsewhere() {
  const QString run = runElsewhere();
  if (std::exchange(m_elsewhereTold, run) == run) return;
  const QString topic = QString::fromLatin1(kElsewhereTopic);
  if (run.isEmpty()) return m_strips->dismiss(topic);
  m_strips
      ->show(shell::MessageStrip::Kind::Note,
             tr("%1 goes on, and Pause and Stop are about it. What is shown here is another experiment.")
                 .arg(models::isolated(run)),
             topic)
      ->addWayOut(m_actions->showRun());
}

void RunPage::showRun() {
  if (m_queue->current() == nullptr) return;
  const bool isHere = m_own.archive == m_archive;
  const std::int64_t experiment = ownExperiment();
  if (m_own.resumes != 0 && isHere) {
    follow(m_own.resumes);
  } else {
    showView(View::OwnRun);
  }
  if (isHere && experiment != 0 && m_trials) tellShown(experiment, *m_trials);
  m_isChosen = false;
  Q_EMIT frontWanted();
}

void RunPage::follow(std::int64_t experiment) {
  // Another arm of what is shown moves nothing: zooms stay.
  if (m_view == View::Archive && m_followed == experiment && m_follower) return;
  if (m_followed != experiment || !m_follower) {
    m_followed = experiment;
    m_archived.reset();
    clearData(m_archiveData);
    m_armsKnown = false;
    m_unread.clear();
    m_cannotBeRead = false;
    leaveView();
    m_follower = std::make_unique<worker::ArchiveFollower>(m_archive, experiment);
    listenToFollower();
    m_lastCheckpoint.reset();
    m_areCheckpointsKnown = false;
  }
  showView(View::Archive);
  for (const auto& arm : m_archiveData.arms()) tellFailedArm(arm->arm());
  m_offerIsStale = m_areCheckpointsKnown;
}

/// The newest run lost its process, and what is shown is a file that was opened: as the window says it of other pages.
void RunPage::tellInterrupted() {
  const QString topic = QString::fromLatin1(kInterruptedTopic);
  const record::TrialRow* const lost = models::interruptedArm(m_trials);
  const QString what = lost != nullptr ? models::endKey(m_archive, *lost) : QString();
  const bool isTold = lost != nullptr && m_view == View::Nothing && m_opened && !m_isHeld && !isBusy() &&
                      !(m_settings != nullptr && m_settings->isDismissed(what));
  m_strips->dismiss(topic);
  if (!isTold) return;
  const QString name = models::isolated(models::experimentTitle(*lost, m_trials));
  shell::MessageStrip* const strip =
      m_strips->show(shell::MessageStrip::Kind::Note,
                     tr("%1 was interrupted before its end, and may go on from a checkpoint. Run begins the experiment "
                        "that is open anew.")
                         .arg(name),
                     topic);
  auto* const show = new QAction(tr("Show how far it came"), strip);
  connect(show, &QAction::triggered, this, [this, shown = lost->id, experiment = lost->experiment_id] {
    follow(experiment);
    Q_EMIT trialShown(shown);
  });
  strip->addWayOut(show);
  strip->addWayOut(m_actions->resumeRun());
  connect(strip, &shell::MessageStrip::dismissed, this, [this, what] {
    if (m_settings != nullptr) m_settings->dismiss(what);
    enableActions();
  });
}

/// Where it can go on from is known when it is shown.
void RunPage::goOnWithInterrupted() {
  const record::TrialRow* const lost = models::interruptedArm(m_trials);
  if (m_view != View::Nothing || lost == nullptr || isBusy()) return;
  const std::int64_t shown = lost->id;
  follow(lost->experiment_id);
  m_goesOn = true;
  Q_EMIT trialShown(shown);
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
    takeFollowedArms(arms);
    m_loader->load(m_archive, m_followed,
                   arms.front().start.reference != 0 ? arms.front().start.reference : arms.front().id);
    enableActions();
    news();
  });
  connect(follower, &ArchiveFollower::armEnded, this, [this, news](const record::TrialRow& arm) {
    m_unread.erase(arm.id);
    m_archiveData.setArms({arm});
    tellFailedArm(arm);
    enableActions();
    if (isFollowedOver()) {
      m_offerIsStale = false;  // until it is known what checkpoints there are now
      m_loader->load(m_archive, m_followed, arm.start.reference != 0 ? arm.start.reference : arm.id);
    }
    news();
  });
  connect(follower, &ArchiveFollower::armEvaluated, this, [this, news](const record::Evaluation& evaluation) {
    if (m_archiveData.takeEvaluation(evaluation)) news();
  });
  connect(follower, &ArchiveFollower::armResumed, this, [this, news](const record::TrialRow& arm, qint64 step) {
    takeFollowedArms({arm});
    m_archiveData.truncate(arm.id, step);
    m_offerIsStale = true;
    enableActions();
    news();
  });
  connect(follower, &ArchiveFollower::archiveReplaced, this, [this, news] {
    clearData(m_archiveData);
    m_armsKnown = false;
    m_unread.clear();
    news();
  });
  const auto readable = [this, news](bool can) {
    m_cannotBeRead = !can;
    enableActions();
    news();
  };
  connect(follower, &ArchiveFollower::problemArose, this, [this, readable](const QString& sentence) {
    readable(false);
    Q_EMIT archiveTroubled(sentence);
  });
  connect(follower, &ArchiveFollower::problemSolved, this, [this, readable] {
    readable(true);
    Q_EMIT archiveTroubled({});
  });
}

/// The steps of one that has ended are all here when its end is told.
void RunPage::takeFollowedArms(std::vector<record::TrialRow> arms) {
  for (record::TrialRow& arm : arms) {
    if (arm.end.status == record::Status::Running) {
      m_unread.erase(arm.id);
      hasBroken(arm, &arm.end);
    } else {
      m_unread.insert(arm.id);
    }
  }
  m_archiveData.setArms(arms);
}

/// Whether an arm that the archive calls running is of a run that this process broke off. \param end  takes how the
/// lists show it
bool RunPage::hasBroken(const record::TrialRow& arm, record::TrialEnd* end) const {
  if (!m_trials || m_brokenRuns.count({m_archive, arm.experiment_id}) == 0) return false;
  const auto listed = std::find_if(m_trials->begin(), m_trials->end(), [&](const auto& one) {
    return one.id == arm.id && one.started_at == arm.started_at && one.end.status == record::Status::Failed;
  });
  if (listed == m_trials->end()) return false;
  *end = listed->end;
  return true;
}

/// Whether what is followed is live: an arm of it runs, and the archive tells of it.
bool RunPage::runsElsewhere() const {
  const auto& arms = m_archiveData.arms();
  return m_armsKnown && !m_cannotBeRead && std::any_of(arms.begin(), arms.end(), [](const auto& arm) {
           return arm->arm().end.status == record::Status::Running;
         });
}

/// Whether all that is followed has ended, and is here.
bool RunPage::isFollowedOver() const {
  const auto& arms = m_archiveData.arms();
  return m_armsKnown && m_unread.empty() && std::none_of(arms.begin(), arms.end(), [](const auto& arm) {
           return arm->arm().end.status == record::Status::Running;
         });
}

void RunPage::forgetFailedArms() {
  for (const QString& topic : m_armTopics) m_strips->dismiss(topic);
  m_armTopics.clear();
}

void RunPage::tellFailedArm(const record::TrialRow& arm) {
  if (arm.end.status != record::Status::Failed || m_view != View::Archive) return;
  if (m_own.resumes == m_followed && m_own.archive == m_archive) return;  // told with the runs of this window
  const QString topic = QStringLiteral("arm %1").arg(arm.id);
  m_armTopics << topic;
  showFailure(tr("%1 has failed: %2")
                  .arg(models::isolated(QString::fromStdString(arm.start.name)),
                       models::figuresIn(QString::fromStdString(arm.end.failure_text))),
              topic);
}

}  // namespace mantissa::ui::run
