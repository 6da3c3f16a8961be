// SPDX-License-Identifier: Apache-2.0
#include "core/precision/grad_scaler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::precision {
namespace {

[[noreturn]] void refuse_call(const char* call, const char* problem, const char* remedy) {
  ErrorFacts facts;
  facts.subject = std::string("GradScaler::") + call;
  facts.problem = problem;
  facts.remedy = remedy;
  throw Error(ErrorKind::CallOrder, std::move(facts));
}

[[noreturn]] void refuse_unchecked_update() {
  refuse_call("update", "no optimizer was checked since the last update()",
              "Call step() of every optimizer first, and update() once after them");
}

[[noreturn]] void refuse_setting(const char* subject, std::string found, const char* expected, const char* remedy) {
  ErrorFacts facts;
  facts.subject = std::string("GradScaler, ") + subject;
  facts.found = std::move(found);
  facts.expected = expected;
  facts.remedy = remedy;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

// PyTorch's own limit for a double that is to become FP32: infinities and NaN pass, finite values must fit.
void require_float_range(const char* subject, double value) {
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
    refuse_setting(subject, to_text(value), "a number that FP32 can hold, at most 3.4028235e38",
                   "Choose a smaller scale; 65536 is PyTorch's default");
  }
}

at::Tensor scalar_on(c10::Device device, float value) {
  const c10::InferenceMode normal(false);  // an inference tensor could not be changed in place later
  return at::full({}, value, at::TensorOptions().dtype(at::kFloat).device(device));
}

void set_value(at::Tensor& tensor, float value) {
  if (tensor.is_cpu()) {
    *tensor.mutable_data_ptr<float>() = value;
  } else {
    tensor.fill_(value);
  }
}

float value_of(const at::Tensor& tensor) {
  return tensor.is_cpu() ? *tensor.const_data_ptr<float>() : tensor.item<float>();
}

const at::Tensor& on_device(const at::Tensor& tensor, c10::Device device, at::Tensor& copy) {
  if (tensor.device() == device) return tensor;
  copy = tensor.to(tensor.options().device(device), /*non_blocking=*/true);
  return copy;
}

}  // namespace

void ScaledOptimizer::step_scaled(const at::Tensor&, const at::Tensor&) {
  refuse_call("step", "the optimizer says that it unscales by itself but has no step_scaled",
              "Override step_scaled beside unscales_itself");
}

GradScaler::GradScaler(const GradScalerOptions& options) : options_(options) {
  if (options_.enabled && options_.device == c10::DeviceType::CUDA && !at::hasCUDA()) {
    TORCH_WARN("The gradient scaler is disabled: it was made for CUDA and there is no CUDA device.");
    options_.enabled = false;
  }
  if (!options_.enabled) return;
  if (options_.growth_factor <= 1.0) {
    refuse_setting("growth_factor", to_text(options_.growth_factor), "a number above 1",
                   "2 doubles the scale after every growth_interval clean updates");
  }
  if (options_.backoff_factor >= 1.0) {
    refuse_setting("backoff_factor", to_text(options_.backoff_factor), "a number below 1",
                   "0.5 halves the scale after an overflow");
  }
}

at::Tensor GradScaler::scale(const at::Tensor& output) {
  if (!options_.enabled) return output;
  if (!output.defined()) {
    refuse_setting("scale", "an undefined tensor", "a loss or another output of the network",
                   "Pass the tensor that backward() is to start from");
  }
  if (!scale_.defined()) initialise_scale(output.device());
  at::Tensor copy;
  return output * on_device(scale_, output.device(), copy);
}

std::vector<at::Tensor> GradScaler::scale(const std::vector<at::Tensor>& outputs) {
  if (!options_.enabled) return outputs;
  std::vector<at::Tensor> scaled;
  scaled.reserve(outputs.size());
  for (const at::Tensor& output : outputs) scaled.push_back(scale(output));
  return scaled;
}

void GradScaler::unscale(ScaledOptimizer& optimizer) {
  if (!options_.enabled) return;
  require_scale("unscale");
  OptimizerState& state = state_of(optimizer);
  if (state.stage == OptimizerStage::Unscaled) {
    refuse_call("unscale", "called twice for one optimizer since the last update()",
                "Call it once per update, after the last microbatch");
  }
  if (state.stage == OptimizerStage::Stepped) {
    refuse_call("unscale", "called after step() of the same optimizer",
                "Call it between backward() and step(); after step() comes update()");
  }
  check_and_unscale(optimizer, state, inverse_scale(), /*allow_fp16=*/false);
  state.stage = OptimizerStage::Unscaled;
}

