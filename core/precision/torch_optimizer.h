// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <torch/optim/lbfgs.h>
#include <torch/optim/optimizer.h>

#include "core/base/error.h"
#include "core/precision/scaled_optimizer.h"

namespace mantissa::precision {

/// Any `torch::optim::Optimizer` for the GradScaler. Several adapters of one optimizer count as one.
///
/// Only a header, so that the library itself does not pull in LibTorch's front end.
class TorchOptimizer final : public ScaledOptimizer {
 public:
  /// \param optimizer  must outlive the adapter
  /// \throws Error InvalidSetting  LBFGS: its step takes a closure, which cannot be combined with a loss scale
  explicit TorchOptimizer(torch::optim::Optimizer& optimizer) : optimizer_(optimizer) {
    if (dynamic_cast<torch::optim::LBFGS*>(&optimizer) == nullptr) return;
    ErrorFacts facts;
    facts.subject = "TorchOptimizer";
    facts.found = "LBFGS, whose step takes a closure";
    facts.expected = "an optimizer that steps from gradients alone";
    facts.remedy = "Train without a gradient scaler, or use SGD, Adam or AdamW";
    throw Error(ErrorKind::InvalidSetting, facts);
  }

  std::size_t group_count() const override { return optimizer_.param_groups().size(); }
  at::ArrayRef<at::Tensor> parameters(std::size_t group) override { return optimizer_.param_groups()[group].params(); }
  void step() override { optimizer_.step(); }
  const void* identity() const override { return &optimizer_; }

 private:
  torch::optim::Optimizer& optimizer_;
};

}  // namespace mantissa::precision
