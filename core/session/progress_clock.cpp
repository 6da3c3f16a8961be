// SPDX-License-Identifier: Apache-2.0
#include "core/session/progress_clock.h"

namespace mantissa::session {
namespace {

constexpr std::chrono::milliseconds kInterval{50};
constexpr double kNoticeableWait = 0.5;  // seconds

}  // namespace

ProgressClock::ProgressClock(Observer& observer, std::int64_t planned_steps, std::int64_t steps_before)
    : observer_(observer),
      planned_steps_(planned_steps),
      steps_before_(steps_before),
      begin_(Clock::now()),
      next_(begin_ + kInterval) {}

void ProgressClock::tell(const train::PairedRun& run, double waited_seconds) {
  if (!wait_told_ && waited_seconds > kNoticeableWait) {
    wait_told_ = true;
    observer_.on_note("The run waits for the disk: the archive cannot keep up with the steps. Nothing is dropped.");
  }
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  send(run, now);
}

void ProgressClock::tell_last(const train::PairedRun& run) { send(run, Clock::now()); }

void ProgressClock::send(const train::PairedRun& run, Clock::time_point now) {
  Progress progress;
  progress.step = run.steps_done();
  progress.steps = planned_steps_;
  progress.seconds = std::chrono::duration<double>(now - begin_).count();
  if (progress.step > steps_before_) {
    progress.remaining_seconds = progress.seconds / static_cast<double>(progress.step - steps_before_) *
                                 static_cast<double>(planned_steps_ - progress.step);
  }
  progress.loss_reference = run.arm(0).tally.last_loss.value_or(0.0);
  for (std::size_t i = 1; i < run.arm_count(); ++i) {
    const train::Arm& arm = run.arm(i);
    progress.arms.push_back({arm.name, arm.tally.last_loss.value_or(0.0), arm.scaler ? arm.scaler->get_scale() : 0.0,
                             arm.tally.counts.skipped, arm.failure.has_value()});
  }
  observer_.on_progress(progress);
}

}  // namespace mantissa::session
