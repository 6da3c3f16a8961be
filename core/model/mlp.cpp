// SPDX-License-Identifier: Apache-2.0
#include "core/model/mlp.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

class Mlp : public BuiltIn {
 public:
  Mlp(const spec::Model& settings, const DataShape& shape) : BuiltIn(settings, shape), layers_("") {
    std::int64_t width = c10::multiply_integers(shape.row);
    if (settings.kind == spec::ModelKind::Linear) {
      append_linear("", width, shape.outputs);
      return;
    }
    for (const std::int64_t hidden : settings.hidden) {
      append_linear(layers_.next_path(), width, hidden);
      append_activation(settings.activation);
      if (settings.dropout > 0.0) layers_.append(add(layers_.next_path(), nn::Dropout(settings.dropout)));
      width = hidden;
    }
    append_linear(layers_.next_path(), width, shape.outputs);
  }

 private:
  at::Tensor run(const at::Tensor& inputs) override { return layers_(inputs.dim() > 2 ? inputs.flatten(1) : inputs); }

  void append_linear(const std::string& path, std::int64_t from, std::int64_t to) {
    layers_.append(add(path, nn::Linear(nn::LinearOptions(from, to).bias(settings().bias))));
  }

  void append_activation(spec::Activation activation) {
    const std::string path = layers_.next_path();
    switch (activation) {
      case spec::Activation::Relu:
        return layers_.append(add(path, nn::ReLU()));
      case spec::Activation::Gelu:
        return layers_.append(add(path, nn::GELU()));
      case spec::Activation::Tanh:
        return layers_.append(add(path, nn::Tanh()));
      case spec::Activation::Sigmoid:
        return layers_.append(add(path, nn::Sigmoid()));
      case spec::Activation::Silu:
        return layers_.append(add(path, nn::SiLU()));
    }
  }

  Sequence layers_;
};

}  // namespace

std::unique_ptr<Network> build_mlp(const spec::Model& settings, const DataShape& shape) {
  if (shape.type == at::kLong) {
    refuse_data("linear and mlp models read numbers", shape, "rows of numbers",
                "Take kind = \"transformer\" or kind = \"lstm\"");
  }
  return std::make_unique<Mlp>(settings, shape);
}

}  // namespace mantissa::model
