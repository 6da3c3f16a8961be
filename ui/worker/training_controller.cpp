// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/training_controller.h"

#include <algorithm>
#include <utility>

#include "ui/worker/engine_thread.h"
#include "ui/worker/job_observer.h"
#include "ui/worker/mailbox.h"

namespace mantissa::ui::worker {

struct TrainingController::Current {
  JobId id = 0;
  QString title;
  std::shared_ptr<session::RunControl> control = std::make_shared<session::RunControl>();
  bool pauses = false;
  bool stops = false;
  bool stops_at_checkpoint = false;
  bool superseded = false;
  bool looks_ahead = false;  // no job
  bool traces = false;       // one that looks ahead at memory alone
};

TrainingController::TrainingController(EngineFactory factory, QObject* parent)
    : QObject(parent),
      m_mailbox(std::make_unique<Mailbox>()),
      m_engine(std::make_unique<EngineThread>(std::move(factory))) {
  m_watch.setSingleShot(true);
  connect(&m_watch, &QTimer::timeout, this, &TrainingController::lookAtEngine);
}

TrainingController::~TrainingController() {
  if (m_current) m_current->control->stop();
  m_engine.reset();
}

bool TrainingController::endWithin(std::chrono::milliseconds limit) {
  m_waiting.clear();
  m_lookAhead.reset();
  m_trace.reset();
  if (m_current) m_current->control->stop();
  return m_engine->waitUntilIdle(limit);
}

bool TrainingController::looksAhead() const { return m_current && m_current->looks_ahead && !m_current->traces; }

bool TrainingController::waitsForLookAhead() const { return m_current && m_current->looks_ahead && !m_waiting.empty(); }

void TrainingController::watchEngine() {
  if (m_heldUp) return;
  m_lastSign.start();
  m_watch.start(m_patience);
}

bool TrainingController::isAwaited() const {
  if (!m_current) return false;
  const bool pauses = m_current->pauses && m_state != JobState::Paused;
  const bool goes = m_current->superseded && !m_current->looks_ahead;
  return m_current->stops || goes || pauses || waitsForLookAhead();
}

void TrainingController::lookAtEngine() {
  if (!isAwaited()) return noLongerHeldUp();
  m_heldUp = true;
  const qint64 silent = m_lastSign.elapsed();
  m_watch.start(std::chrono::milliseconds(silent));
  Q_EMIT heldUp(static_cast<int>(silent / 1000));
}

std::optional<std::chrono::milliseconds> TrainingController::silence() const {
  if (currentJob() == 0 || m_state == JobState::Paused || !m_lastWord.isValid()) return std::nullopt;
  return std::chrono::milliseconds(m_lastWord.elapsed());
}

void TrainingController::engineLives() {
  m_lastWord.start();
  noLongerHeldUp();
}

void TrainingController::noLongerHeldUp() {
  m_lastSign.start();
  if (m_watch.isActive() && !m_heldUp) m_watch.start(m_patience);
  if (!m_heldUp) return;
  m_heldUp = false;
  m_watch.start(m_patience);
  Q_EMIT cameBack();
}

JobId TrainingController::enqueue(Job job) {
  const JobId id = nextId();
  m_waiting.emplace_back(id, std::move(job));
  if (stopLookAhead()) watchEngine();
  Q_EMIT queueChanged();
  m_mailbox->post([this] { startNext(); });
  return id;
}

JobId TrainingController::replace(Job job) {
  const JobId id = nextId();
  m_waiting.emplace_front(id, std::move(job));
  m_replacement = id;
  if (stopLookAhead()) watchEngine();
  if (currentJob() != 0) {
    m_current->superseded = true;
    m_current->control->stop();
    watchEngine();
    m_feeds.clear();
    setState(JobState::Stopping);
  }
  Q_EMIT queueChanged();
  m_mailbox->post([this] { startNext(); });
  return id;
}

void TrainingController::lookAhead(Job::Run work) {
  stopLookAhead();
  m_lookAhead = std::move(work);
  m_mailbox->post([this] { startNext(); });
}

void TrainingController::cancelLookAhead() {
  m_lookAhead.reset();
  stopLookAhead();
}

void TrainingController::traceMemory(spec::Experiment experiment) {
  if (m_current && m_current->traces) stopLookAhead();
  m_trace = std::move(experiment);
  m_mailbox->post([this] { startNext(); });
}

void TrainingController::cancelTrace() {
  const bool waited = m_trace.has_value();
  m_trace.reset();
  if (m_current && m_current->traces) {
    stopLookAhead();
  } else if (waited) {
    Q_EMIT memoryTraceStopped();
  }
}

bool TrainingController::tracesMemory() const {
  return m_trace || (m_current && m_current->traces && !m_current->superseded);
}

bool TrainingController::stopLookAhead() {
  if (!m_current || !m_current->looks_ahead) return false;
  m_current->superseded = true;
  m_current->control->stop();
  return true;
}

bool TrainingController::removeWaiting(JobId job) {
  const auto found =
      std::find_if(m_waiting.begin(), m_waiting.end(), [job](const auto& it) { return it.first == job; });
  if (found == m_waiting.end()) return false;
  m_waiting.erase(found);
  if (m_waiting.empty()) m_holds = false;
  Q_EMIT queueChanged();
  return true;
}

void TrainingController::holdWaiting() {
  if (m_waiting.empty()) return;
  m_holds = true;
  Q_EMIT queueChanged();
}

void TrainingController::startWaiting() {
  m_holds = false;
  Q_EMIT queueChanged();
  m_mailbox->post([this] { startNext(); });
}

void TrainingController::clearWaiting() {
  if (m_waiting.empty()) return;
  m_waiting.clear();
  m_holds = false;
  Q_EMIT queueChanged();
}

std::vector<WaitingJob> TrainingController::waiting() const {
  std::vector<WaitingJob> jobs;
  for (const auto& [id, job] : m_waiting) jobs.push_back({id, job.title});
  return jobs;
}

JobId TrainingController::currentJob() const {
  return m_current && !m_current->superseded && !m_current->looks_ahead ? m_current->id : 0;
}

QString TrainingController::currentTitle() const { return currentJob() != 0 ? m_current->title : QString(); }

bool TrainingController::stopsAtCheckpoint() const { return currentJob() != 0 && m_current->stops_at_checkpoint; }

bool TrainingController::isHeard(JobId job) const { return job != 0 && currentJob() == job; }

session::RunControl* TrainingController::control() const {
  return currentJob() != 0 ? m_current->control.get() : nullptr;
}

std::vector<StepBatch> TrainingController::takeSteps() {
  std::vector<StepBatch> batches;
  for (Feed& feed : m_feeds) {
    auto [chunks, missed] = feed.subscription->take();
    if (!chunks.empty() || missed > 0) batches.push_back({feed.job, std::move(chunks), missed});
  }
  m_feeds.erase(std::remove_if(m_feeds.begin(), m_feeds.end(), [](const Feed& feed) { return feed.is_over; }),
                m_feeds.end());
  return batches;
}

void TrainingController::pause() {
  session::RunControl* const run = control();
  if (run == nullptr) return;
  m_current->pauses = true;
  run->pause();
  watchEngine();
}

void TrainingController::resume() {
  session::RunControl* const run = control();
  if (run == nullptr) return;
  m_current->pauses = false;
  m_lastWord.start();
  run->resume();
}

void TrainingController::stepOnce() {
  if (session::RunControl* const run = control()) run->step_once();
}

void TrainingController::stop() {
  session::RunControl* const run = control();
  if (run == nullptr) return;
  if (!std::exchange(m_current->stops, true)) watchEngine();
  run->stop();
  setState(JobState::Stopping);
}

void TrainingController::stopAtCheckpoint() {
  session::RunControl* const run = control();
  if (run == nullptr) return;
  m_current->stops_at_checkpoint = true;
  run->stop_at_checkpoint();
}

void TrainingController::goPastCheckpoint() {
  session::RunControl* const run = control();
  if (run == nullptr) return;
  m_current->stops_at_checkpoint = false;
  run->go_past_checkpoint();
}

void TrainingController::startNext() {
  if (m_current) return;
  if (isNextDue()) {
    startJob();
  } else if (m_lookAhead) {
    startLookAhead();
  } else if (m_trace && m_waiting.empty()) {
    startTrace();
  }
}

void TrainingController::startJob() {
  auto [id, job] = std::move(m_waiting.front());
  m_waiting.pop_front();
  if (m_waiting.empty()) m_holds = false;
  m_current = std::make_unique<Current>();
  m_current->id = id;
  m_current->title = job.title;

  // A window that takes no steps keeps those of one job that has ended, not of all.
  if (m_feeds.size() > 1) m_feeds.erase(m_feeds.begin(), m_feeds.end() - 1);
  const auto feed = std::make_shared<archive::StepFeed>();
  m_feeds.push_back({id, std::make_unique<archive::StepFeed::Subscription>(*feed)});
  std::visit([&feed](auto& work) { work.options.feed = feed; }, job.work);

  EngineTask task;
  task.work = [this, job = std::move(job), control = m_current->control,
               observer = std::make_shared<JobObserver>(*this, id)](Engine& engine) -> std::function<void()> {
    return [this, summary = engine.run(job, *observer, *control)] {
      m_mailbox->post([this, summary] {
        endCurrent([&](JobId ended) {
          if (summary.reference.end.status == record::Status::Stopped) {
            Q_EMIT jobStopped(ended, summary);
          } else {
            Q_EMIT jobFinished(ended, summary);
          }
        });
      });
    };
  };
  task.failed = [this](const JobFailure& failure) {
    m_mailbox->post([this, failure] { endCurrent([&](JobId ended) { Q_EMIT jobFailed(ended, failure); }); });
  };
  m_lastWord.start();
  Q_EMIT queueChanged();
  setState(JobState::Starting);
  Q_EMIT jobStarted(id);
  m_engine->start(std::move(task));
}

void TrainingController::startLookAhead() {
  m_current = std::make_unique<Current>();
  m_current->id = nextId();
  m_current->looks_ahead = true;
  EngineTask task;
  task.work = [this, id = m_current->id, work = *std::exchange(m_lookAhead, std::nullopt),
               control = m_current->control](Engine& engine) -> std::function<void()> {
    const auto tell = [this, id](const std::string& arm) {
      m_mailbox->post([this, id, name = QString::fromStdString(arm)] {
        if (looksAhead() && m_current->id == id) Q_EMIT lookAheadReached(name);
      });
    };
    return [this, preflight = engine.preflight(work, control->stop_token(), tell)] {
      m_mailbox->post([this, preflight] { endCurrent([&](JobId) { Q_EMIT lookedAhead(preflight); }); });
    };
  };
  task.failed = [this](const JobFailure& failure) {
    m_mailbox->post([this, failure] { endCurrent([&](JobId) { Q_EMIT lookAheadFailed(failure); }); });
  };
  m_engine->start(std::move(task));
  Q_EMIT lookAheadReached({});
}

void TrainingController::startTrace() {
  m_current = std::make_unique<Current>();
  m_current->id = nextId();
  m_current->looks_ahead = m_current->traces = true;
  EngineTask task;
  task.work = [this, id = m_current->id, experiment = *std::exchange(m_trace, std::nullopt),
               control = m_current->control](Engine& engine) -> std::function<void()> {
    const auto tell = [this, id](bool withOtherCheckpointing) {
      m_mailbox->post([this, id, withOtherCheckpointing] {
        const bool isHeardOf = m_current && m_current->id == id && !m_current->superseded;
        if (isHeardOf) Q_EMIT memoryTraceReached(withOtherCheckpointing);
      });
    };
    auto traced = std::make_shared<const TracedExperiment>(engine.traceMemory(experiment, control->stop_token(), tell));
    return [this, traced = std::move(traced)] {
      m_mailbox->post([this, traced] { endCurrent([&](JobId) { Q_EMIT memoryTraced(traced); }); });
    };
  };
  task.failed = [this](const JobFailure& failure) {
    m_mailbox->post([this, failure] { endCurrent([&](JobId) { Q_EMIT memoryTraceFailed(failure); }); });
  };
  m_engine->start(std::move(task));
}

void TrainingController::endCurrent(const std::function<void(JobId)>& tell) {
  const std::unique_ptr<Current> ended = std::move(m_current);
  engineLives();
  m_watch.stop();
  m_mailbox->post([this] { startNext(); });
  if (!ended->looks_ahead) {
    for (Feed& feed : m_feeds) feed.is_over = true;
    setState(JobState::Idle);
  }
  if (!ended->superseded) {
    tell(ended->id);
  } else if (ended->traces) {
    Q_EMIT memoryTraceStopped();
  }
}

void TrainingController::engineIs(JobState state) {
  if (m_current->stops && state != JobState::Stopping) return;  // said before it heard of the stop
  setState(state);
}

void TrainingController::setState(JobState state) {
  if (m_state == state) return;
  m_state = state;
  Q_EMIT stateChanged(state);
}

}  // namespace mantissa::ui::worker
