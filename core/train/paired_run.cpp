// SPDX-License-Identifier: Apache-2.0
#include "core/train/paired_run.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/observe/deviation.h"
#include "core/observe/finite_scan.h"
#include "core/observe/memory_recorder.h"
#include "core/observe/norms.h"
#include "core/observe/thread_count.h"
#include "core/train/checkpoint.h"
#include "core/train/failure_text.h"
#include "core/train/growth_watch.h"
#include "core/train/step_deviation.h"
#include "core/train/step_trace.h"

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

std::int64_t storage_bytes(const at::Tensor& tensor) {
  if (tensor.is_sparse()) return storage_bytes(tensor._indices()) + storage_bytes(tensor._values());
  return static_cast<std::int64_t>(tensor.storage().nbytes());
}

// Weights are looked at in these steps and in the last one: reading all of them costs as much as an optimizer's step.
constexpr std::int64_t kWeightSteps = 10;

bool reached_the_scaler(const Failure& failure) { return failure.reason != "forward" && failure.reason != "memory"; }

}  // namespace

/// What only the probes need.
struct PairedRun::Measured {
  explicit Measured(c10::DeviceType device) : memory(device) {}

  observe::MemoryRecorder memory;
  struct PerArm {
    std::vector<at::Tensor> weights;   // the arm's own
    std::vector<at::Tensor> previous;  // as they were before the step
    std::int64_t live_bytes = 0;       // what the arm has allocated and still holds
    std::int64_t peak_bytes = 0;       // within the current step
    GrowthWatch growth{std::nullopt};
    std::unique_ptr<RunningTrace> trace;  // of the current step, where it is written down
    bool has_stepped = false;             // within this run
    bool is_traced = false;               // nothing more is to be written down
  };
  std::vector<PerArm> arms;
};

PairedRun::PairedRun(BatchPlan& plan, std::vector<std::unique_ptr<Arm>> arms, bool measure,
                     std::function<bool()> stop_requested, Yardsticks yardsticks)
    : plan_(plan), arms_(std::move(arms)), first_repeat_(arms_.size()), yardsticks_(std::move(yardsticks)) {
  for (Yardsticks::Repeat& repeat : yardsticks_.repeats) arms_.push_back(std::move(repeat.arm));
  attempts_.resize(arms_.size());
  attempted_.resize(arms_.size());
  begun_.resize(arms_.size());
  records_.resize(arms_.size());
  before_.resize(arms_.size());
  generators_before_.resize(arms_.size());
  repeat_windows_.resize(yardsticks_.repeats.size());
  repeats_on_device_.resize(yardsticks_.repeats.size());
  options_.measure_norms = measure;
  options_.stop_requested = std::move(stop_requested);
  if (!measure) return;
  measured_ = std::make_unique<Measured>(arms_.front()->network->device().type());
  const at::NoGradGuard no_grad;
  for (const std::unique_ptr<Arm>& arm : arms_) {
    Measured::PerArm per_arm;
    per_arm.weights = tensors_of(arm->network->parameters());
    for (const at::Tensor& weight : per_arm.weights) per_arm.previous.push_back(weight.detach().clone());
    per_arm.live_bytes = bytes_of(arm->network->state());
    per_arm.growth = GrowthWatch(arm->growth_limit_bytes);
    measured_->arms.push_back(std::move(per_arm));
  }
  const auto has_shadow = [](const std::unique_ptr<Arm>& arm) { return arm->shadow_every > 0; };
  if (std::any_of(arms_.begin(), arms_.end(), has_shadow) || !yardsticks_.repeats.empty() ||
      !yardsticks_.rounding_threads.empty()) {
    shadow_ = std::make_unique<Shadow>(*arms_.front());
  }
}

PairedRun::~PairedRun() = default;

void PairedRun::begin_attempt(std::size_t index) {
  begun_[index] = true;
  before_[index].attributes = arms_[index]->network->copy_attributes();
  records_[index] = record::StepRecord();
  if (!measured_) {
    attempts_[index] = Attempt();
    generators_before_[index] = arms_[index]->generator_state;
    return;
  }
  // What the last attempt still holds was counted when it was allocated, so freeing it counts, too.
  Measured::PerArm& per_arm = measured_->arms[index];
  const std::int64_t before = measured_->memory.live();
  Attempt next;
  per_arm.growth.within(*arms_[index], next, [&] { attempts_[index] = Attempt(); });
  generators_before_[index] = arms_[index]->generator_state;
  per_arm.live_bytes += measured_->memory.live() - before;
  per_arm.peak_bytes = 0;
  begin_trace(index);
}

