// SPDX-License-Identifier: Apache-2.0
#include "core/model/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"

namespace mantissa::model {

c10::Device Network::device() const { return state_.empty() ? c10::Device(c10::kCPU) : state_.front().tensor.device(); }

void Network::recompute_blocks(bool recompute) {
  if (!recompute) return;
  throw Error(ErrorKind::InvalidSetting, {"the model is not made of blocks that could be computed again", "", 0, 0,
                                          "training.activation_checkpointing", "blocks", "off", ""});
}

void Network::move_to(c10::Device device) {
  const at::NoGradGuard no_grad;
  for (const NamedTensor& named : state_) {
    if (named.tensor.device() == device) continue;
    named.tensor.mutable_grad().reset();
    named.tensor.set_data(named.tensor.to(device));
  }
}

}  // namespace mantissa::model
