// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/spec/experiment.h"

namespace mantissa::train {

/// The loss of one microbatch: the function of torch.nn.functional with the experiment's reduction.
///
/// A language model's output [B, T, V] and targets [B, T] are flattened to B·T positions first.
/// Regression and bce outputs of shape [N] are viewed as [N, 1]; shapes are equal or refused, never broadcast.
class LossFunction {
 public:
  /// The experiment must name its loss (session fills in the default of the task).
  explicit LossFunction(const spec::Training& training);

  /// \param targets  int64 [N] or [B, T] for cross_entropy and nll, FP32 [N, T] otherwise.
  /// \throws Error DataProblem where shapes do not fit.
  at::Tensor operator()(const at::Tensor& output, const at::Tensor& targets) const;

 private:
  at::Tensor by_class(const at::Tensor& output, const at::Tensor& targets) const;

  spec::Loss loss_;
  std::int64_t reduction_;
  std::int64_t ignore_index_;
};

}  // namespace mantissa::train
