// SPDX-License-Identifier: Apache-2.0
#include "core/train/forward.h"

#include <ATen/ATen.h>

#include "core/precision/forward_scope.h"

namespace mantissa::train {

ForwardResult forward_and_loss(model::Network& network, const precision::Policy& policy, const LossFunction& loss,
                               const Microbatch& microbatch) {
  ForwardResult result;
  {
    const precision::ForwardScope scope(policy, microbatch.inputs.device().type());
    result.output = network.forward(microbatch.inputs);
    if (!policy.loss_in_float32) result.loss = loss(result.output, microbatch.targets);
  }
  if (!result.loss.defined()) result.loss = loss(result.output.to(at::kFloat), microbatch.targets);
  return result;
}

}  // namespace mantissa::train
