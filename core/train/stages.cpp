// SPDX-License-Identifier: Apache-2.0
#include "core/train/stages.h"

#include <chrono>
#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/observe/finite_scan.h"
#include "core/observe/norms.h"
#include "core/train/failure_text.h"
#include "core/train/forward.h"
#include "core/train/random_stream.h"

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

/// torch.nn.utils.get_total_norm: the 2-norm of the tensors' 2-norms, all of it in the gradients' dtype.
at::Tensor total_norm(const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> norms;
  norms.reserve(gradients.size());
  for (const at::Tensor& gradient : gradients) norms.push_back(at::linalg_vector_norm(gradient));
  return at::linalg_vector_norm(at::stack(norms));
}

std::optional<double> joined(const std::optional<double>& a, double b) { return a ? std::sqrt(*a * *a + b * b) : b; }

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

record::SkipCause cause_of_non_finite(const Arm& arm, const Window& window, const Attempt& attempt) {
  if (!all_inputs_finite(window)) return record::SkipCause::Input;
  if (!std::isfinite(attempt.loss)) return record::SkipCause::Loss;
  if (!all_weights_finite(arm)) return record::SkipCause::Weights;
  if (!arm.scaler) return record::SkipCause::Overflow;
  if (arm.tally.counts.applied == 0) return record::SkipCause::Calibration;
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

/// Gradients of one optimizer that are not finite: note the first offender, and what follows from it.
void note_non_finite(Arm& arm, const Window& window, Attempt& attempt, std::size_t index, bool after_unscaling) {
  attempt.found_inf[index] = true;
  if (!attempt.overflow_optimizer) {
    attempt.overflow_optimizer = static_cast<std::int64_t>(index);
    attempt.overflow_parameter = first_non_finite_parameter(arm, arm.optimizers[index]);
  }
  const std::string where = " at step " + std::to_string(arm.tally.counts.attempted);
  if (after_unscaling) {
    attempt.cause = record::SkipCause::ScaleTooSmall;
    arm.failure =
        Failure{"scale-too-small", "The gradient of " + attempt.overflow_parameter +
                                       " was finite when scaled and non-finite after dividing by the loss scale" +
                                       where + ": the scale is too small. The update was not applied."};
    return;
  }
  if (attempt.cause == record::SkipCause::None) attempt.cause = cause_of_non_finite(arm, window, attempt);
  if (arm.scaler) return;
  if (arm.on_non_finite == spec::OnNonFinite::Stop) {
    arm.failure = Failure{"non-finite", "The gradient of " + attempt.overflow_parameter + " was non-finite" + where +
                                            " and there is no scaler to skip it. The update was not applied."};
  } else if (arm.on_non_finite == spec::OnNonFinite::Apply) {
    attempt.cause = record::SkipCause::None;
  }
}

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
  // PyTorch divides a number by a tensor as reciprocal times number, in FP32: the last bit depends on it.
  const float coefficient = (1.0F / (norm + 1e-6F)) * static_cast<float>(clip_norm);
  return std::isnan(coefficient) ? coefficient : std::fmin(coefficient, 1.0F);
}

}  // namespace

void zero_gradients(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& /*options*/) {
  for (const model::NamedTensor& parameter : arm.network->parameters()) parameter.tensor.mutable_grad().reset();
  const std::size_t count = arm.optimizers.size();
  attempt.found_inf.assign(count, false);
  attempt.no_gradient.assign(count, false);
  attempt.applied.assign(count, false);
  attempt.norms.assign(count, std::nullopt);
  // Before the first scale() the scaler still holds the setting in FP64; what it will use is FP32.
  attempt.scale_before = arm.scaler ? static_cast<float>(arm.scaler->get_scale()) : 1.0F;
  attempt.scale_after = attempt.scale_before;
  attempt.learning_rate = arm.optimizers.front().schedule.learning_rate();
  ++arm.tally.counts.attempted;
}

void forward_backward(Arm& arm, const Window& window, Attempt& attempt, const StageOptions& options) {
  const RandomStream stream(arm.generator_state);
  const auto count = static_cast<double>(window.microbatches.size());
  double loss_sum = 0.0;
  for (const Microbatch& microbatch : window.microbatches) {
    auto [output, loss] = forward_and_loss(*arm.network, arm.policy, arm.loss, microbatch);
    attempt.outputs.push_back(output.detach());
    loss_sum += loss.item<double>();
    if (window.microbatches.size() > 1) loss = loss / count;
    if (arm.scaler) loss = arm.scaler->scale(loss);
    loss.backward();
    ++arm.tally.counts.iterations;
    if (options.stop_requested && options.stop_requested()) throw StopRequested();
  }
  arm.tally.counts.samples += window.samples;
  attempt.loss = loss_sum / count;
  arm.tally.last_loss = attempt.loss;
  if (!std::isfinite(attempt.loss) && arm.tally.first_non_finite_loss_step == 0) {
    arm.tally.first_non_finite_loss_step = arm.tally.counts.attempted;
  }
}

