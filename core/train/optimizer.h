// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/precision/scaled_optimizer.h"
#include "core/spec/experiment.h"

namespace mantissa::train {

/// Everything that an optimizer remembers between steps.
struct OptimizerState {
  /// "0.exp_avg": index of the parameter among the optimizer's own, and PyTorch's name in its state_dict.
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  std::vector<std::pair<std::string, double>> numbers;  ///< of LBFGS
};

/// An optimizer that equals one of the official Python package bit for bit on a CPU (tests/oracle):
/// SGD, Adam and AdamW over ATen's fused kernels their `fused=True`; RMSprop `foreach=False`, which `foreach=True`
/// equals there; LBFGS. LibTorch's own torch::optim classes do not, from about step 20 on.
class Optimizer : public precision::ScaledOptimizer {
 public:
  explicit Optimizer(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}

  at::ArrayRef<at::Tensor> parameters(std::size_t /*group*/) override { return parameters_; }

  /// Takes effect with the next step.
  void set_learning_rate(double learning_rate) { learning_rate_ = learning_rate; }
  double learning_rate() const { return learning_rate_; }

  /// The loss and the gradients once more, at the weights as they are now. May throw: the step is then undone.
  using Evaluate = std::function<double()>;

  /// A step of a kind that evaluates the loss again within it: LBFGS. Every other kind just steps.
  /// \param loss  where the gradients were taken
  virtual void step_with_loss(double /*loss*/, const Evaluate& /*evaluate*/) { step(); }

  /// Momentum buffers and moments that exist so far: they are looked through for non-finite values.
  std::vector<at::Tensor> state() const;

  /// The same with names and numbers, for a checkpoint. The tensors are the optimizer's own, not copies, in their
  /// dtype.
  virtual OptimizerState state_dict() const = 0;

  /// Takes copies, in the dtype they have. Nothing is changed where it throws.
  /// \throws Error InvalidSetting  a name too many or missing, a shape or dtype that does not fit.
  virtual void load_state_dict(const OptimizerState& state) = 0;

 protected:
  std::vector<at::Tensor> parameters_;
  double learning_rate_ = 0.0;
};

/// Parameters without a gradient are left alone by every kind, their step counts included; LBFGS, which treats all
/// parameters as one vector, takes their gradient for zero, as PyTorch's does.
std::unique_ptr<Optimizer> make_optimizer(const spec::Optimizer& settings, std::vector<at::Tensor> parameters);

}  // namespace mantissa::train
