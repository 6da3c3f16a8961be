// SPDX-License-Identifier: Apache-2.0
#include "core/train/held_tensors.h"

#include <ATen/ATen.h>

namespace mantissa::train {

using record::MemoryCategory;

void each_held_tensor(const Arm& arm, const std::function<void(const at::Tensor&, MemoryCategory)>& hold) {
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    hold(parameter.tensor, MemoryCategory::Parameters);
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined() && gradient.is_sparse()) {
      hold(gradient._values(), MemoryCategory::Gradients);
      hold(gradient._indices(), MemoryCategory::Gradients);
    } else {
      hold(gradient, MemoryCategory::Gradients);
    }
  }
  for (const model::NamedTensor& buffer : arm.network->buffers()) hold(buffer.tensor, MemoryCategory::Buffers);
  for (const OptimizerUnit& unit : arm.optimizers) {
    if (!unit.optimizer) continue;
    const OptimizerState state = unit.optimizer->state_dict();
    for (const auto& [name, tensor] : state.tensors) hold(tensor, MemoryCategory::OptimizerState);
  }
}

}  // namespace mantissa::train
