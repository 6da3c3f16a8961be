// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/session/foreign_steps.h"

namespace mantissa::session {
namespace {

using record::OptimizerStep;
using record::SkipCause;
using record::StepRecord;
using Real = std::optional<double>;

bool is_non_finite(const Real& value) { return value && !std::isfinite(*value); }

std::int64_t size_of(const std::vector<StepRecord>& steps) { return static_cast<std::int64_t>(steps.size()); }

/// "losses", with how many are missing; empty where all are there.
std::string missing_of(const std::string& what, std::int64_t missing, std::int64_t all) {
  if (missing == 0) return {};
  return missing == all ? what : what + " of " + std::to_string(missing) + " steps";
}

void add_unless_empty(std::vector<std::string>& to, std::string what) {
  if (!what.empty()) to.push_back(std::move(what));
}

struct NamedReal {
  const char* name;
  Real StepRecord::*member;
};

/// Numbers whatever the step did; the loss has a sentence of its own.
constexpr NamedReal kAlways[] = {{"lr", &StepRecord::lr},
                                 {"scale_before", &StepRecord::scale_before},
                                 {"scale_after", &StepRecord::scale_after},
                                 {"weight_change", &StepRecord::weight_change}};

/// Numbers unless the step was skipped. A ratio to a reference that is 0 may be infinite, and the cosine of a zero
/// vector is no number: they tell of no value that is.
constexpr NamedReal kOfApplied[] = {{"grad_norm_scaled", &StepRecord::grad_norm_scaled},
                                    {"grad_norm", &StepRecord::grad_norm},
                                    {"grad_norm_clipped", &StepRecord::grad_norm_clipped},
                                    {"deviation_output_max", &StepRecord::deviation_output_max},
                                    {"deviation_output_rmse", &StepRecord::deviation_output_rmse},
                                    {"deviation_output_ulp", &StepRecord::deviation_output_ulp},
                                    {"deviation_loss", &StepRecord::deviation_loss},
                                    {"shadow_output_max", &StepRecord::shadow_output_max},
                                    {"shadow_output_rmse", &StepRecord::shadow_output_rmse},
                                    {"shadow_output_ulp", &StepRecord::shadow_output_ulp},
                                    {"shadow_loss", &StepRecord::shadow_loss}};

struct NamedReadingOfOptimizer {
  const char* name;
  Real OptimizerStep::*member;
};

constexpr NamedReadingOfOptimizer kGradientsOfOptimizer[] = {{"grad_norm_scaled", &OptimizerStep::grad_norm_scaled},
                                                             {"grad_norm", &OptimizerStep::grad_norm},
                                                             {"grad_norm_clipped", &OptimizerStep::grad_norm_clipped}};

/// "gradients that step 2 applied (grad_norm[1])"; empty where everything is a number.
std::string non_finite_optimizer_of(const StepRecord& step) {
  const std::string number = std::to_string(step.step);
  for (std::size_t i = 0; i < step.optimizers.size(); ++i) {
    const OptimizerStep& own = step.optimizers[i];
    const std::string index = '[' + std::to_string(i) + ']';
    if (is_non_finite(own.lr)) return "lr" + index + " of step " + number;
    if (own.skipped) continue;
    for (const NamedReadingOfOptimizer& one : kGradientsOfOptimizer) {
      if (is_non_finite(own.*one.member))
        return "gradients that step " + number + " applied (" + one.name + index + ')';
    }
  }
  return {};
}

std::string non_finite_of(const StepRecord& step) {
  const std::string number = std::to_string(step.step);
  if (step.skip_cause == SkipCause::Weights) return "weights before step " + number + " (skip_cause)";
  for (const NamedReal& one : kAlways) {
    if (!is_non_finite(step.*one.member)) continue;
    return one.member == &StepRecord::weight_change ? "weights after step " + number + " (weight_change)"
                                                    : one.name + (" of step " + number);
  }
  if (!step.skipped) {
    for (const NamedReal& one : kOfApplied) {
      if (!is_non_finite(step.*one.member)) continue;
      if (std::string(one.name).rfind("grad_", 0) == 0) {
        return "gradients that step " + number + " applied (" + one.name + ')';
      }
      if (is_non_finite(step.loss_reference)) continue;  // the reference's own, which is said
      return one.name + (" of step " + number);
    }
  }
  return non_finite_optimizer_of(step);
}

/// Nothing where no norm was given.
std::optional<bool> has_zero_gradients(const StepRecord& step) {
  bool known = false;
  for (const Real& norm : {step.grad_norm_scaled, step.grad_norm, step.grad_norm_clipped}) {
    if (norm == 0.0) return true;
    known = known || norm.has_value();
  }
  if (known || step.optimizers.empty()) return known ? std::optional(false) : std::nullopt;
  for (const OptimizerStep& own : step.optimizers) {
    const bool zero = own.grad_norm_scaled == 0.0 || own.grad_norm == 0.0 || own.grad_norm_clipped == 0.0;
    const bool any = own.grad_norm_scaled || own.grad_norm || own.grad_norm_clipped;
    if (any && !zero) return false;
    known = known || zero;
  }
  return known ? std::optional(true) : std::nullopt;
}

bool has_applied(const StepRecord& step) {
  return !step.skipped || std::any_of(step.optimizers.begin(), step.optimizers.end(),
                                      [](const OptimizerStep& own) { return !own.skipped; });
}

bool has_rate_of_zero(const StepRecord& step) {
  return step.lr == 0.0 && std::all_of(step.optimizers.begin(), step.optimizers.end(),
                                       [](const OptimizerStep& own) { return !own.lr || own.lr == 0.0; });
}

void add_movement(judge::Evidence& evidence, const ForeignSteps& file) {
  std::int64_t known = 0;
  std::int64_t applied = 0;
  std::int64_t without_rate = 0;
  std::optional<bool> changed;
  for (const StepRecord& step : file.steps) {
    const std::optional<bool> zero = has_zero_gradients(step);
    known += zero ? 1 : 0;
    evidence.zero_gradient_steps += zero.value_or(false) ? 1 : 0;
    if (!has_applied(step)) continue;
    ++applied;
    without_rate += has_rate_of_zero(step) ? 1 : 0;
    if (step.weight_change) changed = changed.value_or(false) || *step.weight_change != 0.0;
  }
  if (known > 0) evidence.gradients_all_zero = evidence.zero_gradient_steps == known;
  if (changed) evidence.weights_unchanged = !*changed;
  // Optimizers multiply what they add by the rate, decay included.
  if ((file.has_skips && applied == 0) || (applied > 0 && without_rate == applied)) evidence.weights_unchanged = true;
}

/// Where a column has cells without a value between others. \param concerns  the steps of which it must have one
void add_holes(judge::Evidence& evidence, const ForeignSteps& file, const std::string& name, bool always_measured,
               const std::function<const Real&(const StepRecord&)>& value,
               const std::function<bool(const StepRecord&)>& concerns) {
  if (file.columns.count(name) == 0) return;
  std::int64_t filled = 0;
  std::int64_t empty = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < file.steps.size(); ++i) {
    if (value(file.steps[i])) {
      ++filled;
    } else if (concerns(file.steps[i])) {
      if (empty++ == 0) first = i;
    }
  }
  if (empty == 0 || (filled == 0 && !always_measured)) return;
  evidence.holes.push_back(name + " is empty in " + std::to_string(empty) + " of " + std::to_string(file.steps.size()) +
                           (file.steps.size() == 1 ? " step" : " steps") + ", first at step " +
                           std::to_string(file.steps[first].step) + " (" + file.file + ", line " +
                           std::to_string(file.lines[first]) + ')');
}

void add_all_holes(judge::Evidence& evidence, const ForeignSteps& file) {
  const auto always = [](const StepRecord&) { return true; };
  const auto of_applied = [](const StepRecord& step) { return !step.skipped; };
  const auto add = [&](const std::string& name, Real StepRecord::*member, const auto& concerns) {
    const bool is_loss = member == &StepRecord::loss;
    add_holes(
        evidence, file, name, is_loss, [member](const StepRecord& step) -> const Real& { return step.*member; },
        concerns);
  };
  add("loss", &StepRecord::loss, always);
  add("loss_reference", &StepRecord::loss_reference, always);
  add("lr", &StepRecord::lr, always);
  add("scale_before", &StepRecord::scale_before, always);
  add("scale_after", &StepRecord::scale_after, always);
  add("grad_norm_scaled", &StepRecord::grad_norm_scaled, of_applied);
  add("grad_norm", &StepRecord::grad_norm, of_applied);
  // Of one optimizer of several, a step may have no gradient, and none of them need be clipped.
  const std::size_t optimizers = file.steps.front().optimizers.size();
  if (optimizers == 0) add("grad_norm_clipped", &StepRecord::grad_norm_clipped, of_applied);
  for (std::size_t i = 0; i < optimizers; ++i) {
    const auto applied = [i](const StepRecord& step) { return !step.optimizers[i].skipped; };
    const auto add_own = [&, i](const std::string& name, Real OptimizerStep::*member) {
      add_holes(
          evidence, file, name + '[' + std::to_string(i) + ']', false,
          [i, member](const StepRecord& step) -> const Real& { return step.optimizers[i].*member; }, applied);
    };
    add_own("lr", &OptimizerStep::lr);
    add_own("grad_norm_scaled", &OptimizerStep::grad_norm_scaled);
    add_own("grad_norm", &OptimizerStep::grad_norm);
    add_own("grad_norm_clipped", &OptimizerStep::grad_norm_clipped);
  }
  // Measured every tenth step and in the last: where the last one is left out, weights may have become NaN before it.
  const StepRecord& last = file.steps.back();
  add_holes(
      evidence, file, "weight_change", false, [](const StepRecord& step) -> const Real& { return step.weight_change; },
      [&last](const StepRecord& step) { return &step == &last; });
}

/// The guard after unscaling stops a trial, wherever the file goes on to.
void add_end(judge::Evidence& evidence, const ForeignSteps& file) {
  const auto is_guarded = [](const StepRecord& step) {
    return step.skip_cause == SkipCause::ScaleTooSmall ||
           std::any_of(step.optimizers.begin(), step.optimizers.end(),
                       [](const OptimizerStep& own) { return own.skip_cause == SkipCause::ScaleTooSmall; });
  };
  const auto found = std::find_if(file.steps.begin(), file.steps.end(), is_guarded);
  if (found == file.steps.end()) return;
  evidence.status = record::Status::Failed;
  evidence.failure = "scale-too-small";
  evidence.failure_text = "a gradient was finite when scaled and non-finite after dividing by the loss scale at step " +
                          std::to_string(found->step) + " (skip_cause scale-too-small), which ends a trial";
}

}  // namespace

