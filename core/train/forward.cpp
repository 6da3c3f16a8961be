// SPDX-License-Identifier: Apache-2.0
#include "core/train/forward.h"

#include <utility>

#include <ATen/ATen.h>

#include "core/precision/forward_scope.h"

namespace mantissa::train {
namespace {

bool is_narrow(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
}

}  // namespace

ForwardResult forward_and_loss(model::Network& network, const precision::Policy& policy, const LossFunction& loss,
                               const Microbatch& microbatch) {
  ForwardResult result;
  {
    const precision::ForwardScope scope(policy, microbatch.inputs.device().type());
    model::Outputs outputs = network.compute(microbatch.inputs, microbatch.targets);
    result.output = std::move(outputs.prediction);
    result.loss = std::move(outputs.loss);
    const bool widen = policy.loss_in_float32 || (!policy.autocast && is_narrow(result.output));
    if (!result.loss.defined() && !widen) result.loss = loss(result.output, microbatch.targets);
  }
  if (!result.loss.defined()) result.loss = loss(result.output.to(at::kFloat), microbatch.targets);
  return result;
}

}  // namespace mantissa::train
