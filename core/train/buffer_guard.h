// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/model/network.h"

namespace mantissa::train {

/// Keeps a model's buffers as they were before a step, and puts back those that the step poisoned.
///
/// Forward writes into running statistics before anybody knows that the update will be refused. An overflow in a
/// skipped step would leave infinities there, and evaluation non-finite for ever, although the weights were left alone.
/// Costs one copy of the buffers a step, nothing for a model without any.
class BufferGuard {
 public:
  /// \param network  outlives the guard.
  explicit BufferGuard(model::Network& network) : network_(&network) {}

  /// Before the first forward of a step.
  void keep();

  /// Puts back every buffer of a module of which a buffer became non-finite since `keep`: running mean, running
  /// variance and the count of batches belong together. A buffer that was non-finite before (a mask of -infinity) is
  /// none. \return the names of the buffers that had become non-finite.
  std::vector<std::string> restore_poisoned();

  /// Puts back all of them, as if the step had never begun.
  void restore_all();

  /// After the step: nothing can be put back until the next `keep`, and tensors that forward has set aside are freed.
  void forget();

 private:
  void restore(std::size_t index);

  model::Network* network_;
  std::vector<at::Tensor> tensors_;  // the buffers themselves: forward may set a buffer to another tensor
  std::vector<at::Tensor> kept_;     // copies of them
};

}  // namespace mantissa::train
