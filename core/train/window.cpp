// SPDX-License-Identifier: Apache-2.0
#include "core/train/window.h"

#include <ATen/ATen.h>

namespace mantissa::train {

Window moved_to(const Window& window, c10::Device device) {
  Window moved = window;
  for (Microbatch& microbatch : moved.microbatches) {
    microbatch.inputs = microbatch.inputs.to(device, microbatch.inputs.scalar_type(), /*non_blocking=*/true);
    microbatch.targets = microbatch.targets.to(device, microbatch.targets.scalar_type(), /*non_blocking=*/true);
  }
  return moved;
}

}  // namespace mantissa::train