bool GradScaler::step(ScaledOptimizer& optimizer) {
  if (!options_.enabled) {
    optimizer.step();
    return true;
  }
  require_scale("step");
  OptimizerState& state = state_of(optimizer);
  if (state.stage == OptimizerStage::Stepped) {
    refuse_call("step", "called twice for one optimizer since the last update()",
                "Call update() once after all optimizers have stepped");
  }
  if (optimizer.unscales_itself()) return step_self_unscaling(optimizer, state);

  if (state.stage == OptimizerStage::Ready) unscale(optimizer);
  if (state.recorded == 0) {
    refuse_call("step", "no parameter of this optimizer has a gradient, so no finite check was recorded",
                "Run backward() through its parameters first, or leave the optimizer out of this update");
  }
  const bool applied = !overflowed(state);
  if (applied) optimizer.step();
  state_of(optimizer).stage = OptimizerStage::Stepped;  // looked up again: a step may use the scaler
  return applied;
}

bool GradScaler::step_self_unscaling(ScaledOptimizer& optimizer, OptimizerState& state) {
  at::Tensor grad_scale;
  if (state.stage == OptimizerStage::Ready) {
    // Multiplying by 1 leaves the gradients scaled: this is the finite check alone.
    check_and_unscale(optimizer, state, scalar_on(scale_.device(), 1.0f), /*allow_fp16=*/true);
    grad_scale = scale_;
  }
  at::Tensor found_inf = scalar_on(scale_.device(), 0.0f);
  for (std::size_t i = 0; i < state.recorded; ++i) {
    at::Tensor copy;
    found_inf.add_(on_device(state.checks[i].found_inf, scale_.device(), copy));
  }
  optimizer.step_scaled(grad_scale, found_inf);
  OptimizerState& now = state_of(optimizer);
  now.stage = OptimizerStage::Stepped;
  return !overflowed(now);
}

void GradScaler::update() {
  if (!options_.enabled) return;
  require_scale("update");
  at::Tensor combined;  // shares memory with the first check, which is of no use after this
  for (OptimizerState& state : states_) {
    for (std::size_t i = 0; i < state.recorded; ++i) {
      at::Tensor copy;
      const at::Tensor& found_inf = on_device(state.checks[i].found_inf, scale_.device(), copy);
      if (!combined.defined()) {
        combined = found_inf;
      } else if (combined.is_cpu()) {
        *combined.mutable_data_ptr<float>() += *found_inf.const_data_ptr<float>();
      } else {
        combined.add_(found_inf);
      }
    }
  }
  if (!combined.defined()) refuse_unchecked_update();
  at::_amp_update_scale_(scale_, growth_tracker_, combined, options_.growth_factor, options_.backoff_factor,
                         options_.growth_interval);
  end_iteration();
}

void GradScaler::update(double new_scale) {
  if (!options_.enabled) return;
  require_scale("update");
  require_float_range("new scale", new_scale);
  set_value(scale_, static_cast<float>(new_scale));
  end_iteration();
}

void GradScaler::update(const at::Tensor& new_scale) {
  if (!options_.enabled) return;
  require_scale("update");
  const char* expected = "one element without dimensions, on the scaler's device, not requiring gradients";
  const char* remedy = "Pass the value as a double, or detach() and reshape({}) the tensor";
  if (!new_scale.defined()) refuse_setting("new scale", "an undefined tensor", expected, remedy);
  if (new_scale.device().type() != options_.device) {
    refuse_setting("new scale", "a tensor on " + new_scale.device().str(), expected, remedy);
  }
  if (new_scale.dim() != 0) {
    refuse_setting("new scale",
                   "a tensor of " + std::to_string(new_scale.numel()) + " elements in " +
                       std::to_string(new_scale.dim()) + " dimensions",
                   expected, remedy);
  }
  if (new_scale.requires_grad()) refuse_setting("new scale", "a tensor that requires gradients", expected, remedy);
  scale_.copy_(new_scale);
  end_iteration();
}

bool GradScaler::found_inf(const ScaledOptimizer& optimizer) const {
  const OptimizerState* state = find_state(optimizer);
  if (state == nullptr || state->recorded == 0) {
    refuse_call("found_inf", "no finite check was recorded for this optimizer since the last update()",
                "Ask between unscale() or step() and update()");
  }
  return overflowed(*state);
}

