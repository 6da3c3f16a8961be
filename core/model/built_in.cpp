// SPDX-License-Identifier: Apache-2.0
#include "core/model/built_in.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

void append_activation(nn::Sequential& layers, spec::Activation activation) {
  switch (activation) {
    case spec::Activation::Relu:
      layers->push_back(nn::ReLU());
      break;
    case spec::Activation::Gelu:
      layers->push_back(nn::GELU());
      break;
    case spec::Activation::Tanh:
      layers->push_back(nn::Tanh());
      break;
    case spec::Activation::Sigmoid:
      layers->push_back(nn::Sigmoid());
      break;
    case spec::Activation::Silu:
      layers->push_back(nn::SiLU());
      break;
  }
}

/// A network over a module of LibTorch's front end.
class BuiltIn : public Network {
 public:
  BuiltIn(const spec::Model& model, std::int64_t features, std::int64_t outputs)
      : model_(model), features_(features), outputs_(outputs) {
    const auto linear = [&](std::int64_t in, std::int64_t out) {
      return nn::Linear(nn::LinearOptions(in, out).bias(model.bias));
    };
    if (model.kind == spec::ModelKind::Linear) {
      linear_ = linear(features, outputs);
      collect(*linear_);
      return;
    }
    layers_ = nn::Sequential();
    std::int64_t width = features;
    for (const std::int64_t hidden : model.hidden) {
      layers_->push_back(linear(width, hidden));
      append_activation(layers_, model.activation);
      if (model.dropout > 0.0) layers_->push_back(nn::Dropout(model.dropout));
      width = hidden;
    }
    layers_->push_back(linear(width, outputs));
    collect(*layers_);
  }

  at::Tensor forward(const at::Tensor& inputs) override {
    const at::Tensor rows = inputs.dim() > 2 ? inputs.flatten(1) : inputs;
    return linear_ ? linear_->forward(rows) : layers_->forward(rows);
  }

  void set_training(bool training) override {
    if (linear_) {
      linear_->train(training);
    } else {
      layers_->train(training);
    }
  }

  std::unique_ptr<Network> clone() const override {
    auto copy = std::make_unique<BuiltIn>(model_, features_, outputs_);
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < state_.size(); ++i) copy->state_[i].tensor.copy_(state_[i].tensor);
    return copy;
  }

  bool may_use_randomness() const override { return model_.dropout > 0.0; }

 private:
  void collect(const nn::Module& module) {
    for (const auto& item : module.named_parameters()) {
      parameters_.push_back({item.key(), item.value()});
      state_.push_back({item.key(), item.value()});
    }
  }

  spec::Model model_;
  std::int64_t features_;
  std::int64_t outputs_;
  nn::Linear linear_ = nullptr;
  nn::Sequential layers_ = nullptr;
};

}  // namespace

std::unique_ptr<Network> build_built_in(const spec::Model& model, std::int64_t features, std::int64_t outputs) {
  return std::make_unique<BuiltIn>(model, features, outputs);
}

}  // namespace mantissa::model
