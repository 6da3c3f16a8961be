// SPDX-License-Identifier: Apache-2.0
#include "core/train/stages.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/model/random_stream.h"
#include "core/observe/finite_scan.h"
#include "core/observe/norms.h"
#include "core/train/failure_text.h"
#include "core/train/forward.h"
#include "core/train/gradients.h"

namespace mantissa::train {
namespace {

std::vector<at::Tensor> gradients_of(const Arm& arm, const OptimizerUnit& unit) {
  std::vector<at::Tensor> gradients;
  gradients.reserve(unit.parameters.size());
  for (const std::size_t index : unit.parameters) {
    const at::Tensor& gradient = arm.network->parameters()[index].tensor.grad();
    if (gradient.defined()) gradients.push_back(gradient);
  }
  return gradients;
}

bool all_inputs_finite(const Window& window) {
  for (const Microbatch& microbatch : window.microbatches) {
    if (!observe::all_finite(microbatch.inputs)) return false;
  }
  return true;
}

bool all_weights_finite(const Arm& arm) {
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    if (!observe::all_finite(parameter.tensor)) return false;
  }
  return true;
}

record::SkipCause cause_of_non_finite(const Arm& arm, const OptimizerUnit& unit, const Window& window, double loss) {
  if (!all_inputs_finite(window)) return record::SkipCause::Input;
  if (!std::isfinite(loss)) return record::SkipCause::Loss;
  if (!all_weights_finite(arm)) return record::SkipCause::Weights;
  if (!arm.scaler) return record::SkipCause::Overflow;
  if (unit.applied == 0) return record::SkipCause::Calibration;
  return arm.scale_grew ? record::SkipCause::GrowthProbe : record::SkipCause::Overflow;
}

/// The parameter with the first non-finite gradient; empty where all are finite.
std::string first_non_finite_parameter(const Arm& arm, const OptimizerUnit& unit) {
  const std::vector<model::NamedTensor>& parameters = arm.network->parameters();
  std::vector<at::Tensor> gradients;  // with the undefined ones, so that places in both lists agree
  gradients.reserve(unit.parameters.size());
  for (const std::size_t index : unit.parameters) gradients.push_back(parameters[index].tensor.grad());
  const std::optional<observe::NonFinite> found = observe::first_non_finite(gradients);
  return found ? parameters[unit.parameters[found->tensor]].name : std::string();
}

/// A parameter that no path leads to stays as it is without any error: say which.
void note_missing_gradients(Arm& arm) {
  std::string names;
  for (const OptimizerUnit& unit : arm.optimizers) {
    for (const std::size_t index : unit.parameters) {
      const model::NamedTensor& parameter = arm.network->parameters()[index];
      if (!parameter.tensor.grad().defined()) names += (names.empty() ? "" : ", ") + parameter.name;
    }
  }
  if (!names.empty()) arm.notes.push_back("No gradient reached these parameters in the first step: " + names + ".");
}

std::string at_step(const Arm& arm) { return " at step " + std::to_string(arm.tally.counts.attempted); }

/// Gradients of one optimizer that are not finite: note what is known of them, and what follows from it.
void note_non_finite(Arm& arm, const Window& window, Attempt& attempt, std::size_t index, bool after_unscaling) {
  OptimizerAttempt& own = attempt.optimizers[index];
  const OptimizerUnit& unit = arm.optimizers[index];
  own.found_inf = true;
  own.overflow_parameter = first_non_finite_parameter(arm, unit);
  own.cause = after_unscaling ? record::SkipCause::ScaleTooSmall : cause_of_non_finite(arm, unit, window, attempt.loss);
  if (arm.failure) {
    // What failed first is what the failure tells.
  } else if (after_unscaling) {
    arm.failure =
        Failure{"scale-too-small", "The gradient of " + own.overflow_parameter +
                                       " was finite when scaled and non-finite after dividing by the loss "
                                       "scale" +
                                       at_step(arm) + ": the scale is too small. The update was not applied."};
  } else if (arm.stop_on.gradient || (!arm.scaler && arm.on_non_finite == spec::OnNonFinite::Stop)) {
    arm.failure = Failure{"non-finite", "The gradient of " + own.overflow_parameter + " was non-finite" + at_step(arm) +
                                            (arm.stop_on.gradient ? ", where stop_on ends the training."
                                                                  : " and there is no scaler to skip it.") +
                                            " The update was not applied."};
  } else if (!arm.scaler && arm.on_non_finite == spec::OnNonFinite::Apply) {
    own.cause = record::SkipCause::None;
    return;
  }
  // What unscaling has divided, multiplied again: exact for a scale that is a power of two, unless the result was
  // subnormal.
  const std::optional<double> largest = observe::largest_finite_magnitude(gradients_of(arm, unit));
  if (largest) own.largest_finite_gradient = *largest * attempt.scale_before;
}

/// Ends the training before the update; every optimizer that was not refused already is refused for this.
void stop_before_update(Arm& arm, Attempt& attempt, record::SkipCause cause, const std::string& what) {
  for (OptimizerAttempt& own : attempt.optimizers) {
    if (own.cause == record::SkipCause::None) own.cause = cause;
  }
  arm.failure = Failure{"non-finite", what + at_step(arm) +
                                          ", where stop_on ends the training. The update was not "
                                          "applied."};
}

/// Thrown out of an optimizer's step: an evaluation within it was non-finite.
struct NonFiniteEvaluation {};

/// What clip_grad_norm_ multiplies gradients of this norm by.
double clip_factor(Arm& arm, double clip_norm, const std::vector<at::Tensor>& gradients, float norm) {
  if (std::isinf(norm)) {
    const double wide_norm = observe::two_norm(gradients);
    if (std::isfinite(wide_norm)) {
      if (!arm.norm_overflow_reported) {
        arm.norm_overflow_reported = true;
        arm.notes.push_back("The norm of finite gradients overflowed FP32 at step " +
                            std::to_string(arm.tally.counts.attempted) + "; they were clipped by their norm in FP64.");
      }
      return clip_norm / wide_norm;
    }
  }
  return clip_coefficient(clip_norm, norm, norm_type(gradients));
}

void clear_gradients(Arm& arm) {
  for (const model::NamedTensor& parameter : arm.network->parameters()) parameter.tensor.mutable_grad().reset();
}

const char* words_of(record::StepPart part) {
  switch (part) {
    case record::StepPart::BeforeForward:
      return "before the forward pass";
    case record::StepPart::Forward:
      return "in the forward pass";
    case record::StepPart::Backward:
      return "in the backward pass";
    case record::StepPart::Unscale:
      return "in the unscaling of the gradients";
    case record::StepPart::FiniteCheck:
      return "in the finite check of the gradients";
    case record::StepPart::Clip:
      return "in the clipping of the gradients";
    case record::StepPart::Update:
      return "in the optimizer's update";
  }
  return "";
}

enum class KeepOutputs { No, Yes };

/// Forward and backward of every microbatch of the window; the gradients add up.
/// \param keep  whether the attempt receives what the model returned, detached
/// \return the mean of the microbatch losses, unscaled
double evaluate(Arm& arm, const Window& window, Attempt& attempt, KeepOutputs keep,
                const std::function<bool()>& stop_requested) {
  const model::RandomStream stream(arm.generator_state, arm.network->device());
  const auto count = static_cast<double>(window.microbatches.size());
  double loss_sum = 0.0;
  for (const Microbatch& microbatch : window.microbatches) {
    attempt.enter(record::StepPart::Forward);
    auto [output, loss] = forward_and_loss(*arm.network, arm.policy, arm.loss, microbatch);
    attempt.enter(record::StepPart::Backward);
    if (keep == KeepOutputs::Yes) attempt.outputs.push_back(output.detach());
    loss_sum += loss.item<double>();
    if (window.microbatches.size() > 1) loss = loss / count;
    if (arm.scaler) loss = arm.scaler->scale(loss);
    loss.backward();
    ++arm.tally.counts.iterations;
    if (stop_requested && stop_requested()) throw StopRequested();
  }
  return loss_sum / count;
}

/// What an optimizer calls within its step. Non-finite values undo the step, unless they are to be applied.
double evaluate_again(Arm& arm, const Window& window, Attempt& attempt, const OptimizerUnit& unit) {
  clear_gradients(arm);
  const double loss = evaluate(arm, window, attempt, KeepOutputs::No, {});
  const bool finite = std::isfinite(loss) && observe::all_finite(gradients_of(arm, unit));
  if (!finite && arm.on_non_finite != spec::OnNonFinite::Apply) throw NonFiniteEvaluation();
  return loss;
}

bool step_without_scaler(Arm& arm, const Window& window, Attempt& attempt, std::size_t index) {
  OptimizerUnit& unit = arm.optimizers[index];
  try {
    unit.optimizer->step_with_loss(attempt.loss, [&] { return evaluate_again(arm, window, attempt, unit); });
    return true;
  } catch (const NonFiniteEvaluation&) {
    note_non_finite(arm, window, attempt, index, /*after_unscaling=*/false);
    return false;
  }
}

/// Whether any element is not zero; NaN and infinities are not. Ends at the first one.
bool any_nonzero(const at::Tensor& gradient) {
  const bool plain = gradient.device().is_cpu() && !gradient.is_sparse() && gradient.scalar_type() == at::kFloat &&
                     gradient.is_contiguous();
  if (!plain) return observe::two_norm({gradient}) != 0.0;
  const float* const values = gradient.const_data_ptr<float>();
  return std::any_of(values, values + gradient.numel(), [](float value) { return value != 0.0F; });
}

/// Whether the norm of an optimizer's gradients must be known, probes or not.
bool needs_norm(const Arm& arm, const OptimizerUnit& unit) {
  return unit.clip_norm || arm.skip_norm || arm.stop_on.norm;
}

/// The finite check of one optimizer's true gradients, which exist.
void check_gradients(Arm& arm, const Window& window, Attempt& attempt, std::size_t index, const StageOptions& options) {
  const OptimizerUnit& unit = arm.optimizers[index];
  OptimizerAttempt& own = attempt.optimizers[index];
  const std::vector<at::Tensor> gradients = gradients_of(arm, unit);
  // A step without any is a step that underflows. The last parameter first: it is mostly the small bias of the head.
  own.any_nonzero = std::any_of(gradients.rbegin(), gradients.rend(), any_nonzero);
  bool known_finite = false;
  if (options.measure_norms || needs_norm(arm, unit)) {
    own.norm = total_norm(gradients).item<float>();
    own.grad_norm = *own.norm;
    known_finite = std::isfinite(*own.norm);
  }
  if (own.found_inf) {
    note_non_finite(arm, window, attempt, index, /*after_unscaling=*/false);
  } else if (!known_finite && (!arm.scaler || attempt.scale_before < 1.0)) {
    // Dividing finite gradients by a scale of 1 or more leaves them finite: only small scales need a second look.
    if (!observe::all_finite(gradients)) note_non_finite(arm, window, attempt, index, arm.scaler.has_value());
  }
}

void apply_stop_on(Arm& arm, Attempt& attempt) {
  if (arm.stop_on.loss && !std::isfinite(attempt.loss)) {
    stop_before_update(arm, attempt, record::SkipCause::Loss, "The loss was non-finite");
    return;
  }
  if (!arm.stop_on.norm) return;
  for (std::size_t i = 0; i < attempt.optimizers.size(); ++i) {
    const std::optional<float>& norm = attempt.optimizers[i].norm;
    if (!norm || std::isfinite(*norm)) continue;
    stop_before_update(arm, attempt, record::SkipCause::Rule,
                       "The gradient norm of optimizer " + std::to_string(i) + " was non-finite");
    return;
  }
}

void apply_skip_norm(const Arm& arm, Attempt& attempt) {
  if (!arm.skip_norm) return;
  for (OptimizerAttempt& own : attempt.optimizers) {
    if (own.cause == record::SkipCause::None && own.norm && !(*own.norm <= *arm.skip_norm)) {
      own.cause = record::SkipCause::Rule;
    }
  }
}

/// The 2-norm of all optimizers' gradients together, from theirs; nothing where none is known.
std::optional<double> norm_of_all(const Attempt& attempt, std::optional<double> OptimizerAttempt::*norm) {
  std::optional<double> all;
  for (const OptimizerAttempt& own : attempt.optimizers) {
    if (own.*norm) all = all ? std::sqrt(*all * *all + *(own.*norm) * *(own.*norm)) : *(own.*norm);
  }
  return all;
}

}  // namespace

