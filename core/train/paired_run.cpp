// SPDX-License-Identifier: Apache-2.0
#include "core/train/paired_run.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/observe/deviation.h"
#include "core/observe/finite_scan.h"
#include "core/observe/memory_recorder.h"
#include "core/observe/norms.h"
#include "core/train/checkpoint.h"
#include "core/train/failure_text.h"
#include "core/train/step_deviation.h"

namespace mantissa::train {
namespace {

std::vector<at::Tensor> tensors_of(const std::vector<model::NamedTensor>& named) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(named.size());
  for (const model::NamedTensor& item : named) tensors.push_back(item.tensor);
  return tensors;
}

std::int64_t bytes_of(const std::vector<model::NamedTensor>& named) {
  std::int64_t bytes = 0;
  for (const model::NamedTensor& item : named) bytes += static_cast<std::int64_t>(item.tensor.nbytes());
  return bytes;
}

/// Names of the non-finite tensors of a list.
std::vector<std::string> non_finite_names(const std::vector<model::NamedTensor>& named) {
  std::vector<std::string> names;
  for (const model::NamedTensor& item : named) {
    if (!observe::all_finite(item.tensor)) names.push_back(item.name);
  }
  return names;
}

std::int64_t storage_bytes(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.storage().nbytes()); }

bool reached_the_scaler(const Failure& failure) { return failure.reason != "forward" && failure.reason != "memory"; }

}  // namespace

/// What only the probes need.
struct PairedRun::Measured {
  observe::MemoryRecorder memory;
  struct PerArm {
    std::vector<at::Tensor> weights;   // the arm's own
    std::vector<at::Tensor> previous;  // as they were before the step
    std::int64_t live_bytes = 0;       // what the arm has allocated and still holds
    std::int64_t peak_bytes = 0;       // within the current step
  };
  std::vector<PerArm> arms;
};

PairedRun::PairedRun(BatchPlan& plan, std::vector<std::unique_ptr<Arm>> arms, bool measure,
                     std::function<bool()> stop_requested)
    : plan_(plan),
      arms_(std::move(arms)),
      attempts_(arms_.size()),
      attempted_(arms_.size()),
      begun_(arms_.size()),
      records_(arms_.size()),
      before_(arms_.size()),
      generators_before_(arms_.size()) {
  options_.measure_norms = measure;
  options_.stop_requested = std::move(stop_requested);
  if (!measure) return;
  measured_ = std::make_unique<Measured>();
  const at::NoGradGuard no_grad;
  for (const std::unique_ptr<Arm>& arm : arms_) {
    Measured::PerArm per_arm;
    per_arm.weights = tensors_of(arm->network->parameters());
    for (const at::Tensor& weight : per_arm.weights) per_arm.previous.push_back(weight.detach().clone());
    per_arm.live_bytes = bytes_of(arm->network->state());
    measured_->arms.push_back(std::move(per_arm));
    if (arm->shadow_every > 0 && !shadow_) shadow_ = std::make_unique<Shadow>(*arms_.front());
  }
}

PairedRun::~PairedRun() = default;

void PairedRun::begin_attempt(std::size_t index) {
  begun_[index] = true;
  records_[index] = record::StepRecord();
  if (!measured_) {
    attempts_[index] = Attempt();
    generators_before_[index] = arms_[index]->generator_state;
    return;
  }
  // What the last attempt still holds was counted when it was allocated, so freeing it counts, too.
  Measured::PerArm& per_arm = measured_->arms[index];
  const std::int64_t before = measured_->memory.live();
  attempts_[index] = Attempt();
  generators_before_[index] = arms_[index]->generator_state;
  per_arm.live_bytes += measured_->memory.live() - before;
  per_arm.peak_bytes = 0;
}

