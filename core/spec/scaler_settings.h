// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/spec/experiment.h"

namespace mantissa::spec {

/// PyTorch's growth tracker is a 32-bit integer: a longer interval would never be reached. Holds for the other counts
/// of a scaler, too.
inline constexpr std::int64_t largest_scaler_count = std::numeric_limits<std::int32_t>::max();

/// The least value of growth_interval and hysteresis (1) and of growth_delay (0).
std::int64_t least_scaler_count(std::string_view key);

/// What a number of the loss scaler must be, as a message says it ("a finite number above 0"), or an empty text where
/// `value` is fit. The scaler computes in FP32, so the FP32 number that `value` becomes must hold too.
/// \param key  init_scale, growth_factor, backoff_factor, floor or ceiling; the last two may be 0 (none).
std::string expected_of_scaler(std::string_view key, double value);

/// The same of growth_interval, hysteresis and growth_delay.
std::string expected_of_scaler_count(std::string_view key);

/// The settings that a framework trains FP16 with by default; nothing for an unknown name.
///
/// | preset | init_scale | growth_interval | hysteresis | growth_delay | floor | at_floor |
/// |---|---|---|---|---|---|---|
/// | pytorch | 2^16 | 2000 | 1 | 0 | 0 | continue |
/// | deepspeed | 2^16 | 1000 | 2 | 1 | 1 | stop |
/// | megatron | 2^32 | 1000 | 2 | 0 | 1 | continue |
///
/// All of them double and halve; tolerance is refilled at growth; there is no ceiling. Sources:
/// - pytorch: torch/amp/grad_scaler.py of PyTorch 2.11.
/// - deepspeed: DynamicLossScaler in deepspeed/runtime/fp16/loss_scaler.py and the defaults of
///   deepspeed/runtime/precision_config.py, DeepSpeed 0.19.6 (edaa722). It counts the clean steps after an overflow
///   from 0, so the first growth takes one step more than the window, hence growth_delay = 1; an overflow at the least
///   scale raises an error, hence at_floor = "stop". Two things differ: its scale is a double without PyTorch's limit
///   of FP32, and its fused FP16 optimizer without ZeRO has no hysteresis (set hysteresis = 1 for that one).
/// - megatron: DynamicGradScaler in megatron/core/optimizer/grad_scaler.py and the defaults of optimizer_config.py,
///   Megatron-LM d98e8a6. Its scale may grow to infinity, ours keeps PyTorch's limit.
/// tests/oracle/make_scaler_policies.py plays both against emulations of these sources.
std::optional<Scaler> scaler_preset(std::string_view name);

/// Two settings that do not go together: a floor above the ceiling, a first scale outside of them. Compared as the FP32
/// numbers they become.
struct ScalerConflict {
  std::string first_key, second_key;
  std::string problem;  ///< "floor 8 is above ceiling 4"
};
std::optional<ScalerConflict> conflict_in(const Scaler& scaler);

/// "growth", "clean-step", "never"; nothing for any other text.
std::optional<HysteresisRefill> hysteresis_refill_from_text(std::string_view text);

/// Sets at_floor and switch_to from "continue", "stop" or "switch:TRIAL". \return false for any other text
bool set_at_floor(std::string_view text, Scaler& scaler);

/// The reverse.
std::string at_floor_text(const Scaler& scaler);

}  // namespace mantissa::spec