std::optional<double> Attempt::grad_norm_scaled() const {
  return norm_of_all(*this, &OptimizerAttempt::grad_norm_scaled);
}
std::optional<double> Attempt::grad_norm() const { return norm_of_all(*this, &OptimizerAttempt::grad_norm); }
std::optional<double> Attempt::grad_norm_clipped() const {
  return norm_of_all(*this, &OptimizerAttempt::grad_norm_clipped);
}

void zero_gradients(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& /*options*/) {
  attempt.enter(record::StepPart::BeforeForward);
  if (arm.switches_next) adopt_fallback(arm);
  clear_gradients(arm);
  arm.buffers.keep();
  attempt.optimizers.resize(arm.optimizers.size());
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    attempt.optimizers[i].learning_rate = arm.optimizers[i].schedule.learning_rate();
  }
  // Before the first scale() the scaler still holds the setting in FP64; what it will use is FP32.
  attempt.scale_before = arm.scaler ? static_cast<float>(arm.scaler->get_scale()) : 1.0F;
  attempt.scale_after = attempt.scale_before;
  ++arm.tally.counts.attempted;
}

void forward_backward(Arm& arm, const Window& window, Attempt& attempt, const StageOptions& options) {
  attempt.loss = evaluate(arm, window, attempt, KeepOutputs::Yes, options.stop_requested);
  arm.tally.counts.samples += window.samples;
  arm.tally.last_loss = attempt.loss;
  if (!std::isfinite(attempt.loss) && arm.tally.first_non_finite_loss_step == 0) {
    arm.tally.first_non_finite_loss_step = arm.tally.counts.attempted;
  }
}

