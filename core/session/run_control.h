// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace mantissa::session {

/// Asks a run to end. `request()` may be called from any thread and from a signal handler; the run polls it every
/// microbatch and ends with status `stopped` and a consistent archive.
class StopToken {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

/// Where a run stands among the requests made of it.
enum class RunState {
  Running,
  Paused,    ///< it waits between two steps
  Stopping,  ///< it has seen a request to stop: no further step is made
};

/// Holds a run, lets it go on, and ends it. Every request may be made from any thread at any time, before the run
/// begins, too; the run looks at them between two steps (at `stop` after every microbatch) and tells its observer what
/// it does. A pause changes no bit of the weights and counts in no duration. Once the last step is done, there is
/// nothing left to hold or to stop. One control serves one run.
class RunControl {
 public:
  /// The run waits before its next step.
  void pause() {
    const std::lock_guard<std::mutex> lock(mutex_);
    paused_ = true;
    single_steps_ = 0;
  }

  void resume() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      paused_ = false;
      single_steps_ = 0;
    }
    changed_.notify_all();
  }

  /// One step of all arms, then the run waits again; steps asked for before it has made one add up. Does nothing
  /// unless the run is paused, or has been asked to.
  void step_once() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!paused_) return;
      ++single_steps_;
    }
    changed_.notify_all();
  }

  /// Ends the run as soon as it can be: a step within its microbatches is taken back. The last complete step becomes
  /// a checkpoint, from which `resume` goes on.
  void stop() {
    stop_token_.request();
    { const std::lock_guard<std::mutex> lock(mutex_); }
    changed_.notify_all();
  }

  /// Ends the run at its next checkpoint: where training.checkpoint.every next makes one, or, without that setting,
  /// where the current step ends. A paused run makes one where it stands.
  void stop_at_checkpoint() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_at_checkpoint_ = true;
    }
    changed_.notify_all();
  }

  /// Takes `stop_at_checkpoint` back, where the run has not seen it yet.
  void go_past_checkpoint() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_at_checkpoint_ = false;
  }

  /// What `stop` requests; for signal handlers, which may not lock. A paused run sees it a little later.
  StopToken& stop_token() noexcept { return stop_token_; }
  const StopToken& stop_token() const noexcept { return stop_token_; }

  // What follows is for the thread that runs.

  bool stops_at_checkpoint() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stop_at_checkpoint_;
  }

  /// A run that is paused calls `wait` before each of its steps.
  bool is_paused() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return paused_;
  }

  /// Returns where the run is to go on, to make a single step (which is taken from those asked for), or to stop.
  /// \param look  called now and then meanwhile; what it throws ends the waiting
  void wait(const std::function<void()>& look = [] {}) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (has_to_wait()) {
      changed_.wait_for(lock, kLookAtSignals);
      lock.unlock();
      look();
      lock.lock();
    }
    if (paused_ && single_steps_ > 0) --single_steps_;
  }

 private:
  static constexpr std::chrono::milliseconds kLookAtSignals{100};  // a signal handler cannot wake anybody

  bool has_to_wait() const { return paused_ && single_steps_ == 0 && !stop_at_checkpoint_ && !stop_token_.requested(); }

  StopToken stop_token_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  bool paused_ = false;
  bool stop_at_checkpoint_ = false;
  int single_steps_ = 0;
};

}  // namespace mantissa::session
