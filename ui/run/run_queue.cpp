// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace mantissa::ui::run {
namespace {

worker::Job::Run workOf(const spec::Experiment& experiment, const QString& archive) {
  worker::Job::Run work;
  work.experiment = experiment;
  work.options.archive = archive.toStdString();
  work.options.gains = session::MeasureGains::Short;  // as mantissa-cli run does
  return work;
}

worker::Job jobOf(const spec::Experiment& experiment, const QString& archive) {
  worker::Job job;
  job.title = QString::fromStdString(experiment.name);
  job.work = workOf(experiment, archive);
  return job;
}

}  // namespace

RunQueue::RunQueue(worker::TrainingController* controller, QObject* parent)
    : QObject(parent), m_controller(controller) {
  // What neither begins nor waits has ended, or was taken out of the queue.
  connect(controller, &worker::TrainingController::jobStarted, this, [this](worker::JobId job) {
    const std::vector<worker::WaitingJob> waiting = m_controller->waiting();
    for (auto run = m_runs.begin(); run != m_runs.end();) {
      const bool stays = run->first == job || std::any_of(waiting.begin(), waiting.end(),
                                                          [&](const auto& other) { return other.id == run->first; });
      run = stays ? std::next(run) : m_runs.erase(run);
    }
  });
}

void RunQueue::runNow(std::shared_ptr<const spec::Experiment> experiment, const QString& archive) {
  worker::Job job = jobOf(*experiment, archive);
  add(std::move(job), {std::move(experiment), archive, 0}, Place::Front);
}

void RunQueue::run(std::shared_ptr<const spec::Experiment> experiment, const QString& archive) {
  worker::Job job = jobOf(*experiment, archive);
  add(std::move(job), {std::move(experiment), archive, 0}, Place::End);
}

void RunQueue::resume(const QString& archive, std::int64_t trial, std::int64_t experimentId,
                      std::shared_ptr<const spec::Experiment> experiment, const QString& name) {
  worker::Job job;
  job.title = name;
  worker::Job::Resume work;
  work.options.archive = archive.toStdString();
  work.options.trial = trial;
  work.options.gains = session::MeasureGains::Short;
  job.work = std::move(work);
  // A held queue lets it go first: it was asked for now.
  const bool isIdle = m_controller->state() == worker::JobState::Idle;
  add(std::move(job), {std::move(experiment), archive, experimentId}, isIdle ? Place::Front : Place::End);
}

void RunQueue::add(worker::Job job, OwnRun run, Place place) {
  // The job starts from the event loop, never within this call.
  const worker::JobId id =
      place == Place::Front ? m_controller->replace(std::move(job)) : m_controller->enqueue(std::move(job));
  m_runs.emplace(id, std::move(run));
  Q_EMIT added();
}

void RunQueue::lookAhead(const spec::Experiment& experiment, const QString& archive) {
  m_controller->lookAhead(workOf(experiment, archive));
}

const OwnRun* RunQueue::current() const { return run(m_controller->currentJob()); }

const OwnRun* RunQueue::run(worker::JobId job) const {
  const auto found = m_runs.find(job);
  return found != m_runs.end() ? &found->second : nullptr;
}

bool RunQueue::resumes(const QString& archive, std::int64_t experimentId) const {
  const auto isIt = [&](worker::JobId job) {
    const auto found = m_runs.find(job);
    return found != m_runs.end() && found->second.resumes == experimentId && found->second.archive == archive;
  };
  if (isIt(m_controller->currentJob())) return true;
  const std::vector<worker::WaitingJob> waiting = m_controller->waiting();
  return std::any_of(waiting.begin(), waiting.end(), [&](const worker::WaitingJob& job) { return isIt(job.id); });
}

}  // namespace mantissa::ui::run
