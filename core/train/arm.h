// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/model/network.h"
#include "core/precision/grad_scaler.h"
#include "core/precision/policy.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"
#include "core/spec/experiment.h"
#include "core/train/batch_plan.h"
#include "core/train/loss.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"

namespace mantissa::train {

/// Why an arm ended early.
struct Failure {
  std::string reason;  ///< "forward", "non-finite", "scale-too-small", "memory"
  std::string text;    ///< the sentence
};

/// One optimizer of an arm with everything that is its own.
struct OptimizerUnit {
  std::unique_ptr<Optimizer> optimizer;
  Schedule schedule;
  std::optional<double> clip_norm;
  std::vector<std::size_t> parameters;  ///< indexes into the network's parameters
};

/// What an arm has come to so far. A step that is stopped half-way puts it back.
struct Tally {
  record::Counts counts;
  std::int64_t first_non_finite_loss_step = 0;  ///< 0: none
  std::int64_t zero_gradient_steps = 0;       ///< steps whose gradients were all exactly zero, where norms are measured
  std::int64_t first_zero_gradient_step = 0;  ///< 0: none
  bool any_gradient_nonzero = false;          ///< in any step so far; NaN and infinities count
  std::optional<double> last_loss;
};

/// One model in training under one precision policy: the reference or a trial.
struct Arm {
  /// \param network  taken over; all arms of a run start from equal weights.
  /// \param policy  nothing for the reference: FP32, no scaler.
  ///
  /// A network without any trainable parameter makes an arm without optimizers: it can be evaluated, not trained.
  /// \throws Error InvalidSetting where no parameter matches the optimizer's globs.
  Arm(std::string name, std::unique_ptr<model::Network> network, const spec::Experiment& experiment,
      const spec::Trial* policy);

  std::string name;
  std::unique_ptr<model::Network> network;
  precision::Policy policy;
  std::optional<precision::GradScaler> scaler;
  std::vector<OptimizerUnit> optimizers;
  LossFunction loss;
  spec::OnNonFinite on_non_finite;
  /// State of the default generator: this arm's own random stream. Undefined where forward draws nothing.
  at::Tensor generator_state;
  std::int64_t shadow_every = 0;  ///< steps between shadow comparisons; 0: none

  Tally tally;
  std::int64_t consecutive_skips = 0;
  std::int64_t max_consecutive_skips = 0;
  bool scale_grew = false;              ///< by the latest attempt
  bool buffers_reported = false;        ///< non-finite buffers are noted once
  bool norm_overflow_reported = false;  ///< an infinite norm of finite gradients is noted once
  std::vector<std::string> notes;
  std::optional<Failure> failure;
};

/// The scratchpad of one attempted step of one arm, filled in stage by stage.
struct Attempt {
  std::vector<at::Tensor> outputs;  ///< per microbatch, detached, as the model returned them
  double loss = 0.0;                ///< mean of the microbatch losses, unscaled
  double scale_before = 0.0;
  double scale_after = 0.0;
  std::vector<bool> found_inf;              ///< per optimizer, before or after unscaling
  std::vector<bool> no_gradient;            ///< per optimizer
  std::vector<bool> applied;                ///< per optimizer
  std::vector<std::optional<float>> norms;  ///< per optimizer: the norm of the true gradients in FP32, where measured
  std::optional<double> grad_norm_scaled, grad_norm, grad_norm_clipped;
  bool clipped = false;
  record::SkipCause cause = record::SkipCause::None;
  std::optional<std::int64_t> overflow_optimizer;
  std::string overflow_parameter;
  double learning_rate = 0.0;
  double seconds = 0.0;

  bool skipped() const { return cause != record::SkipCause::None; }
};

}  // namespace mantissa::train
