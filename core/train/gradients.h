// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::train {

/// torch.nn.utils.get_total_norm: the 2-norm of the tensors' 2-norms, all of it in the gradients' dtype. A sparse
/// gradient counts as the dense one that it stands for, which PyTorch refuses to take the norm of.
at::Tensor total_norm(const std::vector<at::Tensor>& gradients);

/// What clip_grad_norm_ multiplies gradients of this norm by, rounded as PyTorch rounds it in the dtype of the norm.
/// \param norm  of `total_norm`: FP16 and BF16 gradients have a norm in their own type.
double clip_coefficient(double clip_norm, float norm, at::ScalarType norm_type);

/// The dtype of `total_norm`.
at::ScalarType norm_type(const std::vector<at::Tensor>& gradients);

}  // namespace mantissa::train