bool GradScaler::found_inf() const {
  require_scale("found_inf");
  bool any_checked = false;
  bool any_overflow = false;
  for (const OptimizerState& state : states_) {
    any_checked |= state.recorded > 0;
    any_overflow |= overflowed(state);
  }
  if (!any_checked) refuse_unchecked_update();
  return any_overflow;
}

OptimizerStage GradScaler::stage(const ScaledOptimizer& optimizer) const {
  const OptimizerState* state = find_state(optimizer);
  return state == nullptr ? OptimizerStage::Ready : state->stage;
}

double GradScaler::get_scale() const {
  if (!options_.enabled) return 1.0;
  return scale_.defined() ? value_of(scale_) : options_.init_scale;
}

std::int64_t GradScaler::get_growth_tracker() const {
  if (!options_.enabled) return 0;
  if (!growth_tracker_.defined()) return init_growth_tracker_;
  return growth_tracker_.is_cpu() ? *growth_tracker_.const_data_ptr<std::int32_t>()
                                  : growth_tracker_.item<std::int32_t>();
}

void GradScaler::prepare(const ScaledOptimizer& optimizer) {
  if (!options_.enabled) return;
  require_scale("prepare");
  inverse_scale();
  OptimizerState& state = state_of(optimizer);
  if (state.checks.empty()) state.checks.push_back({scale_.device(), scalar_on(scale_.device(), 0.0f)});
}

std::optional<GradScalerState> GradScaler::state_dict() const {
  if (!options_.enabled) return std::nullopt;
  GradScalerState state;
  state.scale = get_scale();
  state.growth_factor = options_.growth_factor;
  state.backoff_factor = options_.backoff_factor;
  state.growth_interval = options_.growth_interval;
  state.growth_tracker = get_growth_tracker();
  return state;
}

void GradScaler::load_state_dict(const std::optional<GradScalerState>& state) {
  if (!options_.enabled) return;
  if (!state) {
    refuse_setting("state", "nothing, as a disabled scaler saves", "the five values of an enabled scaler",
                   "Start from the initial scale instead, without loading a state");
  }
  require_float_range("state, scale", state->scale);
  if (state->growth_tracker < std::numeric_limits<std::int32_t>::min() ||
      state->growth_tracker > std::numeric_limits<std::int32_t>::max()) {
    refuse_setting("state, growth_tracker", std::to_string(state->growth_tracker), "a number of 32 bits",
                   "Check where the state comes from: the tracker counts clean updates up to growth_interval");
  }
  options_.init_scale = state->scale;
  options_.growth_factor = state->growth_factor;
  options_.backoff_factor = state->backoff_factor;
  options_.growth_interval = state->growth_interval;
  init_growth_tracker_ = state->growth_tracker;
  if (scale_.defined()) {
    set_value(scale_, static_cast<float>(state->scale));
    growth_tracker_.fill_(state->growth_tracker);
  }
}

void GradScaler::require_scale(const char* call) const {
  if (scale_.defined()) return;
  refuse_call(call, "there is no loss scale yet, because no loss was scaled",
              "Start backward() from scale(loss) earlier in the iteration");
}

void GradScaler::initialise_scale(c10::Device device) {
  require_float_range("init_scale", options_.init_scale);
  at::Tensor tracker;
  {
    const c10::InferenceMode normal(false);
    tracker = at::full({}, init_growth_tracker_, at::TensorOptions().dtype(at::kInt).device(device));
  }
  scale_ = scalar_on(device, static_cast<float>(options_.init_scale));
  growth_tracker_ = std::move(tracker);
}

// To prepare for the next iteration; optimizers that took no part in this one are forgotten.
void GradScaler::end_iteration() {
  states_.erase(
      std::remove_if(states_.begin(), states_.end(), [](const OptimizerState& state) { return !state.touched; }),
      states_.end());
  for (OptimizerState& state : states_) {
    state.stage = OptimizerStage::Ready;
    state.recorded = 0;
    state.touched = false;
  }
}

GradScaler::OptimizerState& GradScaler::state_of(const ScaledOptimizer& optimizer) {
  const void* identity = optimizer.identity();
  for (OptimizerState& state : states_) {
    if (state.identity == identity) {
      state.touched = true;
      return state;
    }
  }
  OptimizerState& state = states_.emplace_back();
  state.identity = identity;
  state.touched = true;
  return state;
}

