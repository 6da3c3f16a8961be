// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::observe {

/// Whether a floating tensor (any dtype, any layout, any device) holds neither NaN nor infinity; true for an empty one.
/// One pass at memory speed on the CPU; changes nothing.
bool all_finite(const at::Tensor& tensor);

/// The same of all tensors.
bool all_finite(const std::vector<at::Tensor>& tensors);

}  // namespace mantissa::observe