void add_steps(judge::Evidence& evidence, const ForeignSteps& file) {
  const std::vector<StepRecord>& steps = file.steps;
  evidence.counts.attempted = size_of(steps);
  evidence.counts.iterations = steps.back().iteration;
  evidence.counts.samples = steps.back().samples;
  std::int64_t in_a_row = 0;
  std::int64_t without_loss = 0;
  std::int64_t without_norm = 0;
  for (const StepRecord& step : steps) {
    evidence.counts.skipped += step.skipped ? 1 : 0;
    in_a_row = step.skipped ? in_a_row + 1 : 0;
    evidence.max_consecutive_skips = std::max(evidence.max_consecutive_skips, in_a_row);
    without_loss += step.loss ? 0 : 1;
    if ((is_non_finite(step.loss) || step.skip_cause == SkipCause::Loss) && evidence.first_non_finite_loss_step == 0) {
      evidence.first_non_finite_loss_step = step.step;
    }
    if (is_non_finite(step.loss_reference) && evidence.non_finite_reference.empty()) {
      evidence.non_finite_reference.push_back("loss at step " + std::to_string(step.step));
    }
    if (!step.skipped) without_norm += step.grad_norm ? 0 : 1;
    if (evidence.non_finite.empty()) add_unless_empty(evidence.non_finite, non_finite_of(step));  // the first says it
  }
  evidence.counts.applied = evidence.counts.attempted - evidence.counts.skipped;
  if (!file.has_skips) {
    evidence.counts.applied = 0;
    evidence.steps_missing = "the file of steps has neither skipped nor applied_updates, so skips are not known";
  }
  add_end(evidence, file);
  add_movement(evidence, file);
  add_all_holes(evidence, file);
  const std::int64_t applied = evidence.counts.attempted - evidence.counts.skipped;
  add_unless_empty(evidence.not_looked_at, missing_of("losses", without_loss, size_of(steps)));
  add_unless_empty(evidence.not_looked_at, missing_of("gradients", without_norm, applied));
  // A finite change leaves finite weights: the difference of a non-finite one is never finite.
  evidence.not_looked_at.push_back(steps.back().weight_change ? "buffers and optimizer state"
                                                              : "weights, buffers and optimizer state");
}

void add_missing_steps(judge::Evidence& evidence) {
  evidence.steps_missing = "no file of steps was given (--steps), so skips are not known";
  evidence.not_looked_at = {"losses", "gradients", "weights, buffers and optimizer state"};
}

}  // namespace mantissa::session