const GradScaler::OptimizerState* GradScaler::find_state(const ScaledOptimizer& optimizer) const {
  const void* identity = optimizer.identity();
  for (const OptimizerState& state : states_) {
    if (state.identity == identity) return &state;
  }
  return nullptr;
}

// FP32 division can be inexact under some compile options, so PyTorch takes the reciprocal in FP64 and rounds it.
at::Tensor& GradScaler::inverse_scale() {
  if (!scale_.is_cpu()) {
    inverse_ = scale_.is_mps() ? scale_.reciprocal() : scale_.to(at::kDouble).reciprocal().to(at::kFloat);
    return inverse_;
  }
  if (!inverse_.defined() || !inverse_.is_cpu()) inverse_ = scalar_on(scale_.device(), 0.0f);
  set_value(inverse_, static_cast<float>(1.0 / static_cast<double>(value_of(scale_))));
  return inverse_;
}

// The kernel takes gradients of one device and dtype at a time.
void GradScaler::collect_gradients(ScaledOptimizer& optimizer, bool allow_fp16) {
  const std::size_t groups = optimizer.group_count();
  for (std::size_t group = 0; group < groups; ++group) {
    for (const at::Tensor& parameter : optimizer.parameters(group)) {
      if (!parameter.defined()) {
        refuse_setting("parameters", "an undefined tensor", "the tensors that the optimizer updates",
                       "Leave out parameters that do not exist");
      }
      const at::Tensor& gradient = parameter.grad();
      if (!gradient.defined()) continue;
      if (!allow_fp16 && gradient.scalar_type() == at::kHalf) {
        refuse_setting("unscale", "an FP16 gradient", "FP32 gradients",
                       "Keep the parameters in FP32 and let autocast choose the lower precision");
      }
      at::Tensor to_unscale = gradient;
      if (gradient.is_sparse()) {
        // Values of one index may overflow only once they are added up.
        if (gradient.scalar_type() == at::kHalf) parameter.mutable_grad() = gradient.coalesce();
        to_unscale = parameter.grad()._values();
      }
      const c10::Device device = to_unscale.device();
      const c10::ScalarType dtype = to_unscale.scalar_type();
      const auto bucket = std::find_if(buckets_.begin(), buckets_.end(), [&](const GradientBucket& candidate) {
        return candidate.device == device && candidate.dtype == dtype;
      });
      if (bucket != buckets_.end()) {
        bucket->gradients.push_back(std::move(to_unscale));
      } else {
        buckets_.push_back({device, dtype, {std::move(to_unscale)}});
      }
    }
  }
}

void GradScaler::release_gradients() {
  for (GradientBucket& bucket : buckets_) bucket.gradients.clear();
}

void GradScaler::check_and_unscale(ScaledOptimizer& optimizer, OptimizerState& state, const at::Tensor& inverse,
                                   bool allow_fp16) {
  const at::NoGradGuard no_grad;
  struct Release {
    GradScaler& scaler;
    ~Release() { scaler.release_gradients(); }
  } const release{*this};  // holding on to gradients would keep their memory, also after an error
  collect_gradients(optimizer, allow_fp16);

  std::size_t recorded = 0;
  at::Tensor inverse_copy;
  for (GradientBucket& bucket : buckets_) {
    if (bucket.gradients.empty()) continue;
    std::size_t slot = 0;
    while (slot < recorded && state.checks[slot].device != bucket.device) ++slot;
    if (slot == recorded) {
      if (slot == state.checks.size()) {
        state.checks.push_back({bucket.device, scalar_on(bucket.device, 0.0f)});
      } else if (state.checks[slot].device != bucket.device) {
        state.checks[slot] = {bucket.device, scalar_on(bucket.device, 0.0f)};
      } else {
        set_value(state.checks[slot].found_inf, 0.0f);
      }
      ++recorded;
    }
    at::_amp_foreach_non_finite_check_and_unscale_(bucket.gradients, state.checks[slot].found_inf,
                                                   on_device(inverse, bucket.device, inverse_copy));
  }
  state.recorded = recorded;
}

bool GradScaler::overflowed(const OptimizerState& state) {
  bool any = false;
  for (std::size_t i = 0; i < state.recorded; ++i) any |= value_of(state.checks[i].found_inf) != 0.0f;
  return any;
}

}  // namespace mantissa::precision