void unscale(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& options) {
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    OptimizerUnit& unit = arm.optimizers[i];
    const std::vector<at::Tensor> gradients = gradients_of(arm, unit);
    attempt.no_gradient[i] = gradients.empty();
    if (gradients.empty() || !arm.scaler) continue;
    if (options.measure_norms) {
      attempt.grad_norm_scaled = joined(attempt.grad_norm_scaled, observe::two_norm(gradients));
    }
    arm.scaler->unscale(*unit.optimizer);
    attempt.found_inf[i] = arm.scaler->found_inf(*unit.optimizer);
  }
}

void check_finite(Arm& arm, const Window& window, Attempt& attempt, const StageOptions& options) {
  bool any_gradient = false;
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    if (attempt.no_gradient[i]) continue;
    any_gradient = true;
    const OptimizerUnit& unit = arm.optimizers[i];
    const std::vector<at::Tensor> gradients = gradients_of(arm, unit);
    // One look until the first gradient that is not zero: an arm without any is an arm that underflows.
    arm.tally.any_gradient_nonzero = arm.tally.any_gradient_nonzero || observe::two_norm(gradients) != 0.0;
    bool known_finite = false;
    if (options.measure_norms || unit.clip_norm) {
      const auto norm = total_norm(gradients).item<float>();
      attempt.norms[i] = norm;
      attempt.grad_norm = joined(attempt.grad_norm, norm);
      known_finite = std::isfinite(norm);
    }
    if (attempt.found_inf[i]) {
      note_non_finite(arm, window, attempt, i, /*after_unscaling=*/false);
    } else if (!known_finite && (!arm.scaler || attempt.scale_before < 1.0)) {
      // Dividing finite gradients by a scale of 1 or more leaves them finite: only small scales need a second look.
      if (!observe::all_finite(gradients)) note_non_finite(arm, window, attempt, i, arm.scaler.has_value());
    }
    if (arm.failure) return;
  }
  if (!any_gradient) attempt.cause = record::SkipCause::NoGradient;
  if (attempt.grad_norm && *attempt.grad_norm == 0.0) {
    if (arm.tally.zero_gradient_steps++ == 0) arm.tally.first_zero_gradient_step = arm.tally.counts.attempted;
  }
  if (arm.tally.counts.attempted == 1) note_missing_gradients(arm);
}

void clip(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& options) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    const OptimizerUnit& unit = arm.optimizers[i];
    if (!unit.clip_norm || attempt.no_gradient[i] || (attempt.found_inf[i] && attempt.skipped())) continue;
    std::vector<at::Tensor> gradients = gradients_of(arm, unit);
    const float norm = attempt.norms[i] ? *attempt.norms[i] : total_norm(gradients).item<float>();
    const double factor = clip_factor(arm, *unit.clip_norm, gradients, norm);
    if (factor == 1.0) {
      attempt.grad_norm_clipped = joined(attempt.grad_norm_clipped, norm);
      continue;
    }
    for (at::Tensor& gradient : gradients) gradient.mul_(factor);
    attempt.clipped = true;
    if (!options.measure_norms) continue;
    attempt.grad_norm_clipped = joined(attempt.grad_norm_clipped, total_norm(gradients).item<double>());
  }
}

void apply_updates(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& /*options*/) {
  const bool refused_without_scaler = !arm.scaler && attempt.skipped();
  bool all_applied = true;
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    OptimizerUnit& unit = arm.optimizers[i];
    if (!attempt.no_gradient[i] && !refused_without_scaler) {
      unit.optimizer->set_learning_rate(unit.schedule.learning_rate());
      if (arm.scaler) {
        attempt.applied[i] = arm.scaler->step(*unit.optimizer);
      } else {
        unit.optimizer->step();
        attempt.applied[i] = true;
      }
    }
    if (attempt.applied[i]) {
      unit.schedule.advance();
    } else {
      all_applied = false;
    }
  }
  if (all_applied) ++arm.tally.counts.applied;
}

void update_scale(Arm& arm, const Window& /*window*/, Attempt& attempt, const StageOptions& /*options*/) {
  if (!arm.scaler) return;
  bool any_checked = false;
  for (const bool without : attempt.no_gradient) any_checked = any_checked || !without;
  if (any_checked) arm.scaler->update();
  attempt.scale_after = arm.scaler->get_scale();
  arm.scale_grew = attempt.scale_after > attempt.scale_before;
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
    arm.failure = failure_of(error, "at step " + std::to_string(arm.tally.counts.attempted));
  }
  attempt.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace mantissa::train
