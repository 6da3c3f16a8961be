// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/precision/scaled_optimizer.h"
#include "core/spec/experiment.h"

namespace mantissa::train {

/// An optimizer over ATen's fused kernels, which equal Python's `fused=True` bit for bit (LibTorch's own
/// torch::optim classes do not, from about step 20 on).
class Optimizer : public precision::ScaledOptimizer {
 public:
  explicit Optimizer(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}

  at::ArrayRef<at::Tensor> parameters(std::size_t /*group*/) override { return parameters_; }

  /// Takes effect with the next step.
  void set_learning_rate(double learning_rate) { learning_rate_ = learning_rate; }
  double learning_rate() const { return learning_rate_; }

  /// Momentum buffers and moments that exist so far: they are looked through for non-finite values.
  virtual std::vector<at::Tensor> state() const = 0;

 protected:
  std::vector<at::Tensor> parameters_;
  double learning_rate_ = 0.0;
};

/// Parameters without a gradient are left alone by every kind, their step counts included.
std::unique_ptr<Optimizer> make_optimizer(const spec::Optimizer& settings, std::vector<at::Tensor> parameters);

}  // namespace mantissa::train