void PairedRun::begin_trace(std::size_t index) {
  Measured::PerArm& per_arm = measured_->arms[index];
  per_arm.trace.reset();
  if (!wish_.sink || is_repeat(index) || per_arm.is_traced || !per_arm.has_stepped) return;
  const Arm& arm = *arms_[index];
  const std::vector<Microbatch>& microbatches = window_of(index).microbatches;
  const auto is_full = [this](const Microbatch& each) { return each.inputs.size(0) == wish_.microbatch; };
  if (arm.tally.counts.applied == 0 || static_cast<std::int64_t>(microbatches.size()) != wish_.accumulation ||
      !std::all_of(microbatches.begin(), microbatches.end(), is_full) || (wish_.is_ready && !wish_.is_ready(arm))) {
    return;
  }
  per_arm.trace = std::make_unique<RunningTrace>(arm, per_arm.live_bytes);
}

void PairedRun::end_trace(std::size_t index) {
  if (!measured_) return;
  Measured::PerArm& per_arm = measured_->arms[index];
  per_arm.has_stepped = true;
  if (!per_arm.trace) return;
  if (!arms_[index]->failure && !attempts_[index].skipped()) {
    per_arm.is_traced = true;
    wish_.sink(index, step_, per_arm.trace->taken(window_of(index)));
  }
  per_arm.trace.reset();
}

const Window& PairedRun::window_of(std::size_t index) const {
  return is_repeat(index) ? *repeat_windows_[index - first_repeat_] : *window_;
}

void PairedRun::run_phase(std::size_t index, const std::vector<Stage>& stages) {
  const Window& window = window_of(index);
  if (!measured_) {
    run_stages(stages, *arms_[index], window, attempts_[index], options_);
    return;
  }
  Measured::PerArm& per_arm = measured_->arms[index];
  const std::int64_t before = measured_->memory.live();
  measured_->memory.reset_peak();
  const auto count = [&] {
    const std::int64_t peak = per_arm.live_bytes + measured_->memory.peak() - before;
    per_arm.peak_bytes = std::max(per_arm.peak_bytes, peak);
    per_arm.live_bytes += measured_->memory.live() - before;
  };
  const auto run = [&] {
    const auto stages_alone = [&] { run_stages(stages, *arms_[index], window, attempts_[index], options_); };
    if (per_arm.trace) return per_arm.trace->within(attempts_[index], stages_alone);
    stages_alone();
  };
  try {
    per_arm.growth.within(*arms_[index], attempts_[index], run);
  } catch (const StopRequested&) {
    count();  // what a step that was taken back has allocated and freed is in the arm's memory all the same
    throw;
  }
  count();
}

bool PairedRun::step(const Sink& sink) {
  if (arms_.front()->failure || stopped_) return false;
  window_ = next_window(plan_, window_on_device_);
  if (window_ == nullptr) return false;  // a request to stop that comes after the last step stops nothing
  if (options_.stop_requested && options_.stop_requested()) {
    stopped_ = true;
    return false;
  }
  if (!started_) {
    started_ = true;
    first_step_ = Clock::now();
  }

  for (std::size_t r = 0; r < repeat_windows_.size(); ++r) {
    repeat_windows_[r] = next_window(*yardsticks_.repeats[r].plan, repeats_on_device_[r]);
  }
  step_ = steps_done() + 1;
  take_shadow();
  if (!compute_gradients()) return false;
  const bool weights_due = measured_ && (step_ % kWeightSteps == 0 || step_ == plan_.total_steps());
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (!attempted_[i]) continue;
    if (weights_due) remember_weights(i);
    if (!arms_[i]->failure) run_phase(i, update_stages());
    end_trace(i);
    restore_buffers(i);
    forget_before(i);
    if (weights_due) measure_weight_change(i, records_[i]);
    const bool both_moved = !arms_.front()->failure && !arms_[i]->failure;
    if (i > 0 && weights_due && both_moved) compare_trial(i, [&] { compare_weights(i, records_[i]); });
    fill(i, records_[i]);
    sink(i, std::move(records_[i]));
    release_memory(i);
  }
  for (std::size_t r = 0; r < rounding_.size(); ++r) {
    fill_place(0, rounding_[r]);
    sink(arms_.size() + r, std::move(rounding_[r]));
  }
  return true;
}

