// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/session/progress_clock.h"
#include "core/session/run.h"
#include "core/train/paired_run.h"

namespace mantissa::session {

/// The place between two steps at which a run looks what is asked of it: waits while it is paused, ends at a
/// checkpoint, and tells its observer of every change.
class ControlPoint {
 public:
  /// \param control  null: the run is only ever stopped by its token
  /// \param planned_steps  after which nothing is left to hold
  /// \param checkpoint_every  steps between checkpoints; nothing: every step may become one
  ControlPoint(RunControl* control, Observer& observer, std::int64_t planned_steps,
               std::optional<std::int64_t> checkpoint_every)
      : control_(control), observer_(observer), planned_steps_(planned_steps), checkpoint_every_(checkpoint_every) {}

  /// Before every step. Where the run ends here, its next step makes none.
  /// \param look  called now and then while it waits; what it throws ends the run
  /// \return how long it waited, which counts in no duration; the run and the clock of its progress know already.
  std::chrono::steady_clock::duration before_step(train::PairedRun& run, ProgressClock& progress,
                                                  const std::function<void()>& look);

  /// After the last step.
  void after_training(const train::PairedRun& run);

 private:
  bool ends_here(const train::PairedRun& run) const;
  void tell(RunState state);

  RunControl* control_;
  Observer& observer_;
  std::int64_t planned_steps_;
  std::optional<std::int64_t> checkpoint_every_;
  bool begun_ = false;  // there was a step of this run to become a checkpoint
  std::optional<RunState> told_;
};

}  // namespace mantissa::session
