// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::observe {

/// 2-norm of all elements of all tensors, squares summed in FP64: it does not overflow where FP32 would. Undefined
/// tensors (parameters without a gradient) count as empty; NaN and infinity show.
double two_norm(const std::vector<at::Tensor>& tensors);

/// 2-norm of `a − b` over all tensors, taken pairwise; equal counts. Differences and squares in FP64.
/// \throws Error (InvalidSetting)  for unequal counts.
double difference_norm(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

}  // namespace mantissa::observe
