// SPDX-License-Identifier: Apache-2.0
#include "core/model/cnn.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

Sequence add_features(BuiltIn& model, const spec::Model& settings, std::int64_t channels) {
  Sequence features("features");
  for (const std::int64_t next : settings.channels) {
    const auto convolution = nn::Conv2dOptions(channels, next, settings.kernel).padding(settings.kernel / 2);
    features.append_block(model, [&](Sequence& stage) {
      stage.append(model.add(stage.next_path(), nn::Conv2d(convolution)));
      stage.append(model.add(stage.next_path(), nn::ReLU()));
      stage.append(model.add(stage.next_path(), nn::MaxPool2d(2)));
    });
    channels = next;
  }
  return features;
}

std::int64_t width_of_head(const spec::Model& settings, const DataShape& shape) {
  const std::size_t stages = settings.channels.size();
  return settings.channels.back() * (shape.row[1] >> stages) * (shape.row[2] >> stages);
}

class Cnn : public BuiltIn {
 public:
  Cnn(const spec::Model& settings, const DataShape& shape)
      : BuiltIn(settings, shape),
        features_(add_features(*this, settings, shape.row[0])),
        dropout_(add("dropout", nn::Dropout(settings.dropout))),
        head_(add("head", nn::Linear(width_of_head(settings, shape), shape.outputs))) {}

 private:
  at::Tensor run(const at::Tensor& inputs) override { return head_(dropout_(features_(inputs).flatten(1))); }

  // Built in the order of declaration: Python's.
  Sequence features_;
  Layer<nn::Dropout> dropout_;
  Layer<nn::Linear> head_;
};

}  // namespace

void require_images(const DataShape& shape, const std::string& kind) {
  if (shape.type != at::kLong && shape.row.size() == 3) return;
  refuse_data(kind + " models read images", shape, "rows of shape [channels, height, width]",
              shape.type == at::kLong ? "Take kind = \"transformer\" or kind = \"lstm\""
                                      : "Say how a row is an image: data.shape = [1, 28, 28]");
}

std::unique_ptr<Network> build_cnn(const spec::Model& settings, const DataShape& shape) {
  require_images(shape, "cnn");
  const std::size_t stages = settings.channels.size();
  // 62: beyond it the shift has no meaning, and no image is as large
  if (stages > 62 || (std::min(shape.row[1], shape.row[2]) >> stages) == 0) {
    refuse_data("each of the cnn's " + std::to_string(stages) + " stages halves the image, and nothing is left", shape,
                "a height and width of at least 2 for one stage, 4 for two, 8 for three …",
                "List fewer stages in model.channels");
  }
  return std::make_unique<Cnn>(settings, shape);
}

}  // namespace mantissa::model
