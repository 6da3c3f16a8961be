// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::train {

struct Microbatch {
  at::Tensor inputs;
  at::Tensor targets;
};

/// The microbatches of one attempted step.
struct Window {
  std::vector<Microbatch> microbatches;
  std::int64_t epoch = 0;    ///< from 0
  std::int64_t samples = 0;  ///< rows in all microbatches
};

/// The same window where `device` computes; its own tensors where they lie there already. Copies out of page-locked
/// memory run beside the device's work.
Window moved_to(const Window& window, c10::Device device);

}  // namespace mantissa::train
