// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/model/network.h"
#include "core/precision/loss_scaler.h"
#include "core/precision/policy.h"
#include "core/record/memory_trace.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"
#include "core/spec/experiment.h"
#include "core/train/at_floor.h"
#include "core/train/batch_plan.h"
#include "core/train/buffer_guard.h"
#include "core/train/loss.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"

namespace mantissa::train {

/// Why an arm ended early.
struct Failure {
  std::string reason;      ///< "forward", "non-finite", "scale-too-small", "scale-floor", "memory"
  std::string text;        ///< the sentence
  bool by_growth = false;  ///< of "memory": something is kept alive step by step, and no smaller step would mend it
};

/// One optimizer of an arm with everything that is its own.
struct OptimizerUnit {
  std::unique_ptr<Optimizer> optimizer;  ///< nothing after the arm failed for want of memory
  Schedule schedule;
  std::optional<double> clip_norm;
  std::vector<std::size_t> parameters;  ///< indexes into the network's parameters
  std::string kind;                     ///< "adamw", as the experiment file spells it
  std::int64_t applied = 0;             ///< updates
  std::int64_t skipped = 0;
  std::optional<double> last_learning_rate;  ///< of the last attempted step
};

/// What an arm has come to so far. A step that is stopped half-way puts it back.
struct Tally {
  record::Counts counts;
  /// Those of `counts` that another arm brought along, whose checkpoint this one goes on from under another policy.
  record::Counts inherited;
  std::int64_t first_non_finite_loss_step = 0;  ///< 0: none
  std::int64_t zero_gradient_steps = 0;         ///< steps whose gradients were all exactly zero
  std::int64_t first_zero_gradient_step = 0;    ///< 0: none
  bool any_gradient_nonzero = false;            ///< in any step so far; NaN and infinities count
  std::optional<double> last_loss;
};

/// The steps that an arm has made itself: `counts` without `inherited`.
record::Counts own_counts(const Tally& tally);

/// One model in training under one precision policy: the reference or a trial.
struct Arm {
  /// \param network  taken over; all arms of a run start from equal weights.
  /// \param policy  nothing for the reference: FP32, no scaler.
  ///
  /// A network without any trainable parameter makes an arm without optimizers: it can be evaluated, not trained.
  /// \throws Error InvalidSetting where no parameter matches an optimizer's globs, or one matches those of two.
  Arm(std::string name, std::unique_ptr<model::Network> network, const spec::Experiment& experiment,
      const spec::Trial* policy);

  std::string name;
  std::unique_ptr<model::Network> network;
  precision::Policy policy;
  std::optional<precision::LossScaler> scaler;
  std::vector<Fallback> fallbacks;                   ///< the policies that at_floor may still switch to, in this order
  bool switches_next = false;                        ///< the next step begins under the first of them
  std::vector<record::PolicyChange> policy_changes;  ///< so far
  std::vector<OptimizerUnit> optimizers;
  LossFunction loss;
  spec::OnNonFinite on_non_finite;
  spec::StopOn stop_on;
  std::optional<double> skip_norm;
  BufferGuard buffers;
  /// State of the default generator: this arm's own random stream. Undefined where forward draws nothing.
  at::Tensor generator_state;
  std::int64_t shadow_every = 0;  ///< steps between shadow comparisons; 0: none

  Tally tally;
  std::int64_t consecutive_skips = 0;
  std::int64_t max_consecutive_skips = 0;
  bool scale_grew = false;              ///< by the latest attempt
  bool buffers_reported = false;        ///< buffers that a skipped step made non-finite are noted once
  bool norm_overflow_reported = false;  ///< an infinite norm of finite gradients is noted once
  std::vector<std::string> notes;
  std::vector<std::string> warnings;  ///< notes that are to be told at once; whoever tells them empties this
  std::optional<std::int64_t> growth_limit_bytes;  ///< live memory that grows by more fails the arm
  std::optional<Failure> failure;
};

/// What an arm counts for rules on its own steps begins here: for one that has been put into the state of another.
void begin_own_tally(Arm& arm);

/// Whether a glob over parameter paths means this one; a module path means all parameters below it.
bool matches(const std::string& pattern, const std::string& name);

/// What one optimizer of an arm does in one attempted step.
struct OptimizerAttempt {
  bool found_inf = false;  ///< a non-finite gradient, before or after unscaling
  bool no_gradient = false;
  bool any_nonzero = false;  ///< a true gradient that is not zero; NaN and infinities count
  bool applied = false;
  bool clipped = false;
  record::SkipCause cause = record::SkipCause::None;  ///< why its update is refused
  std::string overflow_parameter;
  std::optional<double> largest_finite_gradient;  ///< see record/step_columns.h
  double learning_rate = 0.0;
  std::optional<float> norm;  ///< of the true gradients, as clip_grad_norm_ takes it, where it was taken
  std::optional<double> grad_norm_scaled, grad_norm, grad_norm_clipped;  ///< where measured
};

/// The scratchpad of one attempted step of one arm, filled in stage by stage.
struct Attempt {
  std::vector<at::Tensor> outputs;  ///< per microbatch, detached, as the model returned them
  double loss = 0.0;                ///< mean of the microbatch losses, unscaled
  double scale_before = 0.0;
  double scale_after = 0.0;
  std::vector<OptimizerAttempt> optimizers;
  double seconds = 0.0;
  record::StepPart part = record::StepPart::BeforeForward;  ///< what it is at
  std::function<void(record::StepPart)> on_part;            ///< told of every part that begins; empty: nobody listens

  /// A part of the step begins.
  void enter(record::StepPart next);

  /// The lowest optimizer with a non-finite gradient; nothing where there is none.
  std::optional<std::size_t> overflow_optimizer() const;

  /// Why the step counts as skipped: the cause of the lowest optimizer that was refused for a non-finite gradient, or
  /// else of the lowest that was refused at all.
  record::SkipCause cause() const;

  /// 2-norms over the gradients of all optimizers together, where they were measured.
  std::optional<double> grad_norm_scaled() const;
  std::optional<double> grad_norm() const;
  std::optional<double> grad_norm_clipped() const;

  /// Whether the update of any optimizer was refused.
  bool skipped() const { return cause() != record::SkipCause::None; }
};

}  // namespace mantissa::train
