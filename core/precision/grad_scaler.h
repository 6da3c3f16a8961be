// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include "core/precision/scaled_optimizer.h"

namespace mantissa::precision {

/// PyTorch's defaults, except for the device.
struct GradScalerOptions {
  /// Where the training runs. CUDA without a device disables the scaler with a warning, as PyTorch does; otherwise only
  /// `update(tensor)` looks at it. The scale itself lives on the device of the first tensor that is scaled.
  c10::DeviceType device = c10::DeviceType::CPU;
  double init_scale = 65536.0;          ///< not checked, as in PyTorch: 0, negative, infinite and NaN pass
  double growth_factor = 2.0;           ///< above 1
  double backoff_factor = 0.5;          ///< below 1
  std::int64_t growth_interval = 2000;  ///< clean updates in a row before the scale grows; not checked
  bool enabled = true;
};

/// Everything a checkpoint needs to go on with the same scale: the five entries of PyTorch's `state_dict`.
struct GradScalerState {
  double scale = 65536.0;               ///< "scale"
  double growth_factor = 2.0;           ///< "growth_factor"
  double backoff_factor = 0.5;          ///< "backoff_factor"
  std::int64_t growth_interval = 2000;  ///< "growth_interval"
  std::int64_t growth_tracker = 0;      ///< "_growth_tracker": clean updates since the last change of the scale
};

/// How far an optimizer has come since the last `update`.
enum class OptimizerStage { Ready, Unscaled, Stepped };

/// Scales the loss so that FP16 gradients do not vanish, and refuses updates whose gradients overflowed.
///
/// The same state machine, arithmetic and errors as `torch.amp.GradScaler` of PyTorch 2.11 (tests/oracle compares the
/// two over random call sequences). Beyond it, `step` and `found_inf` say what happened instead of keeping it to
/// themselves. Needs nothing of Mantissa but core/base.
///
/// One scaler lives as long as the training, not a batch, and serves all optimizers: each is skipped for its own
/// overflows, and an overflow of any of them lowers the one scale at `update`. Its methods are called from one thread.
///
/// \code
/// torch::nn::Linear model(16, 1);
/// torch::optim::AdamW adamw(model->parameters(), torch::optim::AdamWOptions(1e-3));
/// TorchOptimizer optimizer(adamw);                                // core/precision/torch_optimizer.h
/// GradScaler scaler;
///
/// for (const auto& [input, target] : batches) {
///   adamw.zero_grad();
///   at::Tensor loss;
///   {
///     AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);    // core/precision/autocast_scope.h
///     loss = at::mse_loss(model->forward(input).to(at::kFloat), target);
///   }                                                             // backward runs outside
///   scaler.scale(loss).backward();
///   scaler.unscale(optimizer);                                    // clipping needs the true gradients
///   torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
///   const bool applied = scaler.step(optimizer);                  // false: an overflow, the weights stay
///   scaler.update();
///   if (applied) schedule.step();
/// }
/// \endcode
/// tests/core/precision/grad_scaler_example.cpp is such a program in full.
class GradScaler {
 public:
  /// \throws Error InvalidSetting  growth_factor ≤ 1 or backoff_factor ≥ 1, unless the scaler is disabled
  explicit GradScaler(const GradScalerOptions& options = {});

  GradScaler(GradScaler&&) noexcept = default;
  GradScaler& operator=(GradScaler&&) noexcept = default;
  GradScaler(const GradScaler&) = delete;  // two scalers would share one scale; go through state_dict()
  GradScaler& operator=(const GradScaler&) = delete;

  /// `output` times the scale; unchanged where the scaler is disabled. The first call puts the scale on its device.
  ///
  /// The scale is FP32 without a dimension, so an FP16 loss without a dimension comes back in FP32 and an FP16 tensor
  /// with dimensions stays FP16.
  /// \throws Error InvalidSetting  `output` is undefined, or the initial scale lies outside FP32
  at::Tensor scale(const at::Tensor& output);

  /// The same for several outputs, which may lie on several devices.
  std::vector<at::Tensor> scale(const std::vector<at::Tensor>& outputs);

  /// Divides the gradients of `optimizer` by the scale, in place, and records whether any of them is non-finite.
  ///
  /// Optional: `step` does it where it was not done. Call it after the last microbatch of the update, before anything
  /// that looks at gradients. The finite check comes before the division: below a scale of 2^-127 the reciprocal is
  /// infinite in FP32, and what passed the check becomes infinite or NaN. Nothing moves where this throws.
  /// \throws Error CallOrder  before the first `scale`; a second time before `update`; after `step`
  /// \throws Error InvalidSetting  a gradient is FP16: the parameters must be FP32 under autocast
  void unscale(ScaledOptimizer& optimizer);

