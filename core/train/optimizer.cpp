// SPDX-License-Identifier: Apache-2.0
#include "core/train/optimizer.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/train/lbfgs.h"
#include "core/train/optimizer_state.h"

namespace mantissa::train {
namespace {

std::string name_of(std::size_t parameter, const char* what) { return std::to_string(parameter) + '.' + what; }

class Sgd : public Optimizer {
 public:
  Sgd(const spec::Optimizer& settings, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)), settings_(settings), buffers_(parameters_.size()) {
    learning_rate_ = settings.lr;
  }

  void step() override {
    const at::NoGradGuard no_grad;
    if (any_sparse()) {
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (parameters_[i].grad().defined()) step_plain(i);
      }
      return;
    }
    // The kernel fills momentum buffers on a parameter's first step only; one that joins later makes a group of its
    // own.
    apply(/*first_step=*/true);
    apply(/*first_step=*/false);
    if (settings_.momentum == 0.0) return;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (buffers_[i].fresh) buffers_[i].fresh = false;
    }
  }

  OptimizerState state_dict() const override {
    OptimizerState state;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].tensor.defined()) state.tensors.emplace_back(name_of(i, "momentum_buffer"), buffers_[i].tensor);
    }
    return state;
  }

  void load_state_dict(const OptimizerState& state) override {
    StateReader reader(state);
    std::vector<Buffer> buffers(parameters_.size());
    for (std::size_t i = 0; settings_.momentum != 0.0 && i < buffers.size(); ++i) {
      buffers[i].tensor = reader.tensor(name_of(i, "momentum_buffer"), parameters_[i]);
    }
    reader.finish();
    buffers_ = std::move(buffers);
  }

 private:
  struct Buffer {
    at::Tensor tensor;
    bool fresh = false;  // filled by the group of first steps in this very step
  };

  bool any_sparse() const {
    return std::any_of(parameters_.begin(), parameters_.end(), [](const at::Tensor& parameter) {
      return parameter.grad().defined() && parameter.grad().is_sparse();
    });
  }

  /// torch.optim.SGD's plain path. The fused kernel takes no sparse gradients, so an optimizer that has one goes this
  /// way with all its parameters, as in PyTorch. Momentum and weight decay do not come here: session refuses them,
  /// because decay would make sparse gradients dense and checkpoints hold dense tensors only.
  void step_plain(std::size_t index) {
    at::Tensor& parameter = parameters_[index];
    const at::Tensor gradient = settings_.maximize ? parameter.grad().neg() : parameter.grad();
    parameter.add_(gradient, -learning_rate_);
  }

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
    grads_.clear();  // otherwise this step's gradients live on beside the next one's
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
    if (settings_.kind == spec::OptimizerKind::AdamW || settings_.decoupled_weight_decay) {
      at::_fused_adamw_(params_, grads_, averages_, squares_, maxima_, steps_, learning_rate_, settings_.beta1,
                        settings_.beta2, settings_.weight_decay, settings_.eps, settings_.amsgrad, settings_.maximize);
    } else {
      at::_fused_adam_(params_, grads_, averages_, squares_, maxima_, steps_, learning_rate_, settings_.beta1,
                       settings_.beta2, settings_.weight_decay, settings_.eps, settings_.amsgrad, settings_.maximize);
    }
    grads_.clear();
  }

  OptimizerState state_dict() const override {
    OptimizerState state;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      if (!moments_[i].step.defined()) continue;
      state.tensors.emplace_back(name_of(i, "step"), moments_[i].step);
      state.tensors.emplace_back(name_of(i, "exp_avg"), moments_[i].average);
      state.tensors.emplace_back(name_of(i, "exp_avg_sq"), moments_[i].square);
      if (settings_.amsgrad) state.tensors.emplace_back(name_of(i, "max_exp_avg_sq"), moments_[i].maximum);
    }
    return state;
  }

  void load_state_dict(const OptimizerState& state) override {
    StateReader reader(state);
    std::vector<Moments> moments(parameters_.size());
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const at::Tensor& like = parameters_[i];
      moments[i].step = reader.tensor(name_of(i, "step"), at::empty({}, like.options().dtype(at::kFloat)));
      moments[i].average = reader.tensor(name_of(i, "exp_avg"), like);
      moments[i].square = reader.tensor(name_of(i, "exp_avg_sq"), like);
      if (settings_.amsgrad) moments[i].maximum = reader.tensor(name_of(i, "max_exp_avg_sq"), like);
      const bool begun = moments[i].step.defined();
      if (begun != moments[i].average.defined() || begun != moments[i].square.defined() ||
          (settings_.amsgrad && begun != moments[i].maximum.defined())) {
        StateReader::refuse(name_of(i, "*"), "some of a parameter's tensors", "all of them or none");
      }
    }
    reader.finish();
    moments_ = std::move(moments);
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