void PairedRun::run_phase(std::size_t index, const std::vector<Stage>& stages, const Window& window) {
  if (!measured_) {
    run_stages(stages, *arms_[index], window, attempts_[index], options_);
    return;
  }
  Measured::PerArm& per_arm = measured_->arms[index];
  const std::int64_t before = measured_->memory.live();
  measured_->memory.reset_peak();
  run_stages(stages, *arms_[index], window, attempts_[index], options_);
  const std::int64_t peak = per_arm.live_bytes + measured_->memory.peak() - before;
  per_arm.peak_bytes = std::max(per_arm.peak_bytes, peak);
  per_arm.live_bytes += measured_->memory.live() - before;
}

bool PairedRun::step(const Sink& sink) {
  if (arms_.front()->failure || stopped_) return false;
  const Window* window = plan_.next();
  if (window == nullptr) return false;  // a request to stop that comes after the last step stops nothing
  if (options_.stop_requested && options_.stop_requested()) {
    stopped_ = true;
    return false;
  }
  if (!started_) {
    started_ = true;
    first_step_ = Clock::now();
  }

  step_ = steps_done() + 1;
  take_shadow();
  if (!compute_gradients(*window)) return false;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (!attempted_[i]) continue;
    if (!arms_[i]->failure) run_phase(i, update_stages(), *window);
    restore_buffers(i);
    if (measured_) measure_weight_change(i, records_[i]);
    const bool both_moved = !arms_.front()->failure && !arms_[i]->failure;
    if (i > 0 && measured_ && both_moved) compare_trial(i, [&] { compare_weights(i, records_[i]); });
    fill(i, *window, records_[i]);
    sink(i, std::move(records_[i]));
    release_memory(i);
  }
  return true;
}

bool PairedRun::compute_gradients(const Window& window) {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    before_[i] = arms_[i]->tally;
    begun_[i] = false;
    attempted_[i] = !arms_[i]->failure;  // for all of them first: a stop puts back only what this step did
  }
  try {
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!attempted_[i]) continue;
      begin_attempt(i);
      run_phase(i, gradient_stages(), window);
      if (arms_[i]->failure && !reached_the_scaler(*arms_[i]->failure)) {
        // A model that threw never came to the optimizer's step: nothing was attempted, and there is nothing to record.
        arms_[i]->tally = before_[i];
        attempted_[i] = false;
        release_memory(i);
        continue;
      }
      if (i > 0 && measured_ && !arms_.front()->failure && !arms_[i]->failure) {
        compare_trial(i, [&] { compare_gradients(i, window); });
      }
    }
  } catch (const StopRequested&) {
    stopped_ = true;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!attempted_[i] || !begun_[i]) continue;
      arms_[i]->tally = before_[i];
      arms_[i]->failure.reset();
      arms_[i]->generator_state = generators_before_[i];
      arms_[i]->buffers.restore_all();
    }
    return false;
  }
  return true;
}

/// A comparison that does not fit into memory fails its trial, as a step does.
void PairedRun::compare_trial(std::size_t index, const std::function<void()>& comparison) {
  try {
    comparison();
  } catch (const Error&) {
    throw;  // a mistake of ours
  } catch (const std::exception& error) {
    arms_[index]->failure =
        failure_of(error, "where step " + std::to_string(step_) + " was compared with the reference's");
  }
}

/// The weights stay: they are archived as the trial's last ones.
void PairedRun::release_memory(std::size_t index) {
  Arm& arm = *arms_[index];
  if (!arm.failure || arm.failure->reason != "memory") return;
  attempts_[index] = Attempt();
  for (const model::NamedTensor& parameter : arm.network->parameters()) parameter.tensor.mutable_grad().reset();
  for (OptimizerUnit& unit : arm.optimizers) unit.optimizer.reset();
  if (measured_) measured_->arms[index].previous.clear();
}

void PairedRun::compare_gradients(std::size_t index, const Window& window) {
  const Arm& reference = *arms_.front();
  Arm& trial = *arms_[index];
  const Attempt& attempt = attempts_[index];
  fill_trajectory(deviation_of(attempts_.front(), *reference.network, attempt.outputs, attempt.loss, *trial.network,
                               trial.optimizers),
                  records_[index]);
  if (is_shadowed(trial)) shadow_->compare(reference, attempts_.front(), window, trial, records_[index]);
}

