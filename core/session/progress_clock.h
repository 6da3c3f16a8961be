// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "core/session/run.h"
#include "core/train/paired_run.h"

namespace mantissa::session {

/// Tells an observer where a run stands, at most 20 times a second, and once when the disk cannot keep up.
class ProgressClock {
 public:
  /// \param steps_before  made before this run went on from a checkpoint
  ProgressClock(Observer& observer, std::int64_t planned_steps, std::int64_t steps_before);

  /// \param waited_seconds  what the engine has waited for the archive so far
  void tell(const train::PairedRun& run, double waited_seconds);
  void tell_last(const train::PairedRun& run);

  /// A pause, in which no time passed.
  void leave_out(std::chrono::steady_clock::duration pause) { begin_ += pause; }

 private:
  using Clock = std::chrono::steady_clock;
  void send(const train::PairedRun& run, Clock::time_point now);

  Observer& observer_;
  std::int64_t planned_steps_;
  std::int64_t steps_before_;
  Clock::time_point begin_;
  Clock::time_point next_;
  bool wait_told_ = false;
};

}  // namespace mantissa::session
