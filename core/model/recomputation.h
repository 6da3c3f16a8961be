// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

namespace mantissa::model {

/// A part of a model: one tensor in, one tensor out.
struct Block {
  std::function<at::Tensor(const at::Tensor& inputs)> run;
  std::vector<at::Tensor> parameters;  ///< all that `run` uses
};

/// Runs a block so that backward computes its activations again instead of keeping them: activation checkpointing, as
/// `torch.utils.checkpoint` (which LibTorch lacks). Only the inputs are kept.
///
/// Outputs, gradients and buffers equal those of `block->run(inputs)` to the bit. The second run finds the default
/// generator of the inputs' device as the first one found it, and leaves it as it was; it runs under the same precision
/// policy (precision/forward_replay.h), unseen by observers of operators. BatchNorm does not move its running
/// statistics a second time, which PyTorch's does. What `run` depends on besides (training mode, weights) must stay as
/// it is until backward.
///
/// Without gradients to compute it is `block->run(inputs)`. Gradients reach parameters also where the inputs need none.
/// Whatever the second run throws, backward throws. Second derivatives are refused.
///
/// Differences: backward holds the gradients of one block's parameters until the block is done; hooks on a parameter
/// would be called twice.
///
/// \param draws  whether the block may draw random numbers: a copy of the generator's state is kept then
at::Tensor run_recomputed(const std::shared_ptr<const Block>& block, const at::Tensor& inputs, bool draws);

}  // namespace mantissa::model
