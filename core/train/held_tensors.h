// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "core/record/memory_trace.h"
#include "core/train/arm.h"

namespace mantissa::train {

/// Calls `hold` with every tensor that an arm holds between steps: parameters, their gradients (of sparse ones the two
/// tensors they are made of), buffers, optimizer state. Gradients may be undefined.
void each_held_tensor(const Arm& arm,
                      const std::function<void(const at::Tensor& tensor, record::MemoryCategory category)>& hold);

}  // namespace mantissa::train
