// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <c10/core/ScalarType.h>

#include "core/precision/float32_regions.h"
#include "core/precision/grad_scaler.h"
#include "core/precision/loss_scaler.h"
#include "core/spec/experiment.h"

namespace mantissa::precision {

/// One trial's precision policy in the terms of the library.
struct Policy {
  std::optional<c10::ScalarType> autocast;  ///< nothing: off; as AutocastScope takes it
  bool loss_in_float32 = false;             ///< the loss is computed outside autocast, from an output cast to FP32
  std::string cast_policy = "device";       ///< device: as eager PyTorch casts here | cuda | jit (forward_scope.h)
  std::shared_ptr<Float32Regions> float32_regions;  ///< modules and operators kept in FP32; null: none
  GradScalerOptions scaler;
  ScalerRules scaler_rules;
  spec::AtFloor at_floor = spec::AtFloor::Continue;  ///< what the training does where an update was AtFloor
};

/// The dtype behind the experiment's word; nothing for off.
inline std::optional<c10::ScalarType> scalar_type_of(spec::Autocast autocast) {
  switch (autocast) {
    case spec::Autocast::Float16:
      return c10::ScalarType::Half;
    case spec::Autocast::BFloat16:
      return c10::ScalarType::BFloat16;
    case spec::Autocast::Off:
      break;
  }
  return std::nullopt;
}

/// The experiment's word: "off", "float16", "bfloat16".
inline std::string_view word(spec::Autocast autocast) {
  switch (autocast) {
    case spec::Autocast::Float16:
      return "float16";
    case spec::Autocast::BFloat16:
      return "bfloat16";
    case spec::Autocast::Off:
      break;
  }
  return "off";
}

inline ScalerRules scaler_rules_of(const spec::Scaler& scaler) {
  return {scaler.hysteresis, scaler.hysteresis_refill, scaler.growth_delay, scaler.floor, scaler.ceiling};
}

inline Policy policy_of(const spec::Trial& trial, c10::DeviceType device = c10::DeviceType::CPU) {
  Policy policy;
  policy.autocast = scalar_type_of(trial.autocast);
  policy.loss_in_float32 = trial.loss_in_float32;
  policy.cast_policy = trial.cast_policy;
  if (!trial.float32_regions.empty()) policy.float32_regions = std::make_shared<Float32Regions>(trial.float32_regions);
  policy.scaler.device = device;
  policy.scaler.init_scale = trial.scaler.init_scale;
  policy.scaler.growth_factor = trial.scaler.growth_factor;
  policy.scaler.backoff_factor = trial.scaler.backoff_factor;
  policy.scaler.growth_interval = trial.scaler.growth_interval;
  policy.scaler.enabled = trial.scaler.enabled;
  policy.scaler_rules = scaler_rules_of(trial.scaler);
  policy.at_floor = trial.scaler.at_floor;
  return policy;
}

/// The scaler of a policy, fresh; nothing where it has none.
inline std::optional<LossScaler> make_scaler(const Policy& policy) {
  if (!policy.scaler.enabled) return std::nullopt;
  return LossScaler(policy.scaler, policy.scaler_rules);
}

/// The policy of the reference: FP32, no scaler.
inline Policy reference_policy() {
  Policy policy;
  policy.scaler.enabled = false;
  return policy;
}

}  // namespace mantissa::precision