void unscale(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& options) {
  attempt.enter(record::StepPart::Unscale);
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    OptimizerUnit& unit = arm.optimizers[i];
    OptimizerAttempt& own = attempt.optimizers[i];
    const std::vector<at::Tensor> gradients = gradients_of(arm, unit);
    own.no_gradient = gradients.empty();
    if (own.no_gradient || !arm.scaler) continue;
    if (options.measure_norms) own.grad_norm_scaled = observe::two_norm(gradients);
    arm.scaler->unscale(*unit.optimizer);
    own.found_inf = arm.scaler->found_inf(*unit.optimizer);
  }
}

void check_finite(Arm& arm, const Window& window, Attempt& attempt, const StageOptions& options) {
  attempt.enter(record::StepPart::FiniteCheck);
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    if (attempt.optimizers[i].no_gradient) {
      attempt.optimizers[i].cause = record::SkipCause::NoGradient;
    } else {
      check_gradients(arm, window, attempt, i, options);
    }
  }
  const bool moves = std::any_of(attempt.optimizers.begin(), attempt.optimizers.end(),
                                 [](const OptimizerAttempt& own) { return own.any_nonzero; });
  arm.tally.any_gradient_nonzero = arm.tally.any_gradient_nonzero || moves;
  if (!arm.failure) apply_stop_on(arm, attempt);
  if (arm.failure) return;
  apply_skip_norm(arm, attempt);
  const bool had_gradients = std::any_of(attempt.optimizers.begin(), attempt.optimizers.end(),
                                         [](const OptimizerAttempt& own) { return !own.no_gradient; });
  if (had_gradients && !moves) {
    if (arm.tally.zero_gradient_steps++ == 0) arm.tally.first_zero_gradient_step = arm.tally.counts.attempted;
  }
  if (arm.tally.counts.attempted == 1) note_missing_gradients(arm);
}

