// SPDX-License-Identifier: Apache-2.0
#include "core/session/gains.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/cuda/device_work.h"
#include "core/train/batch_plan.h"
#include "core/train/failure_text.h"
#include "core/train/stages.h"
#include "core/train/window.h"

namespace mantissa::session {
namespace {

constexpr std::size_t kMostWindows = 8;  // different batches that the steps go through in turn
constexpr std::int64_t kMostSteps = 100;
constexpr int kWarmUpSteps = 3;  // optimizer state, thread pools and kernel caches are there after these

/// On the device of the arms, in memory of its own: the plan reuses its tensors.
train::Window copy_of(const train::Window& window, c10::Device device) {
  if (!device.is_cpu()) {
    train::Window moved = train::moved_to(window, device);
    cuda::synchronize(device);  // the copy may still be reading from the plan's tensors
    return moved;
  }
  train::Window copy = window;
  for (train::Microbatch& microbatch : copy.microbatches) {
    microbatch.inputs = microbatch.inputs.clone();
    microbatch.targets = microbatch.targets.clone();
  }
  return copy;
}

}  // namespace

GainsLimits limits_of(MeasureGains effort, double training_seconds) {
  if (effort == MeasureGains::Long) return {30, 60.0};
  return {7, std::clamp(0.05 * training_seconds, 0.2, 10.0)};
}

void GainsBench::drop(Lane& lane, const std::string& why) {
  lane.arm.reset();  // its memory goes to the others
  notes_.push_back("Gains of " + lane.name + " are not measured: " + why);
}

void GainsBench::add(const train::Arm& arm, const spec::Trial* trial, std::optional<std::int64_t> peak_bytes) {
  Lane& lane = lanes_.emplace_back();
  lane.name = arm.name;
  lane.peak_bytes = peak_bytes;
  try {
    lane.arm = std::make_unique<train::Arm>(arm.name, arm.network->clone(), experiment_, trial);
    train::Arm& copy = *lane.arm;
    copy.policy = arm.policy;
    copy.policy.at_floor = spec::AtFloor::Continue;  // the policy under which it ended is the one that is measured
    copy.scaler = precision::make_scaler(copy.policy);
    if (copy.scaler) copy.scaler->load_state_dict(arm.scaler->state_dict());
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    drop(lane, train::failure_of(error, "while it was copied").text);
  }
}

void GainsBench::make_windows(const c10::Device& device) {
  train::BatchPlan plan(experiment_, train_);
  planned_steps_ = plan.total_steps();
  while (windows_.size() < kMostWindows) {
    const train::Window* const window = plan.next();
    if (window == nullptr) break;
    windows_.push_back(copy_of(*window, device));
  }
}

bool GainsBench::step(Lane& lane, std::size_t number) {
  train::StageOptions options;
  options.measure_norms = false;
  train::Attempt attempt;
  const train::Window& window = windows_[number % windows_.size()];
  train::run_stages(train::gradient_stages(), *lane.arm, window, attempt, options);
  if (!lane.arm->failure) train::run_stages(train::update_stages(), *lane.arm, window, attempt, options);
  if (!lane.arm->failure) return true;
  attempt = train::Attempt();
  const std::string why = lane.arm->failure->text;
  drop(lane, why);
  return false;
}

void GainsBench::time_steps(Lane& lane, std::int64_t steps, const c10::Device& device) {
  cuda::DeviceTimer timer(device);
  timer.start();
  for (std::int64_t number = 0; number < steps; ++number) {
    if (!step(lane, static_cast<std::size_t>(number))) return;
  }
  lane.times.seconds.push_back(timer.stop());
}

/// Seconds of one step of every arm that is left.
double GainsBench::warm_up(const c10::Device& device) {
  double round_seconds = 0.0;
  for (Lane& lane : lanes_) {
    for (int number = 1; lane.arm && number < kWarmUpSteps; ++number) step(lane, static_cast<std::size_t>(number));
    if (lane.arm) time_steps(lane, 1, device);
    for (const double seconds : lane.times.seconds) round_seconds += seconds;
    lane.times.seconds.clear();
  }
  return round_seconds;
}

bool GainsBench::repeat(const GainsLimits& limits, std::int64_t steps, const c10::Device& device,
                        const std::function<bool()>& stop_requested) {
  for (std::int64_t repetition = 0; repetition < limits.repetitions; ++repetition) {
    for (std::size_t turn = 0; turn < lanes_.size(); ++turn) {
      if (stop_requested && stop_requested()) return false;
      Lane& lane = lanes_[repetition % 2 == 0 ? turn : lanes_.size() - 1 - turn];
      if (lane.arm) time_steps(lane, steps, device);
    }
  }
  return true;
}

std::vector<std::optional<record::Gains>> GainsBench::measure(const GainsLimits& limits,
                                                              const std::function<bool()>& stop_requested) {
  std::vector<std::optional<record::Gains>> gains(lanes_.size());
  if (lanes_.empty() || !lanes_.front().arm) return gains;  // nothing to compare with
  const c10::Device device = lanes_.front().arm->network->device();
  make_windows(device);
  if (windows_.empty()) return gains;
  const double round_seconds = warm_up(device);
  if (!lanes_.front().arm) return gains;
  const std::int64_t steps = perf::steps_that_fit(round_seconds, limits.seconds, limits.repetitions, kMostSteps);
  if (steps == 0) {
    notes_.push_back(
        "Gains are not measured: " + std::to_string(limits.repetitions) +
        " steps of all arms take longer than the time set aside for them. A long measurement takes them in.");
    return gains;
  }
  if (!repeat(limits, steps, device, stop_requested)) return gains;

  const perf::Wishes wishes{planned_steps_, experiment_.budget.deadline_seconds, experiment_.budget.price_per_hour};
  const std::string clock = cuda::DeviceTimer(device).method();
  std::int64_t samples = 0;
  for (std::int64_t number = 0; number < steps; ++number) {
    samples += windows_[static_cast<std::size_t>(number) % windows_.size()].samples;
  }
  for (Lane& lane : lanes_) {
    lane.times.steps = steps;
    lane.times.samples = samples;
  }
  if (!lanes_.front().arm) return gains;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].arm) continue;
    gains[i] = perf::gains_of(lanes_[i].times, i == 0 ? nullptr : &lanes_.front().times, wishes, clock);
    gains[i]->peak_bytes = lanes_[i].peak_bytes;
  }
  return gains;
}

}  // namespace mantissa::session
