// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/training_controller.h"

#include <algorithm>

#include "ui/worker/engine_thread.h"
#include "ui/worker/job_observer.h"
#include "ui/worker/mailbox.h"

namespace mantissa::ui::worker {

struct TrainingController::Current {
  JobId id = 0;
  QString title;
  std::shared_ptr<session::RunControl> control = std::make_shared<session::RunControl>();
  bool stops = false;
  bool stops_at_checkpoint = false;
  bool superseded = false;
  bool looks_ahead = false;  // no job
};

TrainingController::TrainingController(EngineFactory factory, QObject* parent)
    : QObject(parent),
      m_mailbox(std::make_unique<Mailbox>()),
      m_engine(std::make_unique<EngineThread>(std::move(factory))) {}

TrainingController::~TrainingController() {
  if (m_current) m_current->control->stop();
  m_engine.reset();
}

JobId TrainingController::enqueue(Job job) {
  const JobId id = nextId();
  m_waiting.emplace_back(id, std::move(job));
  stopLookAhead();
  Q_EMIT queueChanged();
  m_mailbox->post([this] { startNext(); });
  return id;
}

JobId TrainingController::replace(Job job) {
  const JobId id = nextId();
  m_waiting.emplace_front(id, std::move(job));
  m_replacement = id;
  stopLookAhead();
  if (currentJob() != 0) {
    m_current->superseded = true;
    m_current->control->stop();
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

void TrainingController::stopLookAhead() {
  if (!m_current || !m_current->looks_ahead) return;
  m_current->superseded = true;
  m_current->control->stop();
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
  if (session::RunControl* const run = control()) run->pause();
}

void TrainingController::resume() {
  if (session::RunControl* const run = control()) run->resume();
}

void TrainingController::stepOnce() {
  if (session::RunControl* const run = control()) run->step_once();
}

void TrainingController::stop() {
  session::RunControl* const run = control();
  if (run == nullptr) return;
  m_current->stops = true;
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
  task.work = [this, work = *std::exchange(m_lookAhead, std::nullopt),
               control = m_current->control](Engine& engine) -> std::function<void()> {
    return [this, preflight = engine.preflight(work, control->stop_token())] {
      m_mailbox->post([this, preflight] { endCurrent([&](JobId) { Q_EMIT lookedAhead(preflight); }); });
    };
  };
  task.failed = [this](const JobFailure& failure) {
    m_mailbox->post([this, failure] { endCurrent([&](JobId) { Q_EMIT lookAheadFailed(failure); }); });
  };
  m_engine->start(std::move(task));
}

void TrainingController::endCurrent(const std::function<void(JobId)>& tell) {
  const std::unique_ptr<Current> ended = std::move(m_current);
  m_mailbox->post([this] { startNext(); });
  if (!ended->looks_ahead) {
    for (Feed& feed : m_feeds) feed.is_over = true;
    setState(JobState::Idle);
  }
  if (!ended->superseded) tell(ended->id);
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