/// torch.optim.RMSprop, operation by operation: there is no fused kernel of it.
class RmsProp : public Optimizer {
 public:
  RmsProp(const spec::Optimizer& settings, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)), settings_(settings), averages_(parameters_.size()) {
    learning_rate_ = settings.lr;
  }

  void step() override {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].grad().defined()) update(parameters_[i], averages_[i]);
    }
  }

  OptimizerState state_dict() const override {
    OptimizerState state;
    for (std::size_t i = 0; i < averages_.size(); ++i) {
      if (!averages_[i].square.defined()) continue;
      state.tensors.emplace_back(name_of(i, "square_avg"), averages_[i].square);
      if (settings_.momentum > 0) state.tensors.emplace_back(name_of(i, "momentum_buffer"), averages_[i].momentum);
      if (settings_.centered) state.tensors.emplace_back(name_of(i, "grad_avg"), averages_[i].gradient);
    }
    return state;
  }

  void load_state_dict(const OptimizerState& state) override {
    StateReader reader(state);
    std::vector<Averages> averages(parameters_.size());
    for (std::size_t i = 0; i < averages.size(); ++i) {
      averages[i].square = reader.tensor(name_of(i, "square_avg"), parameters_[i]);
      if (settings_.momentum > 0) averages[i].momentum = reader.tensor(name_of(i, "momentum_buffer"), parameters_[i]);
      if (settings_.centered) averages[i].gradient = reader.tensor(name_of(i, "grad_avg"), parameters_[i]);
      const bool begun = averages[i].square.defined();
      if ((settings_.momentum > 0 && begun != averages[i].momentum.defined()) ||
          (settings_.centered && begun != averages[i].gradient.defined())) {
        StateReader::refuse(name_of(i, "*"), "some of a parameter's tensors", "all of them or none");
      }
    }
    reader.finish();
    averages_ = std::move(averages);
  }

 private:
  struct Averages {
    at::Tensor square, momentum, gradient;
  };

  void update(at::Tensor& parameter, Averages& averages) const {
    if (!averages.square.defined()) {
      averages.square = at::zeros_like(parameter, at::MemoryFormat::Preserve);
      if (settings_.momentum > 0) averages.momentum = at::zeros_like(parameter, at::MemoryFormat::Preserve);
      if (settings_.centered) averages.gradient = at::zeros_like(parameter, at::MemoryFormat::Preserve);
    }
    at::Tensor gradient = settings_.maximize ? parameter.grad().neg() : parameter.grad();
    if (settings_.weight_decay != 0) gradient = gradient.add(parameter, settings_.weight_decay);
    averages.square.mul_(settings_.alpha).addcmul_(gradient, gradient, 1 - settings_.alpha);
    at::Tensor deviation;
    if (settings_.centered) {
      averages.gradient.lerp_(gradient, 1 - settings_.alpha);
      deviation = averages.square.addcmul(averages.gradient, averages.gradient, -1).sqrt_();
    } else {
      deviation = averages.square.sqrt();
    }
    deviation.add_(settings_.eps);
    if (settings_.momentum > 0) {
      averages.momentum.mul_(settings_.momentum).addcdiv_(gradient, deviation);
      parameter.add_(averages.momentum, -learning_rate_);
    } else {
      parameter.addcdiv_(gradient, deviation, -learning_rate_);
    }
  }

  spec::Optimizer settings_;
  std::vector<Averages> averages_;
};

}  // namespace

std::vector<at::Tensor> Optimizer::state() const {
  std::vector<at::Tensor> tensors;
  for (const auto& named : state_dict().tensors) tensors.push_back(named.second);
  return tensors;
}

std::unique_ptr<Optimizer> make_optimizer(const spec::Optimizer& settings, std::vector<at::Tensor> parameters) {
  switch (settings.kind) {
    case spec::OptimizerKind::Sgd:
      return std::make_unique<Sgd>(settings, std::move(parameters));
    case spec::OptimizerKind::Adam:
    case spec::OptimizerKind::AdamW:
      return std::make_unique<Adam>(settings, std::move(parameters));
    case spec::OptimizerKind::RmsProp:
      return std::make_unique<RmsProp>(settings, std::move(parameters));
    case spec::OptimizerKind::Lbfgs:
      return make_lbfgs(settings, std::move(parameters));
  }
  return nullptr;
}

}  // namespace mantissa::train
