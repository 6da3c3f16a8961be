// SPDX-License-Identifier: Apache-2.0
#include "core/session/control_point.h"

#include <chrono>

namespace mantissa::session {

using Clock = std::chrono::steady_clock;

Clock::duration ControlPoint::before_step(train::PairedRun& run, ProgressClock& progress,
                                          const std::function<void()>& look) {
  const bool over = run.stopped() || run.arm(0).failure || run.steps_done() >= planned_steps_;
  if (control_ == nullptr || over) return {};
  Clock::duration waited{};
  if (control_->is_paused()) {
    const Clock::time_point began = Clock::now();
    progress.tell_last(run);  // a person who pauses reads the numbers of this very step
    tell(RunState::Paused);
    control_->wait(look);
    waited = Clock::now() - began;
    run.leave_out(waited);
    progress.leave_out(waited);
  }
  if (ends_here(run)) {
    run.stop();
  } else if (!control_->is_paused() && !control_->stop_token().requested()) {
    tell(RunState::Running);
  }
  begun_ = true;
  return waited;
}

void ControlPoint::after_training(const train::PairedRun& run) {
  if (run.stopped()) tell(RunState::Stopping);
}

bool ControlPoint::ends_here(const train::PairedRun& run) const {
  if (!control_->stops_at_checkpoint()) return false;
  if (control_->is_paused() || !checkpoint_every_) return true;
  return begun_ && run.steps_done() % *checkpoint_every_ == 0;
}

void ControlPoint::tell(RunState state) {
  if (told_ == state) return;
  told_ = state;
  observer_.on_state(state);
}

}  // namespace mantissa::session