  /// Unscales where that was not done, then lets `optimizer` step unless one of its gradients is non-finite.
  ///
  /// \return whether the update was applied; reading it costs one synchronisation with the device, as in PyTorch
  /// \throws Error CallOrder  before the first `scale`; a second time before `update`; no parameter has a gradient
  bool step(ScaledOptimizer& optimizer);

  /// Adjusts the scale, once after all optimizers have stepped: back-off where any optimizer found an overflow, growth
  /// after `growth_interval` clean updates unless FP32 could not hold the grown scale.
  /// \throws Error CallOrder  before the first `scale`; no optimizer was checked since the last update
  void update();

  /// Sets the scale by hand instead; the growth tracker stays. Ends the iteration as the other does.
  /// \throws Error CallOrder  before the first `scale`
  /// \throws Error InvalidSetting  finite but outside FP32
  void update(double new_scale);

  /// \param new_scale  one element without dimensions, on `options.device`, not requiring gradients; its value is
  /// copied
  void update(const at::Tensor& new_scale);

  /// Whether a gradient of `optimizer` was non-finite: valid between `unscale` or `step` and `update`.
  /// \throws Error CallOrder  where no check was recorded since the last update
  bool found_inf(const ScaledOptimizer& optimizer) const;

  /// The same of all optimizers that were checked since the last update: what the next `update` goes by.
  /// \throws Error CallOrder  before the first `scale`; no optimizer was checked since the last update
  bool found_inf() const;

  OptimizerStage stage(const ScaledOptimizer& optimizer) const;

  bool is_enabled() const { return options_.enabled; }

  /// The scale; 1 where the scaler is disabled. Synchronises with the device.
  double get_scale() const;

  /// The scale where it lives, without synchronising; undefined before the first `scale`.
  const at::Tensor& scale_tensor() const { return scale_; }

  /// Clean updates since the last change of the scale; 0 where the scaler is disabled.
  std::int64_t get_growth_tracker() const;

  double get_growth_factor() const { return options_.growth_factor; }
  void set_growth_factor(double factor) { options_.growth_factor = factor; }
  double get_backoff_factor() const { return options_.backoff_factor; }
  void set_backoff_factor(double factor) { options_.backoff_factor = factor; }
  std::int64_t get_growth_interval() const { return options_.growth_interval; }
  void set_growth_interval(std::int64_t interval) { options_.growth_interval = interval; }

  /// Makes what the first iteration of `optimizer` makes and later ones use again, on the device of the scale, so that
  /// the first one after a checkpoint takes the memory of a later one. After `load_state_dict` and a first `scale`.
  void prepare(const ScaledOptimizer& optimizer);

  /// To be taken after `update`; nothing where the scaler is disabled.
  std::optional<GradScalerState> state_dict() const;

  /// Does nothing where the scaler is disabled.
  /// \throws Error InvalidSetting  `state` is empty, so it came from a disabled scaler; or its scale lies outside FP32
  /// or
  ///                               its tracker outside 32 bits. The scaler is then as before.
  void load_state_dict(const std::optional<GradScalerState>& state);

 private:
  /// The outcome of the finite check on one device. The tensor is kept from one iteration to the next.
  struct DeviceCheck {
    c10::Device device;
    at::Tensor found_inf;
  };

  struct OptimizerState {
    const void* identity = nullptr;
    OptimizerStage stage = OptimizerStage::Ready;
    std::vector<DeviceCheck> checks;
    std::size_t recorded = 0;  // the first so many of `checks` count since the last update
    bool touched = false;      // seen since the last update
  };

  struct GradientBucket {
    c10::Device device;
    c10::ScalarType dtype;
    std::vector<at::Tensor> gradients;
  };

  void require_scale(const char* call) const;
  void initialise_scale(c10::Device device);
  void set_scale(double value);
  void end_iteration();
  OptimizerState& state_of(const ScaledOptimizer& optimizer);
  const OptimizerState* find_state(const ScaledOptimizer& optimizer) const;
  void collect_gradients(ScaledOptimizer& optimizer, bool allow_fp16);
  void release_gradients();
  at::Tensor& inverse_scale();
  void check_and_unscale(ScaledOptimizer& optimizer, OptimizerState& state, const at::Tensor& inverse, bool allow_fp16);
  bool step_self_unscaling(ScaledOptimizer& optimizer, OptimizerState& state);
  static bool overflowed(const OptimizerState& state);

  GradScalerOptions options_;
  std::int64_t init_growth_tracker_ = 0;
  at::Tensor scale_;           // FP32, no dimension; undefined until the first scale()
  at::Tensor growth_tracker_;  // int32, no dimension, beside it
  at::Tensor inverse_;         // reused on the CPU
  std::vector<OptimizerState> states_;
  std::vector<GradientBucket> buckets_;  // emptied after use, their memory stays
};

}  // namespace mantissa::precision