void clip(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& options) {
  attempt.enter(record::StepPart::Clip);
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    const OptimizerUnit& unit = arm.optimizers[i];
    OptimizerAttempt& own = attempt.optimizers[i];
    if (!unit.clip_norm || own.cause != record::SkipCause::None) continue;
    std::vector<at::Tensor> gradients = gradients_of(arm, unit);
    const float norm = own.norm ? *own.norm : total_norm(gradients).item<float>();
    const double factor = clip_factor(arm, *unit.clip_norm, gradients, norm);
    if (factor == 1.0) {
      own.grad_norm_clipped = norm;
      continue;
    }
    for (at::Tensor& gradient : gradients) gradient.mul_(factor);
    own.clipped = true;
    if (options.measure_norms) own.grad_norm_clipped = total_norm(gradients).item<double>();
  }
}

void apply_updates(Arm& arm, const Window& window, Attempt& attempt, const StageOptions& /*options*/) {
  bool all_applied = true;
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    attempt.enter(record::StepPart::Update);
    OptimizerUnit& unit = arm.optimizers[i];
    OptimizerAttempt& own = attempt.optimizers[i];
    unit.optimizer->set_learning_rate(own.learning_rate);
    const bool overflowed = arm.scaler && own.found_inf;  // the scaler itself refuses it
    if (overflowed || own.cause == record::SkipCause::None) {
      own.applied = arm.scaler ? arm.scaler->step(*unit.optimizer) : step_without_scaler(arm, window, attempt, i);
    }
    unit.schedule.after_step(own.applied, static_cast<std::int64_t>(window.microbatches.size()));
    unit.applied += own.applied ? 1 : 0;
    all_applied = all_applied && own.applied;
  }
  if (all_applied) ++arm.tally.counts.applied;
}