const Window* PairedRun::next_window(BatchPlan& plan, Window& on_device) {
  const Window* const window = plan.next();
  const c10::Device device = arms_.front()->network->device();
  if (window == nullptr || device.is_cpu()) return window;
  on_device = moved_to(*window, device);  // once for all arms
  return &on_device;
}

bool PairedRun::compute_gradients() {
  rounding_.clear();
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    before_[i] = {arms_[i]->tally, arms_[i]->notes.size(), arms_[i]->shadow_every, nullptr};
    begun_[i] = false;
    attempted_[i] = !arms_[i]->failure;  // for all of them first: a stop puts back only what this step did
  }
  try {
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!attempted_[i]) continue;
      if (on_arm_) on_arm_(i);
      begin_attempt(i);
      run_phase(i, gradient_stages());
      if (arms_[i]->failure && !reached_the_scaler(*arms_[i]->failure)) {
        // A model that threw never came to the optimizer's step: nothing was attempted, and there is nothing to record.
        arms_[i]->tally = before_[i].tally;
        attempted_[i] = false;
        release_memory(i);
        continue;
      }
      if (!measured_ || arms_.front()->failure || arms_[i]->failure) continue;
      if (i > 0 && !is_repeat(i)) {
        compare_trial(i, [&] { compare_gradients(i); });
      } else if (yardsticks_due()) {
        measure_yardsticks(i);
      }
    }
  } catch (const StopRequested&) {
    stopped_ = true;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!attempted_[i] || !begun_[i]) continue;
      arms_[i]->tally = before_[i].tally;
      arms_[i]->notes.resize(before_[i].notes);
      arms_[i]->shadow_every = before_[i].shadow_every;
      arms_[i]->failure.reset();
      arms_[i]->generator_state = generators_before_[i];
      if (before_[i].attributes) arms_[i]->network->put_back(*before_[i].attributes);
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

void PairedRun::compare_gradients(std::size_t index) {
  const Arm& trial = *arms_[index];
  const Attempt& attempt = attempts_[index];
  fill_trajectory(deviation_of(attempts_.front(), *arms_.front()->network, attempt.outputs, attempt.loss,
                               *trial.network, trial.optimizers),
                  records_[index]);
  if (is_shadowed(trial)) shadow(index);
}

bool PairedRun::is_shadowed(const Arm& trial) const {
  return shadow_ && trial.shadow_every > 0 && step_ % trial.shadow_every == 0;
}

bool PairedRun::yardsticks_due() const {
  const bool any = !yardsticks_.repeats.empty() || !yardsticks_.rounding_threads.empty();
  return shadow_ && any && yardsticks_.every > 0 && step_ % yardsticks_.every == 0;
}

void PairedRun::take_shadow() {
  bool due = yardsticks_due();
  for (std::size_t i = 1; i < first_repeat_; ++i) due = due || (!arms_[i]->failure && is_shadowed(*arms_[i]));
  if (due) shadow_->take(*arms_.front());
}

void PairedRun::shadow(std::size_t index) {
  Arm& trial = *arms_[index];
  const auto end_shadow = [&trial](const std::string& why) {
    trial.shadow_every = 0;
    trial.notes.push_back("The shadow comparison ended, because the model failed from the reference's weights: " + why);
  };
  try {
    precision::LossScaler* const scaler = trial.scaler ? &*trial.scaler : nullptr;
    fill_shadow(shadow_->compare(*arms_.front(), attempts_.front(), *window_, trial.policy, scaler), records_[index]);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::CallOrder) throw;  // a mistake of ours, not of the model
    end_shadow(sentence(error.facts()));
  } catch (const std::exception& error) {
    end_shadow(failure_of(error, "at step " + std::to_string(step_)).text);
  }
}

