// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "core/session/preflight.h"
#include "core/session/run.h"
#include "ui/worker/engine.h"
#include "ui/worker/job.h"

namespace mantissa::ui::worker {

class EngineThread;
class Mailbox;

/// Runs jobs one after another on a thread of its own, the engine's, and tells the window of them.
///
/// Lives on the window's thread: all calls come from there, all signals arrive there, and none of either waits for the
/// engine. Steps do not come as signals: `takeSteps` gives what is new when the window's clock asks.
///
/// Signals of a job come in the order in which things happened, between its `jobStarted` and exactly one of
/// `jobFinished`, `jobStopped`, `jobFailed`; by then its last steps can be taken. A job that `replace` has superseded
/// is not heard of again, whatever it still does.
///
/// Destruction stops what runs and waits until it has ended: at most the rest of a microbatch, of a loading data set,
/// of an evaluation or of the comparison of cases. A model may take for ever over one of them, and nothing interrupts
/// it: `heldUp` tells of it, and who cannot wait calls `endWithin` before and ends the process where that fails.
class TrainingController : public QObject {
  Q_OBJECT

 public:
  explicit TrainingController(EngineFactory factory, QObject* parent = nullptr);
  ~TrainingController() override;

  /// Puts the job at the end of the queue. It starts when its turn has come and control is back in the event loop.
  JobId enqueue(Job job);

  /// Stops the current job, which is not heard of again, and runs this one next.
  JobId replace(Job job);

  /// Takes a job that waits out of the queue. False where it does not wait (any more).
  bool removeWaiting(JobId job);
  void clearWaiting();
  std::vector<WaitingJob> waiting() const;  ///< in the order of their turns

  /// From now on none of those that wait begins by itself, whatever ends, until `startWaiting` or until none waits any
  /// more. A job of `replace` begins all the same.
  void holdWaiting();
  void startWaiting();
  bool holdsWaiting() const { return m_holds; }
  /// Whether the first of those that wait begins as soon as nothing is at work.
  bool isNextDue() const { return !m_waiting.empty() && (!m_holds || m_waiting.front().first == m_replacement); }

  /// Finds out what a run would be, while no job is at work or waits: the last one asked for, once. Any job that comes
  /// goes first, and what was found out until then is dropped. It is no job: `state` stays Idle.
  void lookAhead(Job::Run work);
  void cancelLookAhead();
  /// Whether one is at work, wanted or not: what it is at cannot be interrupted everywhere.
  bool looksAhead() const;
  /// Traces what steps of the experiment hold, while no job is at work or waits, and after a look ahead: the last one
  /// asked for, once. Any job that comes goes first, and so does a look ahead: what was traced until then is dropped.
  void traceMemory(spec::Experiment experiment);
  void cancelTrace();
  /// Whether one is at work or waits for its turn.
  bool tracesMemory() const;
  /// Whether jobs wait for a look ahead, or a trace, to come to its end.
  bool waitsForLookAhead() const;

  /// How long the engine may give no sign of life when something is asked of it before `heldUp` tells.
  void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

  /// Stops everything and waits for it, at most so long. False: the engine still is at something; then neither it nor
  /// this object can be destroyed.
  bool endWithin(std::chrono::milliseconds limit);

  /// Since the engine's last sign of life from the current job: a step of it, a phase, a note. Nothing without a job,
  /// and while it is paused.
  std::optional<std::chrono::milliseconds> silence() const;

  JobState state() const { return m_state; }
  JobId currentJob() const;  ///< 0 while idle, and while a superseded job comes to its end
  QString currentTitle() const;
  bool stopsAtCheckpoint() const;  ///< the current job has been asked to

  /// Steps since the last call, of the current job and the end of those before it, oldest first. Waits for nothing.
  std::vector<StepBatch> takeSteps();

 public Q_SLOTS:
  // What is asked of the current job; without one, nothing happens. Jobs that wait have their turn after it. After its
  // last step nothing is left to hold or to stop: it ends as finished.
  void pause();             ///< before its next step; `stateChanged` tells when it stands still
  void resume();            ///< goes on after a pause
  void stepOnce();          ///< one step while paused
  void stop();              ///< as soon as it can be; the last complete step becomes a checkpoint
  void stopAtCheckpoint();  ///< at the next checkpoint that it makes
  void goPastCheckpoint();  ///< takes `stopAtCheckpoint` back

