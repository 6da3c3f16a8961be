// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/engine_thread.h"

#include <exception>
#include <utility>

#include <QCoreApplication>

#include "core/base/error.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::worker {
namespace {

/// What is known of the exception that is being handled.
JobFailure failureInFlight() {
  JobFailure failure;
  try {
    throw;
  } catch (const Error& error) {
    failure.kind = error.kind();
    failure.facts = error.facts();
    failure.sentence = models::errorText(error);
  } catch (const std::exception& error) {
    const QString words = QString::fromUtf8(error.what());
    // Behind the first line, LibTorch's exceptions carry a trace of calls.
    failure.sentence =
        QCoreApplication::translate("EngineThread", "The engine failed in a way that nobody expected: %1")
            .arg(words.section(QLatin1Char('\n'), 0, 0));
    failure.facts.problem = error.what();
  } catch (...) {
    failure.sentence = QCoreApplication::translate("EngineThread", "The engine failed without saying why.");
  }
  return failure;
}

}  // namespace

EngineThread::~EngineThread() {
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_quit = true;
  }
  m_changed.notify_one();
  if (m_thread.joinable()) m_thread.join();
}

void EngineThread::start(EngineTask task) {
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_task = std::move(task);
    m_works = true;
  }
  m_changed.notify_one();
  if (!m_thread.joinable()) m_thread = std::thread([this] { work(); });
}

bool EngineThread::waitUntilIdle(std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(m_mutex);
  return m_idle.wait_for(lock, limit, [this] { return !m_works; });
}

void EngineThread::work() {
  for (;;) {
    std::optional<EngineTask> task;
    {
      std::unique_lock<std::mutex> lock(m_mutex);
      m_changed.wait(lock, [this] { return m_quit || m_task; });
      if (m_quit) break;
      task = std::exchange(m_task, std::nullopt);
    }
    run(std::move(*task));
    {
      const std::lock_guard<std::mutex> lock(m_mutex);
      m_works = m_task.has_value();
    }
    m_idle.notify_all();
  }
  m_engine.reset();
}

void EngineThread::run(EngineTask task) {
  std::function<void()> tell;
  try {
    if (m_engine == nullptr) m_engine = m_factory();
    tell = task.work(*m_engine);
  } catch (...) {
    tell = [failed = std::move(task.failed), failure = failureInFlight()] { failed(failure); };
  }
  task.work = nullptr;
  tell();
}

}  // namespace mantissa::ui::worker