bool PairedRun::is_shadowed(const Arm& trial) const {
  return shadow_ && trial.shadow_every > 0 && step_ % trial.shadow_every == 0;
}

void PairedRun::take_shadow() {
  for (std::size_t i = 1; i < arms_.size(); ++i) {
    if (arms_[i]->failure || !is_shadowed(*arms_[i])) continue;
    shadow_->take(*arms_.front());
    return;
  }
}

void PairedRun::compare_weights(std::size_t index, record::StepRecord& step) {
  observe::DeviationSums weights;
  const std::vector<at::Tensor>& expected = measured_->arms.front().weights;
  const std::vector<at::Tensor>& found = measured_->arms[index].weights;
  for (std::size_t p = 0; p < found.size(); ++p) weights.add(expected[p], found[p], observe::Ulp::Skip);
  step.deviation_weight_relative = weights.relative();
}

void PairedRun::measure_weight_change(std::size_t index, record::StepRecord& step) {
  const at::NoGradGuard no_grad;
  Measured::PerArm& per_arm = measured_->arms[index];
  const std::vector<OptimizerAttempt>& optimizers = attempts_[index].optimizers;
  if (std::none_of(optimizers.begin(), optimizers.end(), [](const OptimizerAttempt& own) { return own.applied; })) {
    step.weight_change = 0.0;
    return;
  }
  step.weight_change = observe::difference_norm(per_arm.weights, per_arm.previous);
  for (std::size_t p = 0; p < per_arm.weights.size(); ++p) per_arm.previous[p].copy_(per_arm.weights[p]);
}

void PairedRun::restore_buffers(std::size_t index) {
  Arm& arm = *arms_[index];
  // A refused update leaves the weights alone, but forward may have written into running statistics before.
  if (!attempts_[index].skipped()) return;
  const std::vector<std::string> poisoned = arm.buffers.restore_poisoned();
  if (poisoned.empty() || arm.buffers_reported) return;
  arm.buffers_reported = true;
  std::string names;
  for (const std::string& name : poisoned) names += (names.empty() ? "" : ", ") + name;
  arm.notes.push_back("Step " + std::to_string(arm.tally.counts.attempted) +
                      " was skipped, but its forward pass made buffers non-finite: " + names +
                      ". Their modules' buffers were put back to what they were before the step.");
}

void PairedRun::fill(std::size_t index, const Window& window, record::StepRecord& step) {
  Arm& arm = *arms_[index];
  const Attempt& attempt = attempts_[index];
  step.step = arm.tally.counts.attempted;
  step.iteration = arm.tally.counts.iterations;
  step.applied_updates = arm.tally.counts.applied;
  step.samples = arm.tally.counts.samples;
  step.epoch = window.epoch + 1;
  seconds_ = seconds_before_ + std::chrono::duration<double>(Clock::now() - first_step_).count();
  step.wall_seconds = seconds_;
  if (attempt.outputs.size() == window.microbatches.size()) step.loss = attempt.loss;
  if (index > 0 && !arms_.front()->failure) step.loss_reference = attempts_.front().loss;
  if (arm.scaler) {
    step.scale_before = attempt.scale_before;
    step.scale_after = attempt.scale_after;
    step.growth_tracker = arm.scaler->get_growth_tracker();
  }
  step.skipped = attempt.skipped();
  step.skip_cause = attempt.cause();
  if (const std::optional<std::size_t> overflow = attempt.overflow_optimizer()) {
    step.overflow_optimizer = static_cast<std::int64_t>(*overflow);
    step.overflow_parameter = attempt.optimizers[*overflow].overflow_parameter;
    step.largest_finite_gradient = attempt.optimizers[*overflow].largest_finite_gradient;
  }
  step.lr = attempt.optimizers.front().learning_rate;
  step.grad_norm_scaled = attempt.grad_norm_scaled();
  step.grad_norm = attempt.grad_norm();
  step.grad_norm_clipped = attempt.grad_norm_clipped();
  for (const OptimizerAttempt& own : attempt.optimizers) step.clipped = step.clipped || own.clipped;
  fill_optimizers(index, step);
  step.step_seconds = attempt.seconds;
  if (measured_) {
    step.live_bytes = measured_->arms[index].live_bytes;
    step.peak_bytes = measured_->arms[index].peak_bytes;
  }

  if (step.skipped) {
    ++arm.tally.counts.skipped;
    arm.max_consecutive_skips = std::max(arm.max_consecutive_skips, ++arm.consecutive_skips);
  } else {
    arm.consecutive_skips = 0;
  }
}

