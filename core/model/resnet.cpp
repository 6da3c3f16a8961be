// SPDX-License-Identifier: Apache-2.0
#include "core/model/resnet.h"

#include <optional>

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "core/model/cnn.h"

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel, std::int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

Sequence add_stem(BuiltIn& model, std::int64_t channels, std::int64_t width) {
  Sequence stem("stem");
  stem.append_block(model, [&](Sequence& block) {
    block.append(model.add(block.next_path(), convolution(channels, width, 3, 1)));
    block.append(model.add(block.next_path(), nn::BatchNorm2d(width)));
    block.append(model.add(block.next_path(), nn::ReLU()));
  });
  return stem;
}

std::optional<Sequence> add_shortcut(BuiltIn& model, const std::string& path, std::int64_t from, std::int64_t to,
                                     std::int64_t stride) {
  if (stride == 1 && from == to) return std::nullopt;
  Sequence shortcut(path);
  shortcut.append(model.add(shortcut.next_path(), convolution(from, to, 1, stride)));
  shortcut.append(model.add(shortcut.next_path(), nn::BatchNorm2d(to)));
  return shortcut;
}

class ResidualBlock {
 public:
  ResidualBlock(BuiltIn& model, const std::string& path, std::int64_t from, std::int64_t to, std::int64_t stride)
      : path_(path),
        conv1_(model.add(path + ".conv1", convolution(from, to, 3, stride))),
        bn1_(model.add(path + ".bn1", nn::BatchNorm2d(to))),
        conv2_(model.add(path + ".conv2", convolution(to, to, 3, 1))),
        bn2_(model.add(path + ".bn2", nn::BatchNorm2d(to))),
        shortcut_(add_shortcut(model, path + ".shortcut", from, to, stride)) {}

  at::Tensor operator()(const at::Tensor& inputs) const {
    const precision::ModuleScope scope(path_);
    const at::Tensor values = bn2_(conv2_(at::relu(bn1_(conv1_(inputs)))));
    return at::relu(values + (shortcut_ ? (*shortcut_)(inputs) : inputs));
  }

 private:
  // Built in the order of declaration: Python's.
  std::string path_;
  Layer<nn::Conv2d> conv1_;
  Layer<nn::BatchNorm2d> bn1_;
  Layer<nn::Conv2d> conv2_;
  Layer<nn::BatchNorm2d> bn2_;
  std::optional<Sequence> shortcut_;
};

Sequence add_blocks(BuiltIn& model, std::int64_t depth, std::int64_t width) {
  constexpr std::int64_t stages = 3;
  const std::int64_t blocks_of_stage = (depth - 2) / 6;
  Sequence blocks("blocks");
  std::int64_t channels = width;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    for (std::int64_t block = 0; block < blocks_of_stage; ++block) {
      const std::int64_t next = width << stage;
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      blocks.append(model.add_block([&] { return ResidualBlock(model, blocks.next_path(), channels, next, stride); }));
      channels = next;
    }
  }
  return blocks;
}

class Resnet : public BuiltIn {
 public:
  Resnet(const spec::Model& settings, const DataShape& shape)
      : BuiltIn(settings, shape),
        stem_(add_stem(*this, shape.row[0], settings.width)),
        blocks_(add_blocks(*this, settings.depth, settings.width)),
        head_(add("head", nn::Linear(4 * settings.width, shape.outputs))) {}

 private:
  at::Tensor run(const at::Tensor& inputs) override {
    return head_(at::adaptive_avg_pool2d(blocks_(stem_(inputs)), {1, 1}).flatten(1));
  }

  // Built in the order of declaration: Python's.
  Sequence stem_;
  Sequence blocks_;
  Layer<nn::Linear> head_;
};

}  // namespace

std::unique_ptr<Network> build_resnet(const spec::Model& settings, const DataShape& shape) {
  require_images(shape, "resnet");
  return std::make_unique<Resnet>(settings, shape);
}

}  // namespace mantissa::model
