// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/precision/grad_scaler.h"
#include "core/spec/experiment.h"

namespace mantissa::precision {

/// What a LossScaler does around PyTorch's scaler. The defaults are nothing at all.
struct ScalerRules {
  std::int64_t hysteresis = 1;  ///< the overflow of this number lowers the scale, and every one after it
  spec::HysteresisRefill hysteresis_refill = spec::HysteresisRefill::Growth;
  std::int64_t growth_delay = 0;  ///< clean updates at the start and after an overflow that the tracker does not count
  double floor = 0.0;             ///< 0: none
  double ceiling = 0.0;           ///< 0: none
};

/// What an update did.
enum class ScaleUpdate {
  Clean,      ///< no overflow; the scale stays or grows
  BackedOff,  ///< an overflow lowered the scale
  Tolerated,  ///< an overflow was skipped without lowering the scale: hysteresis
  AtFloor,    ///< an overflow found the scale at its floor, or below it: nothing was left to lower
};

/// The state of a LossScaler: PyTorch's five keys (`scale`, `growth_factor`, `backoff_factor`, `growth_interval`,
/// `_growth_tracker`) and two of ours, `mantissa.tolerance_left` (overflows that will still be tolerated) and
/// `mantissa.growth_delay_left` (clean updates that will not be counted). Counts are whole numbers. Empty where the
/// scaler is disabled, as in PyTorch.
using LossScalerState = std::map<std::string, double>;

/// PyTorch's gradient scaler with a floor, a ceiling and hysteresis around it.
///
/// Scaling, unscaling, finite checks and steps are `GradScaler`'s, call by call. Without rules `update` is, too:
/// tests/oracle plays its sequences through both. With rules, one `update` is, in this order:
///
/// An overflow of any optimizer
///   1. resets the growth tracker to 0 and the delay to `growth_delay`;
///   2. if tolerance is left (it starts at hysteresis - 1), takes one off it; the scale stays. `Tolerated`;
///   3. else lowers the scale to max(scale * backoff_factor, floor). `AtFloor` where the scale stood at the floor, or
///      below it, before; `BackedOff` otherwise. Tolerance once spent stays spent until it is refilled, however many
///      clean updates lie between two overflows.
///
/// A clean update
///   1. refills the tolerance where hysteresis_refill is clean-step;
///   2. if a delay is left, takes one off it and ends here;
///   3. else counts. Where the tracker reaches growth_interval it starts anew from 0, the scale grows to
///      scale * growth_factor unless that is not finite in FP32 (PyTorch), then to at most the ceiling, and the
///      tolerance is refilled where hysteresis_refill is growth, also where the scale could not grow.
///
/// Bounds act on the scale where `update` moves it: a scale that was set by hand or loaded beyond a bound comes back at
/// the next back-off or growth. All of it is FP32 arithmetic, the bounds rounded to FP32. What follows from `AtFloor`
/// is for the caller to decide. With rules, `update` synchronises with the device.
///
/// Threads and order of calls as GradScaler. Equal settings give the sequences of DeepSpeed's and Megatron's scalers
/// (core/spec/scaler_settings.h has the presets and the sources; tests/oracle/make_scaler_policies.py the comparison).
class LossScaler {
 public:
  /// \throws Error InvalidSetting  as GradScaler; a count below 1 (growth_delay: below 0), a bound that is negative or
  ///         not finite in FP32, a floor above the ceiling, an initial scale outside of them. Not where it is disabled.
  explicit LossScaler(const GradScalerOptions& options = {}, const ScalerRules& rules = {});

  /// PyTorch's scaler within: everything but `update`, and what has to do with the whole state, is called there.
  GradScaler& exact() { return exact_; }
  const GradScaler& exact() const { return exact_; }

  const ScalerRules& rules() const { return rules_; }

  // As GradScaler, for the training loop.
  at::Tensor scale(const at::Tensor& output) { return exact_.scale(output); }
  void unscale(ScaledOptimizer& optimizer) { exact_.unscale(optimizer); }
  bool step(ScaledOptimizer& optimizer) { return exact_.step(optimizer); }
  bool found_inf(const ScaledOptimizer& optimizer) const { return exact_.found_inf(optimizer); }
  bool is_enabled() const { return exact_.is_enabled(); }
  double get_scale() const { return exact_.get_scale(); }
  std::int64_t get_growth_tracker() const { return exact_.get_growth_tracker(); }

  /// Moves the scale, once after all optimizers have stepped. \throws Error CallOrder as GradScaler::update
  ScaleUpdate update();

  /// Overflows that will still be tolerated before one lowers the scale.
  std::int64_t tolerance_left() const { return tolerance_left_; }

  /// To be taken after `update`.
  LossScalerState state_dict() const;

  /// Goes on from a saved state. The five keys of PyTorch alone will do: tolerance and delay then start full. Does
  /// nothing where the scaler is disabled.
  /// \throws Error InvalidSetting  an empty state (of a disabled scaler), a key that is missing or that nobody knows
  ///         (the state of another kind of scaler), a count that is not whole or outside what these rules allow, and
  ///         what GradScaler refuses. The scaler is then as before.
  void load_state_dict(const LossScalerState& state);

 private:
  bool has_rules() const;
  void set_scale(double scale, std::int64_t growth_tracker);
  ScaleUpdate after_overflow();
  void after_clean_step();

  GradScaler exact_;
  ScalerRules rules_;
  std::int64_t tolerance_left_ = 0;
  std::int64_t growth_delay_left_ = 0;
};

}  // namespace mantissa::precision
