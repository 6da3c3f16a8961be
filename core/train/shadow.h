// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/record/step_record.h"
#include "core/train/arm.h"
#include "core/train/batch_plan.h"

namespace mantissa::train {

/// The shadow deviation: a trial's forward and backward from the reference's weights of that very step, on the same
/// batch with the same random numbers, against the reference's own outputs and gradients. Unlike the trajectory, in
/// which both sides have gone their own ways, it shows what the precision policy does within one step.
///
/// It works in a network of its own, so that no bit of any arm changes: weights, buffers, gradients, random streams,
/// scaler. Backward takes the trial's loss scale of that step; where it overflows, the non-finite gradients are what
/// is recorded. `shadow_weight_relative` stays empty: the weights are the reference's by definition.
///
/// Costs one copy of the weights and buffers for all trials together, their gradients while it compares, and a forward
/// and a backward a trial and comparison. State of a TorchScript model that is neither parameter nor buffer stays as
/// it was at the start of the run.
class Shadow {
 public:
  /// \param reference  before its first step.
  explicit Shadow(const Arm& reference);

  /// Notes weights, buffers and random stream of the reference. Before its forward: BatchNorm writes while it runs.
  void take(const Arm& reference);

  /// Fills in the columns shadow_* of a trial's step. Between the gradients and the updates of the step that follows
  /// `take`: the scale and the reference's gradients are still those of the step.
  ///
  /// Where the model throws, the columns stay empty, the trial gets a note, and its shadow ends; the trial goes on.
  void compare(const Arm& reference, const Attempt& reference_attempt, const Window& window, Arm& trial,
               record::StepRecord& step);

 private:
  void run(const Arm& reference, const Attempt& reference_attempt, const Window& window, Arm& trial,
           record::StepRecord& step);
  void drop_gradients();

  std::unique_ptr<model::Network> network_;
  at::Tensor generator_state_;  // of the reference before the step; undefined where forward draws nothing
};

}  // namespace mantissa::train