void update_scale(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& /*options*/) {
  if (!arm.scaler) return;
  bool any_checked = false;
  for (const OptimizerAttempt& own : attempt.optimizers) any_checked = any_checked || !own.no_gradient;
  const bool at_floor = any_checked && arm.scaler->update() == precision::ScaleUpdate::AtFloor;
  attempt.scale_after = arm.scaler->get_scale();
  arm.scale_grew = attempt.scale_after > attempt.scale_before;
  if (at_floor) meet_floor(arm);
}

const std::vector<Stage>& gradient_stages() {
  static const std::vector<Stage> stages = {zero_gradients, forward_backward, unscale, check_finite};
  return stages;
}

const std::vector<Stage>& update_stages() {
  static const std::vector<Stage> stages = {clip, apply_updates, update_scale};
  return stages;
}

void run_stages(const std::vector<Stage>& stages, Arm& arm, const Window& window, Attempt& attempt,
                const StageOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  try {
    for (const Stage stage : stages) {
      stage(arm, window, attempt, options);
      if (arm.failure) break;
    }
  } catch (const StopRequested&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::CallOrder) throw;  // a mistake of ours, not of the model
    arm.failure = Failure{"forward", sentence(error.facts())};
  } catch (const std::exception& error) {
    arm.failure = failure_of(error, "at step " + std::to_string(arm.tally.counts.attempted), arm.policy.cast_policy,
                             words_of(attempt.part));
  }
  attempt.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace mantissa::train
