// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>

#include "tests/ui/worker/stub_engine.h"
#include "ui/worker/training_controller.h"

namespace mantissa::test {

using namespace mantissa::ui::worker;

inline constexpr std::int64_t kWithoutEnd = 1'000'000'000'000;

inline Job jobNamed(const QString& title, const std::string& archive = {}) {
  Job job;
  job.title = title;
  std::get<Job::Run>(job.work).options.archive = archive;
  return job;
}

/// Makes steps without an end: something to pause and to stop.
inline EngineFactory endless() {
  return stub([](const Job& job, session::Observer& observer, session::RunControl& control) {
    return make_steps(job, observer, control, kWithoutEnd);
  });
}

/// As many steps as the title says.
inline record::RunSummary stepsOfTitle(const Job& job, session::Observer& observer, session::RunControl& control) {
  return make_steps(job, observer, control, job.title.toInt());
}

/// A door that one thread waits at until another opens it.
class Door {
 public:
  void open() {
    {
      const std::lock_guard<std::mutex> lock(m_mutex);
      m_open = true;
    }
    m_changed.notify_all();
  }
  void pass() {
    std::unique_lock<std::mutex> lock(m_mutex);
    m_changed.wait(lock, [this] { return m_open; });
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_open = false;
};

/// Writes down every signal, with its job.
class Diary {
 public:
  explicit Diary(TrainingController& controller) {
    const auto note = [this](const QString& what) { return [this, what](JobId job) { add(job, what); }; };
    QObject::connect(&controller, &TrainingController::jobStarted, &m_context, note("started"));
    QObject::connect(&controller, &TrainingController::phaseBegan, &m_context,
                     [this](JobId job, const QString& phase) { add(job, phase); });
    QObject::connect(&controller, &TrainingController::armsOpened, &m_context, note("arms"));
    QObject::connect(&controller, &TrainingController::noteArrived, &m_context,
                     [this](JobId job, const QString& text) { add(job, text); });
    QObject::connect(&controller, &TrainingController::armEvaluated, &m_context, note("evaluated"));
    QObject::connect(&controller, &TrainingController::checkpointReached, &m_context,
                     [this](JobId job, qint64 step) { add(job, "checkpoint " + QString::number(step)); });
    QObject::connect(&controller, &TrainingController::armEnded, &m_context, note("arm ended"));
    QObject::connect(&controller, &TrainingController::jobFinished, &m_context, note("finished"));
    QObject::connect(&controller, &TrainingController::jobStopped, &m_context, note("stopped"));
    QObject::connect(&controller, &TrainingController::jobFailed, &m_context, note("failed"));
    QObject::connect(&controller, &TrainingController::progressed, &m_context,
                     [this](JobId job) { m_progress.push_back(job); });
  }

  QStringList of(JobId job) const {
    QStringList entries;
    for (const auto& [id, what] : m_entries) {
      if (id == job) entries << what;
    }
    return entries;
  }
  QStringList all() const {
    QStringList entries;
    for (const auto& [id, what] : m_entries) entries << QString::number(id) + ' ' + what;
    return entries;
  }
  bool has(JobId job, const QString& what) const { return of(job).contains(what); }
  std::vector<JobId> progress() const { return m_progress; }

 private:
  void add(JobId job, const QString& what) { m_entries.emplace_back(job, what); }

  std::vector<std::pair<JobId, QString>> m_entries;
  std::vector<JobId> m_progress;
  QObject m_context;
};

inline std::vector<std::int64_t> numbersOf(const std::vector<StepBatch>& batches, JobId job) {
  std::vector<std::int64_t> numbers;
  for (const StepBatch& batch : batches) {
    if (batch.job != job) continue;
    for (const archive::StepChunk& chunk : batch.chunks) {
      for (const record::StepRecord& step : *chunk) numbers.push_back(step.step);
    }
  }
  return numbers;
}

}  // namespace mantissa::test
