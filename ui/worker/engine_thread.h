// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "ui/worker/engine.h"
#include "ui/worker/job.h"

namespace mantissa::ui::worker {

/// One piece of work on its way through the engine's thread. All of it is used there.
struct EngineTask {
  /// Does the work and returns what tells of its result.
  std::function<std::function<void()>(Engine&)> work;
  std::function<void(JobFailure)> failed;
  // What tells of the result, or `failed`, is called when the work has let go of everything.
};

/// The thread that does the work of all jobs: LibTorch keeps settings and caches by thread. It begins with the first
/// task and is joined in the end.
class EngineThread {
 public:
  explicit EngineThread(EngineFactory factory) : m_factory(std::move(factory)) {}
  ~EngineThread();  ///< waits for the task in work
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  /// Only when the task before has told of its end.
  void start(EngineTask task);

  /// Waits until no task is at work, at most so long. False: one still is.
  bool waitUntilIdle(std::chrono::milliseconds limit);

 private:
  void work();
  void run(EngineTask task);

  const EngineFactory m_factory;
  std::unique_ptr<Engine> m_engine;  // the thread's own
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::condition_variable m_idle;
  std::optional<EngineTask> m_task;  // guarded by m_mutex, like what follows
  bool m_works = false;
  bool m_quit = false;
  std::thread m_thread;
};

}  // namespace mantissa::ui::worker
