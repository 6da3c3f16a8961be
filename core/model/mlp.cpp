// SPDX-License-Identifier: Apache-2.0
#include "core/model/mlp.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

/// As many layers in a block as there are blocks, about: what is kept between blocks and what is computed again within
/// one are then least together (Chen et al. 2016, "Training deep nets with sublinear memory cost", section 4.1).
std::size_t layers_of_block(std::size_t layers) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(layers))));
}

class Mlp : public BuiltIn {
 public:
  Mlp(const spec::Model& settings, const DataShape& shape) : BuiltIn(settings, shape), layers_("") {
    std::int64_t width = c10::multiply_integers(shape.row);
    if (settings.kind == spec::ModelKind::Linear) {
      layers_.append(add("", linear(width, shape.outputs)));
      return;
    }
    const std::size_t of_block = layers_of_block(settings.hidden.size());
    for (std::size_t first = 0; first < settings.hidden.size(); first += of_block) {
      const std::size_t end = std::min(first + of_block, settings.hidden.size());
      layers_.append_block(*this, [&](Sequence& block) {
        for (std::size_t i = first; i < end; ++i) {
          append_hidden(block, width, settings.hidden[i]);
          width = settings.hidden[i];
        }
      });
    }
    layers_.append(add(layers_.next_path(), linear(width, shape.outputs)));
  }

 private:
  at::Tensor run(const at::Tensor& inputs) override { return layers_(inputs.dim() > 2 ? inputs.flatten(1) : inputs); }

  nn::Linear linear(std::int64_t from, std::int64_t to) const {
    return nn::Linear(nn::LinearOptions(from, to).bias(settings().bias));
  }

  void append_hidden(Sequence& block, std::int64_t from, std::int64_t to) {
    block.append(add(block.next_path(), linear(from, to)));
    append_activation(block);
    if (settings().dropout > 0.0) block.append(add(block.next_path(), nn::Dropout(settings().dropout)));
  }

  void append_activation(Sequence& block) {
    const std::string path = block.next_path();
    switch (settings().activation) {
      case spec::Activation::Relu:
        return block.append(add(path, nn::ReLU()));
      case spec::Activation::Gelu:
        return block.append(add(path, nn::GELU()));
      case spec::Activation::Tanh:
        return block.append(add(path, nn::Tanh()));
      case spec::Activation::Sigmoid:
        return block.append(add(path, nn::Sigmoid()));
      case spec::Activation::Silu:
        return block.append(add(path, nn::SiLU()));
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
