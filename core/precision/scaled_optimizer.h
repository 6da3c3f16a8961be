// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

namespace mantissa::precision {

/// What a GradScaler needs to know of an optimizer: its parameters, and how to take a step.
///
/// `torch_optimizer.h` makes one of any `torch::optim::Optimizer`.
class ScaledOptimizer {
 public:
  virtual ~ScaledOptimizer() = default;

  /// The parameters whose gradients are unscaled and checked, one list a group. An undefined gradient is passed over.
  virtual std::size_t group_count() const { return 1; }
  virtual at::ArrayRef<at::Tensor> parameters(std::size_t group) = 0;

  /// One update from gradients that were unscaled in place and are all finite.
  virtual void step() = 0;

  /// Two objects with one identity share their state in the scaler. An adapter returns the optimizer behind it.
  virtual const void* identity() const { return this; }

  /// True for a fused optimizer that unscales and skips by itself: an enabled scaler then calls `step_scaled` and never
  /// `step` (`_step_supports_amp_scaling` in PyTorch).
  virtual bool unscales_itself() const { return false; }

  /// One call an attempt, overflow or not; it must leave weights and its own step counter alone where found_inf ≠ 0.
  /// \param grad_scale  FP32, no dimension; undefined where `unscale` has already divided the gradients
  /// \param found_inf   FP32, no dimension, on the device of the scale; valid during the call only
  virtual void step_scaled(const at::Tensor& grad_scale, const at::Tensor& found_inf);
};

}  // namespace mantissa::precision