void PairedRun::fill_optimizers(std::size_t index, record::StepRecord& step) {
  Arm& arm = *arms_[index];
  const std::vector<OptimizerAttempt>& attempts = attempts_[index].optimizers;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const OptimizerAttempt& own = attempts[i];
    OptimizerUnit& unit = arm.optimizers[i];
    const bool skipped = own.cause != record::SkipCause::None;
    unit.skipped += skipped ? 1 : 0;
    unit.last_learning_rate = own.learning_rate;
    if (attempts.size() == 1) return;  // the step's own columns say it all
    record::OptimizerStep& record = step.optimizers.emplace_back();
    record.applied_updates = unit.applied;
    record.skipped = skipped;
    record.skip_cause = own.cause;
    record.overflow_parameter = own.overflow_parameter;
    record.lr = own.learning_rate;
    record.grad_norm_scaled = own.grad_norm_scaled;
    record.grad_norm = own.grad_norm;
    record.grad_norm_clipped = own.grad_norm_clipped;
    record.clipped = own.clipped;
    record.largest_finite_gradient = own.largest_finite_gradient;
  }
}

record::ArmState PairedRun::state_of(std::size_t index) const {
  const Arm& arm = *arms_[index];
  record::ArmState state = train::state_of(arm);
  state.values["run.seconds"] = seconds_;
  if (!measured_) return state;
  // The next step frees gradients and outputs first; in a run that goes on from here they are not there.
  std::int64_t passing = 0;
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) passing += storage_bytes(gradient);
  }
  for (const at::Tensor& output : attempts_[index].outputs) passing += storage_bytes(output);
  state.values["run.live_bytes"] = measured_->arms[index].live_bytes - passing;
  return state;
}

void PairedRun::go_on_from(std::int64_t step, const std::vector<record::ArmState>& states) {
  const at::NoGradGuard no_grad;
  for (std::int64_t i = 0; i < step; ++i) plan_.next();
  seconds_before_ = real_of(states.front(), "run.seconds");
  seconds_ = seconds_before_;
  for (std::size_t i = 0; i < states.size(); ++i) {
    // As if a step had just ended: the streams of before it and of now are both alive, and counted.
    if (arms_[i]->generator_state.defined()) generators_before_[i] = arms_[i]->generator_state.clone();
    if (!measured_) continue;
    Measured::PerArm& per_arm = measured_->arms[i];
    for (std::size_t p = 0; p < per_arm.weights.size(); ++p) per_arm.previous[p].copy_(per_arm.weights[p]);
    if (states[i].values.count("run.live_bytes") == 0) continue;  // saved by a run without probes
    per_arm.live_bytes = integer_of(states[i], "run.live_bytes");
  }
}

std::vector<std::string> non_finite_state(const Arm& arm) {
  std::vector<std::string> names;
  for (const std::string& name : non_finite_names(arm.network->parameters())) names.push_back("parameter " + name);
  for (const std::string& name : non_finite_names(arm.network->buffers())) names.push_back("buffer " + name);
  for (const OptimizerUnit& unit : arm.optimizers) {
    if (unit.optimizer && !observe::all_finite(unit.optimizer->state())) names.push_back("optimizer state");
  }
  return names;
}

}  // namespace mantissa::train
