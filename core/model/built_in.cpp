// SPDX-License-Identifier: Apache-2.0
#include "core/model/built_in.h"

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/model/cnn.h"
#include "core/model/lstm.h"
#include "core/model/mlp.h"
#include "core/model/random_stream.h"
#include "core/model/resnet.h"
#include "core/model/transformer.h"
#include "core/precision/forward_replay.h"

namespace mantissa::model {

at::Tensor run_module(torch::nn::BatchNorm2dImpl& module, const at::Tensor& input) {
  if (!module.is_training() || !precision::ForwardReplay::active()) return module.forward(input);
  return at::batch_norm(input, module.weight, module.bias, /*running_mean=*/{}, /*running_var=*/{}, /*training=*/true,
                        /*momentum=*/0.0, module.options.eps(), at::globalContext().userEnabledCuDNN());
}

at::Tensor BuiltIn::forward(const at::Tensor& inputs) {
  static const std::string root;
  const precision::ModuleScope scope(root);
  return run(inputs);
}

void BuiltIn::set_training(bool training) {
  training_ = training;
  for (const auto& layer : layers_) layer->train(training);
}

void BuiltIn::recompute_blocks(bool recompute) {
  if (!has_blocks_) return Network::recompute_blocks(recompute);
  recomputes_ = recompute;
}

std::unique_ptr<Network> BuiltIn::clone() const {
  const UntouchedGenerator no_draw(c10::kCPU);  // a copy replaces what its construction draws
  std::unique_ptr<Network> copy = build_built_in(settings_, shape_);
  copy->move_to(device());
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    copy->state()[i].tensor.copy_(state_[i].tensor);
    copy->state()[i].tensor.set_requires_grad(state_[i].tensor.requires_grad());
  }
  copy->set_training(training_);
  copy->recompute_blocks(recomputes_);
  return copy;
}

void BuiltIn::adopt(const std::string& path, std::shared_ptr<torch::nn::Module> module) {
  const std::string prefix = path.empty() ? "" : path + '.';
  for (const auto& item : module->named_parameters()) {
    const auto end_of_parameters = state_.begin() + static_cast<std::ptrdiff_t>(parameters_.size());
    state_.insert(end_of_parameters, {prefix + item.key(), item.value()});
    parameters_.push_back({prefix + item.key(), item.value()});
  }
  for (const auto& item : module->named_buffers()) {
    buffers_.push_back({prefix + item.key(), item.value()});
    state_.push_back(buffers_.back());
  }
  layers_.push_back(std::move(module));
}

std::unique_ptr<Network> build_built_in(const spec::Model& settings, const DataShape& shape) {
  switch (settings.kind) {
    case spec::ModelKind::Cnn:
      return build_cnn(settings, shape);
    case spec::ModelKind::Resnet:
      return build_resnet(settings, shape);
    case spec::ModelKind::Transformer:
      return build_transformer(settings, shape);
    case spec::ModelKind::Lstm:
      return build_lstm(settings, shape);
    default:
      return build_mlp(settings, shape);
  }
}

void refuse_data(const std::string& problem, const DataShape& found, const std::string& expected,
                 const std::string& remedy) {
  const std::string what = found.type == at::kLong ? "rows of characters " : "rows of shape ";
  throw Error(ErrorKind::ModelProblem,
              {problem, "", 0, 0, "data.shape", what + shape_text(found.row), expected, remedy});
}

}  // namespace mantissa::model
