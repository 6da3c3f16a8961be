// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "core/model/network.h"

namespace mantissa::tests {

/// A network made of named scalar parameters and a function of them: gradients can be written down by hand.
class SmallNetwork : public model::Network {
 public:
  using Forward = std::function<at::Tensor(const std::vector<at::Tensor>& parameters, const at::Tensor& inputs)>;

  SmallNetwork(std::vector<std::pair<std::string, double>> parameters, Forward forward)
      : values_(std::move(parameters)), forward_(std::move(forward)) {
    for (const auto& [name, value] : values_) {
      const at::Tensor tensor = at::full({1}, value, at::kFloat).requires_grad_();
      parameters_.push_back({name, tensor});
      state_.push_back({name, tensor});
    }
  }

  at::Tensor forward(const at::Tensor& inputs) override {
    std::vector<at::Tensor> tensors;
    for (const model::NamedTensor& parameter : parameters_) tensors.push_back(parameter.tensor);
    return forward_(tensors, inputs);
  }
  void set_training(bool) override {}
  std::unique_ptr<Network> clone() const override { return std::make_unique<SmallNetwork>(values_, forward_); }
  bool may_use_randomness() const override { return false; }

  double value(std::size_t index) const { return parameters_[index].tensor.item<double>(); }

 private:
  std::vector<std::pair<std::string, double>> values_;
  Forward forward_;
};

}  // namespace mantissa::tests
