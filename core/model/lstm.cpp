// SPDX-License-Identifier: Apache-2.0
#include "core/model/lstm.h"

#include <optional>

#include <ATen/ATen.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include "core/base/error.h"

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

bool reads_characters(const DataShape& shape) { return shape.type == at::kLong && shape.row.size() == 1; }

std::optional<Layer<nn::Embedding>> add_embedding(BuiltIn& model, const spec::Model& settings, const DataShape& shape) {
  if (!reads_characters(shape)) return std::nullopt;
  return model.add("embedding", nn::Embedding(shape.outputs, settings.cells));
}

nn::LSTM lstm(const spec::Model& settings, const DataShape& shape) {
  const std::int64_t inputs = reads_characters(shape) ? settings.cells : shape.row[1];
  return nn::LSTM(nn::LSTMOptions(inputs, settings.cells)
                      .num_layers(settings.layers)
                      .batch_first(true)
                      .dropout(settings.dropout)
                      .bidirectional(settings.bidirectional));
}

class Lstm : public BuiltIn {
 public:
  Lstm(const spec::Model& settings, const DataShape& shape)
      : BuiltIn(settings, shape),
        embedding_(add_embedding(*this, settings, shape)),
        lstm_(add("lstm", lstm(settings, shape))),
        head_(add("head", nn::Linear(settings.cells * (settings.bidirectional ? 2 : 1), shape.outputs))) {}

 private:
  at::Tensor run(const at::Tensor& inputs) override {
    if (embedding_) return head_(std::get<0>(lstm_((*embedding_)(inputs))));
    return head_(std::get<0>(lstm_(inputs)).mean(1));
  }

  // Built in the order of declaration: Python's.
  std::optional<Layer<nn::Embedding>> embedding_;
  Layer<nn::LSTM> lstm_;
  Layer<nn::Linear> head_;
};

}  // namespace

std::unique_ptr<Network> build_lstm(const spec::Model& settings, const DataShape& shape) {
  const bool reads_numbers = shape.type != at::kLong && shape.row.size() == 2;
  if (!reads_numbers && !reads_characters(shape)) {
    refuse_data("lstm models read sequences", shape, "rows of shape [time, features], or windows of characters",
                "Say how a row is a sequence: data.shape = [25, 12]");
  }
  if (reads_characters(shape) && settings.bidirectional) {
    throw Error(ErrorKind::ModelProblem,
                {"a language model that reads in both directions sees the character it has to predict", "", 0, 0,
                 "model.bidirectional", "true", "false with data.task = \"language-model\"", ""});
  }
  return std::make_unique<Lstm>(settings, shape);
}

}  // namespace mantissa::model
