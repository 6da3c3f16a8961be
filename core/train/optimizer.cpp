// SPDX-License-Identifier: Apache-2.0
#include "core/train/optimizer.h"

#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace mantissa::train {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const spec::Optimizer& settings, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)), settings_(settings), buffers_(parameters_.size()) {
    learning_rate_ = settings.lr;
  }

  void step() override {
    const at::NoGradGuard no_grad;
    // The kernel fills momentum buffers on a parameter's first step only; one that joins later makes a group of its
    // own.
    apply(/*first_step=*/true);
    apply(/*first_step=*/false);
    if (settings_.momentum == 0.0) return;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (buffers_[i].fresh) buffers_[i].fresh = false;
    }
  }

  std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> tensors;
    for (const Buffer& buffer : buffers_) {
      if (buffer.tensor.defined()) tensors.push_back(buffer.tensor);
    }
    return tensors;
  }

 private:
  struct Buffer {
    at::Tensor tensor;
    bool fresh = false;  // filled by the group of first steps in this very step
  };

  void apply(bool first_step) {
    const bool with_momentum = settings_.momentum != 0.0;
    if (first_step && !with_momentum) return;  // without momentum all steps are alike
    params_.clear();
    grads_.clear();
    momenta_.clear();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& grad = parameters_[i].grad();
      if (!grad.defined() || (with_momentum && buffers_[i].fresh)) continue;
      if (with_momentum) {
        if (first_step == buffers_[i].tensor.defined()) continue;
        if (first_step) buffers_[i] = {at::empty_like(grad), /*fresh=*/true};
        momenta_.push_back(buffers_[i].tensor);
      }
      params_.push_back(parameters_[i]);
      grads_.push_back(grad);
    }
    if (params_.empty()) return;
    at::_fused_sgd_(params_, grads_, momenta_, settings_.weight_decay, settings_.momentum, learning_rate_,
                    settings_.dampening, settings_.nesterov, settings_.maximize, first_step);
  }

  spec::Optimizer settings_;
  std::vector<Buffer> buffers_;
  std::vector<at::Tensor> params_, grads_, momenta_;  // kept between steps to spare allocations
};

/// Adam and AdamW: the same arguments, another kernel.
class Adam : public Optimizer {
 public:
  Adam(const spec::Optimizer& settings, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)), settings_(settings), moments_(parameters_.size()) {
    learning_rate_ = settings.lr;
  }

  void step() override {
    const at::NoGradGuard no_grad;
    params_.clear();
    grads_.clear();
    averages_.clear();
    squares_.clear();
    maxima_.clear();
    steps_.clear();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& grad = parameters_[i].grad();
      if (!grad.defined()) continue;
      Moments& moments = moments_[i];
      if (!moments.step.defined()) begin(moments, parameters_[i]);
      count(moments.step);
      params_.push_back(parameters_[i]);
      grads_.push_back(grad);
      averages_.push_back(moments.average);
      squares_.push_back(moments.square);
      if (settings_.amsgrad) maxima_.push_back(moments.maximum);
      steps_.push_back(moments.step);
    }
    if (params_.empty()) return;
    if (settings_.kind == spec::OptimizerKind::AdamW) {
      at::_fused_adamw_(params_, grads_, averages_, squares_, maxima_, steps_, learning_rate_, settings_.beta1,
                        settings_.beta2, settings_.weight_decay, settings_.eps, settings_.amsgrad, settings_.maximize);
    } else {
      at::_fused_adam_(params_, grads_, averages_, squares_, maxima_, steps_, learning_rate_, settings_.beta1,
                       settings_.beta2, settings_.weight_decay, settings_.eps, settings_.amsgrad, settings_.maximize);
    }
  }

  std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> tensors;
    for (const Moments& moments : moments_) {
      if (!moments.step.defined()) continue;
      tensors.push_back(moments.average);
      tensors.push_back(moments.square);
      if (settings_.amsgrad) tensors.push_back(moments.maximum);
    }
    return tensors;
  }

 private:
  struct Moments {
    at::Tensor average, square, maximum;
    at::Tensor step;  // FP32 scalar, as the fused kernels want it
  };

  void begin(Moments& moments, const at::Tensor& parameter) const {
    moments.average = at::zeros_like(parameter, at::MemoryFormat::Preserve);
    moments.square = at::zeros_like(parameter, at::MemoryFormat::Preserve);
    if (settings_.amsgrad) moments.maximum = at::zeros_like(parameter, at::MemoryFormat::Preserve);
    moments.step = at::zeros({}, parameter.options().dtype(at::kFloat));
  }

  static void count(at::Tensor& step) {
    if (step.is_cpu()) {
      *step.mutable_data_ptr<float>() += 1.0F;  // an add_ through the dispatcher costs a hundred times as much
    } else {
      step.add_(1);
    }
  }

  spec::Optimizer settings_;
  std::vector<Moments> moments_;
  std::vector<at::Tensor> params_, grads_, averages_, squares_, maxima_, steps_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const spec::Optimizer& settings, std::vector<at::Tensor> parameters) {
  if (settings.kind == spec::OptimizerKind::Sgd) return std::make_unique<Sgd>(settings, std::move(parameters));
  return std::make_unique<Adam>(settings, std::move(parameters));
}

}  // namespace mantissa::train