void PairedRun::measure_yardsticks(std::size_t index) {
  const Arm& reference = *arms_.front();
  const auto compare = [&] {
    return shadow_->compare(reference, attempts_.front(), *window_, reference.policy, nullptr);
  };
  try {
    if (is_repeat(index)) {
      shadow_->take_weights(*arms_[index]);
      fill_trajectory(compare(), records_[index]);
      return;
    }
    for (const int threads : yardsticks_.rounding_threads) {
      const observe::ThreadCount other(threads);
      const StepDeviation deviation = compare();
      record::StepRecord& step = rounding_.emplace_back();
      fill_shadow(deviation, step);
      step.loss = attempts_.front().loss + deviation.loss;
      step.loss_reference = attempts_.front().loss;
    }
  } catch (const std::exception& error) {
    yardsticks_.every = 0;
    arms_.front()->notes.push_back("The yardsticks of the steps ended, because the model failed: " +
                                   failure_of(error, "at step " + std::to_string(step_)).text);
  }
}

void PairedRun::compare_weights(std::size_t index, record::StepRecord& step) {
  observe::DeviationSums weights;
  const std::vector<at::Tensor>& expected = measured_->arms.front().weights;
  const std::vector<at::Tensor>& found = measured_->arms[index].weights;
  for (std::size_t p = 0; p < found.size(); ++p) weights.add(expected[p], found[p], observe::Ulp::Skip);
  step.deviation_weight_relative = weights.relative();
}

void PairedRun::remember_weights(std::size_t index) {
  const at::NoGradGuard no_grad;
  Measured::PerArm& per_arm = measured_->arms[index];
  for (std::size_t p = 0; p < per_arm.weights.size(); ++p) per_arm.previous[p].copy_(per_arm.weights[p]);
}

void PairedRun::measure_weight_change(std::size_t index, record::StepRecord& step) {
  const Measured::PerArm& per_arm = measured_->arms[index];
  const std::vector<OptimizerAttempt>& optimizers = attempts_[index].optimizers;
  if (std::none_of(optimizers.begin(), optimizers.end(), [](const OptimizerAttempt& own) { return own.applied; })) {
    step.weight_change = 0.0;
    return;
  }
  step.weight_change = observe::difference_norm(per_arm.weights, per_arm.previous);
}

void PairedRun::restore_buffers(std::size_t index) {
  Arm& arm = *arms_[index];
  // A refused update leaves the weights alone, but forward may have written into running statistics before.
  if (!attempts_[index].skipped()) return;
  const std::vector<std::string> poisoned = arm.buffers.restore_poisoned();
  if (poisoned.empty() || arm.buffers_reported) return;
  arm.buffers_reported = true;
  arm.notes.push_back("Step " + std::to_string(arm.tally.counts.attempted) +
                      " was skipped, but its forward pass made buffers non-finite: " + joined(poisoned) +
                      ". Their modules' buffers were put back to what they were before the step.");
}

/// What was kept for the case that the step is taken back. A buffer that forward has set to another tensor was counted
/// when it was allocated, so freeing it counts, too.
void PairedRun::forget_before(std::size_t index) {
  before_[index].attributes.reset();
  if (!measured_) return arms_[index]->buffers.forget();
  const std::int64_t before = measured_->memory.live();
  arms_[index]->buffers.forget();
  measured_->arms[index].live_bytes += measured_->memory.live() - before;
}

void PairedRun::fill_place(std::size_t index, record::StepRecord& step) {
  const Arm& arm = *arms_[index];
  step.step = arm.tally.counts.attempted;
  step.iteration = arm.tally.counts.iterations;
  step.applied_updates = arm.tally.counts.applied;
  step.samples = arm.tally.counts.samples;
  step.epoch = window_of(index).epoch + 1;
  seconds_ = seconds_before_ + std::chrono::duration<double>(Clock::now() - first_step_).count();
  step.wall_seconds = seconds_;
}

void PairedRun::fill(std::size_t index, record::StepRecord& step) {
  Arm& arm = *arms_[index];
  const Attempt& attempt = attempts_[index];
  fill_place(index, step);
  if (attempt.outputs.size() == window_of(index).microbatches.size()) step.loss = attempt.loss;
  // A repeat's loss is that of other samples.
  if (index > 0 && !is_repeat(index) && !arms_.front()->failure) step.loss_reference = attempts_.front().loss;
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
    measured_->arms[index].growth.after_step(arm, attempt, step_, *step.live_bytes);
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
  plan_.skip_to(step);
  for (Yardsticks::Repeat& repeat : yardsticks_.repeats) repeat.plan->skip_to(step);
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
