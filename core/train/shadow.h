// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/train/arm.h"
#include "core/train/batch_plan.h"
#include "core/train/buffer_guard.h"
#include "core/train/step_deviation.h"

namespace mantissa::train {

/// The shadow deviation: a trial's forward and backward from the reference's weights of that very step, on the same
/// batch with the same random numbers, against the reference's own outputs and gradients. Unlike the trajectory, in
/// which both sides have gone their own ways, it shows what the precision policy does within one step.
///
/// It works in a network of its own, so that no bit of any arm changes: weights, buffers, gradients, random streams,
/// scaler. Backward takes the trial's loss scale of that step; where it overflows, the non-finite gradients are what
/// is recorded. `shadow_weight_relative` stays empty: the weights are the reference's by definition.
///
/// Costs one copy of the weights and two of the buffers for all trials together, their gradients while it compares, and
/// a forward and a backward a trial and comparison. Attributes of a TorchScript model that are neither parameters nor
/// buffers are the reference's, too. Every comparison begins from what was taken, whatever an earlier one's forward
/// moved.
class Shadow {
 public:
  /// \param reference  before its first step.
  explicit Shadow(const Arm& reference);

  /// Notes the random stream that the reference is about to draw from, and its weights and buffers. Before its
  /// forward: BatchNorm writes while it runs.
  void take(const Arm& reference);

  /// Takes over the weights and buffers of another arm, to run them on the reference's window.
  void take_weights(const Arm& arm);

  /// Forward and backward of the window with the weights that were taken. Between the gradients and the updates of the
  /// step that `take` saw: the scale and the reference's gradients are still those of the step.
  /// \param scaler  multiplies the loss by its scale and divides the gradients by it; nothing: neither.
  /// \throws whatever the model throws.
  StepDeviation compare(const Arm& reference, const Attempt& reference_attempt, const Window& window,
                        const precision::Policy& policy, precision::LossScaler* scaler);

 private:
  void drop_gradients();
  void put_back();

  std::unique_ptr<model::Network> network_;
  BufferGuard buffers_;
  std::unique_ptr<model::Attributes> attributes_;  // as they were taken; null where the model's code changes none
  at::Tensor generator_state_;  // of the reference before the step; undefined where forward draws nothing
};

}  // namespace mantissa::train
