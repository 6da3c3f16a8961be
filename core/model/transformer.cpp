// SPDX-License-Identifier: Apache-2.0
#include "core/model/transformer.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

namespace mantissa::model {
namespace {

namespace nn = torch::nn;

nn::LayerNorm layer_norm(std::int64_t width) { return nn::LayerNorm(nn::LayerNormOptions({width})); }

class Attention {
 public:
  Attention(BuiltIn& model, const std::string& path, const spec::Model& settings)
      : path_(path),
        heads_(settings.heads),
        kind_(settings.attention),
        probability_of_dropout_(settings.dropout),
        qkv_(model.add(path + ".qkv", nn::Linear(settings.width, 3 * settings.width))),
        dropout_(model.add(path + ".dropout", nn::Dropout(settings.dropout))),
        proj_(model.add(path + ".proj", nn::Linear(settings.width, settings.width))) {}

  at::Tensor operator()(const at::Tensor& inputs) const {
    const precision::ModuleScope scope(path_);
    const std::int64_t batch = inputs.size(0);
    const std::int64_t time = inputs.size(1);
    const std::int64_t width = inputs.size(2);
    const auto by_head = [&](const at::Tensor& values) {  // [batch, heads, time, width of a head]
      return values.view({batch, time, heads_, width / heads_}).transpose(1, 2);
    };
    const std::vector<at::Tensor> parts = qkv_(inputs).split(width, 2);
    const at::Tensor queries = by_head(parts[0]);
    const at::Tensor keys = by_head(parts[1]);
    const at::Tensor values = by_head(parts[2]);
    const at::Tensor mixed = kind_ == spec::Attention::Own ? own(queries, keys, values)
                                                           : at::scaled_dot_product_attention(
                                                                 queries, keys, values, /*attn_mask=*/{},
                                                                 dropout_.is_training() ? probability_of_dropout_ : 0.0,
                                                                 /*is_causal=*/true);
    return proj_(mixed.transpose(1, 2).reshape({batch, time, width}));
  }

 private:
  at::Tensor own(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values) const {
    const std::int64_t time = queries.size(2);
    const std::int64_t width = queries.size(3);
    const auto one_batch = [&](const at::Tensor& tensor) { return tensor.reshape({-1, time, width}); };
    at::Tensor scores = at::bmm(one_batch(queries), one_batch(keys).transpose(1, 2));
    scores = scores * (1.0 / std::sqrt(static_cast<double>(width)));
    const at::Tensor later = at::ones({time, time}, scores.options().dtype(at::kBool)).triu(1);
    scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
    const at::Tensor mixed = at::bmm(dropout_(at::softmax(scores, -1)), one_batch(values));
    return mixed.view({-1, heads_, time, width});
  }

  std::string path_;
  std::int64_t heads_;
  spec::Attention kind_;
  double probability_of_dropout_;
  // Built in the order of declaration: Python's.
  Layer<nn::Linear> qkv_;
  Layer<nn::Dropout> dropout_;
  Layer<nn::Linear> proj_;
};

Sequence add_mlp(BuiltIn& model, const std::string& path, std::int64_t width) {
  Sequence mlp(path);
  mlp.append(model.add(mlp.next_path(), nn::Linear(width, 4 * width)));
  mlp.append(model.add(mlp.next_path(), nn::GELU()));
  mlp.append(model.add(mlp.next_path(), nn::Linear(4 * width, width)));
  return mlp;
}

class TransformerBlock {
 public:
  TransformerBlock(BuiltIn& model, const std::string& path, const spec::Model& settings)
      : path_(path),
        norm1_(model.add(path + ".norm1", layer_norm(settings.width))),
        attn_(model, path + ".attn", settings),
        dropout_(model.add(path + ".dropout", nn::Dropout(settings.dropout))),
        norm2_(model.add(path + ".norm2", layer_norm(settings.width))),
        mlp_(add_mlp(model, path + ".mlp", settings.width)) {}

  at::Tensor operator()(const at::Tensor& inputs) const {
    const precision::ModuleScope scope(path_);
    const at::Tensor attended = inputs + dropout_(attn_(norm1_(inputs)));
    return attended + dropout_(mlp_(norm2_(attended)));
  }

 private:
  std::string path_;
  // Built in the order of declaration: Python's.
  Layer<nn::LayerNorm> norm1_;
  Attention attn_;
  Layer<nn::Dropout> dropout_;
  Layer<nn::LayerNorm> norm2_;
  Sequence mlp_;
};

Sequence add_blocks(BuiltIn& model, const spec::Model& settings) {
  Sequence blocks("blocks");
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    blocks.append(model.add_block([&] { return TransformerBlock(model, blocks.next_path(), settings); }));
  }
  return blocks;
}

class Transformer : public BuiltIn {
 public:
  Transformer(const spec::Model& settings, const DataShape& shape)
      : BuiltIn(settings, shape),
        token_embedding_(add("token_embedding", nn::Embedding(shape.outputs, settings.width))),
        position_embedding_(add("position_embedding", nn::Embedding(shape.row[0], settings.width))),
        dropout_(add("dropout", nn::Dropout(settings.dropout))),
        blocks_(add_blocks(*this, settings)),
        norm_(add("norm", layer_norm(settings.width))),
        head_(add("head", nn::Linear(nn::LinearOptions(settings.width, shape.outputs).bias(false)))) {}

 private:
  at::Tensor run(const at::Tensor& inputs) override {
    const at::Tensor positions = at::arange(inputs.size(1), inputs.options());
    const at::Tensor values = dropout_(token_embedding_(inputs) + position_embedding_(positions));
    return head_(norm_(blocks_(values)));
  }

  // Built in the order of declaration: Python's.
  Layer<nn::Embedding> token_embedding_;
  Layer<nn::Embedding> position_embedding_;
  Layer<nn::Dropout> dropout_;
  Sequence blocks_;
  Layer<nn::LayerNorm> norm_;
  Layer<nn::Linear> head_;
};

}  // namespace

std::unique_ptr<Network> build_transformer(const spec::Model& settings, const DataShape& shape) {
  if (shape.type != at::kLong || shape.row.size() != 1) {
    refuse_data("the transformer reads characters", shape, "the rows of a language model, windows of characters",
                "Take kind = \"lstm\" for sequences of numbers, or data.task = \"language-model\" with a text");
  }
  return std::make_unique<Transformer>(settings, shape);
}

}  // namespace mantissa::model