 Q_SIGNALS:
  void queueChanged();
  void jobStarted(mantissa::ui::worker::JobId job);
  void stateChanged(mantissa::ui::worker::JobState state);
  /// "preparing", "training", "comparing cases" …
  void phaseBegan(mantissa::ui::worker::JobId job, const QString& phase);
  /// All arms, before the first step: the reference, the trials, the yardsticks.
  void armsOpened(mantissa::ui::worker::JobId job, const std::vector<mantissa::record::TrialRow>& arms);
  /// At most ten times a second, and wherever the run comes to stand still.
  void progressed(mantissa::ui::worker::JobId job, const mantissa::session::Progress& progress);
  /// Whether the job's records reach the archive no more at present: what was taken of its steps stands still. Comes
  /// again while they do not.
  void waitsForArchive(mantissa::ui::worker::JobId job, bool waits);
  void noteArrived(mantissa::ui::worker::JobId job, const QString& sentence);
  void armEvaluated(mantissa::ui::worker::JobId job, const mantissa::record::Evaluation& evaluation);
  void checkpointReached(mantissa::ui::worker::JobId job, qint64 step);
  /// With its verdict; once more where its gains were measured after that.
  void armEnded(mantissa::ui::worker::JobId job, const mantissa::record::TrialRow& arm);
  void jobFinished(mantissa::ui::worker::JobId job, const mantissa::record::RunSummary& summary);
  void jobStopped(mantissa::ui::worker::JobId job, const mantissa::record::RunSummary& summary);
  void jobFailed(mantissa::ui::worker::JobId job, const mantissa::ui::worker::JobFailure& failure);
  /// The look ahead at work, wanted or not, begins the part of a step that is this arm's. Empty: it prepares.
  void lookAheadReached(const QString& arm);
  /// What the last `lookAhead` has found; one that was superseded or cancelled is not heard of.
  void lookedAhead(const mantissa::session::Preflight& preflight);
  void lookAheadFailed(const mantissa::ui::worker::JobFailure& failure);
  /// What the trace at work is at: the arms as the experiment has them, or with the other activation checkpointing.
  void memoryTraceReached(bool withOtherCheckpointing);
  void memoryTraced(const std::shared_ptr<const mantissa::ui::worker::TracedExperiment>& traced);
  void memoryTraceFailed(const mantissa::ui::worker::JobFailure& failure);
  /// It was cancelled, or something else went first.
  void memoryTraceStopped();
  /// A job was asked to pause or to stop, or waits for a look ahead, and the engine has given no sign of life for so
  /// many seconds: again after twice the time. What comes next from the engine ends it.
  void heldUp(int seconds);
  /// The engine that `heldUp` told of has come back.
  void cameBack();

 private:
  class JobObserver;
  struct Current;
  struct Feed {
    JobId job = 0;
    std::unique_ptr<mantissa::archive::StepFeed::Subscription> subscription;
    bool is_over = false;  // nothing more comes
  };

  JobId nextId() { return ++m_lastId; }
  void startNext();
  void startJob();
  void startLookAhead();
  void startTrace();
  bool stopLookAhead();  // whether there is one at work
  void engineIs(JobState state);
  /// Something was asked of the engine.
  void watchEngine();
  bool isAwaited() const;
  void lookAtEngine();
  void engineLives();
  void noLongerHeldUp();
  void setState(JobState state);
  void endCurrent(const std::function<void(JobId)>& tell);
  bool isHeard(JobId job) const;
  session::RunControl* control() const;  // null where nothing is heard of

  std::deque<std::pair<JobId, Job>> m_waiting;
  std::optional<Job::Run> m_lookAhead;
  std::optional<spec::Experiment> m_trace;
  std::unique_ptr<Current> m_current;  // what the engine's thread is at; nothing while idle
  std::vector<Feed> m_feeds;           // of the current job, and of the one before where its last steps were not taken
  bool m_holds = false;
  JobId m_replacement = 0;  // starts whatever is held
  JobId m_lastId = 0;
  JobState m_state = JobState::Idle;
  std::chrono::milliseconds m_patience{5000};
  QElapsedTimer m_lastSign;  // of the engine's life, or when something was asked of it
  QElapsedTimer m_lastWord;  // of the engine
  QTimer m_watch;
  bool m_heldUp = false;
  std::unique_ptr<Mailbox> m_mailbox;
  std::unique_ptr<EngineThread> m_engine;  // last: its thread ends before the mailbox goes
};

}  // namespace mantissa::ui::worker
