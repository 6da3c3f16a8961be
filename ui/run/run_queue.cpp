// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_queue.h"

#include <algorithm>
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

}  // namespace

RunQueue::RunQueue(worker::TrainingController* controller, QObject* parent)
    : QObject(parent), m_controller(controller) {
  // Jobs start in the order in which they were added: those before have ended, or were taken out of the queue.
  connect(controller, &worker::TrainingController::jobStarted, this,
          [this](worker::JobId job) { m_runs.erase(m_runs.begin(), m_runs.lower_bound(job)); });
}

void RunQueue::run(std::shared_ptr<const spec::Experiment> experiment, const QString& archive) {
  worker::Job job;
  job.title = QString::fromStdString(experiment->name);
  job.work = workOf(*experiment, archive);
  add(std::move(job), {std::move(experiment), archive, 0});
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
  add(std::move(job), {std::move(experiment), archive, experimentId});
}

void RunQueue::add(worker::Job job, OwnRun run) {
  // The job starts from the event loop, never within this call.
  const worker::JobId id = m_controller->enqueue(std::move(job));
  m_runs.emplace(id, std::move(run));
}

void RunQueue::lookAhead(const spec::Experiment& experiment, const QString& archive) {
  m_controller->lookAhead(workOf(experiment, archive));
}

const OwnRun* RunQueue::current() const {
  const auto found = m_runs.find(m_controller->currentJob());
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
