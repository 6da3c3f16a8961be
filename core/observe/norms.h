// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::observe {

/// 2-norm of all elements of all tensors, squares summed in FP64: it does not overflow where FP32 would.
double two_norm(const std::vector<at::Tensor>& tensors);

/// 2-norm of `a − b` over all tensors, taken pairwise; equal counts and shapes. Differences in FP32, squares in FP64.
double difference_norm(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

}  // namespace mantissa::observe
