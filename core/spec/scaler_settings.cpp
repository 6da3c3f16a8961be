// SPDX-License-Identifier: Apache-2.0
#include "core/spec/scaler_settings.h"

#include <cmath>

#include "core/base/number_text.h"
#include "core/spec/words.h"

namespace mantissa::spec {
namespace {

const char* const largest = "at most 3.4028235e38, the largest FP32 number";
const char* const smallest = "at least 1.4e-45, the smallest FP32 number";

std::string expected_of_init_scale(double value, float rounded) {
  if (!std::isfinite(value) || value <= 0) return "a finite number above 0";
  if (std::isinf(rounded)) return largest;
  if (rounded == 0.0F) return smallest;
  return {};
}

std::string expected_of_growth_factor(double value, float rounded) {
  if (!std::isfinite(value) || value <= 1) return "a finite number above 1";
  if (std::isinf(rounded)) return largest;
  if (rounded <= 1.0F) return "above 1 in FP32, at least 1.0000001";
  return {};
}

std::string expected_of_backoff_factor(double value, float rounded) {
  if (!(value > 0 && value < 1)) return "a number above 0 and below 1";
  if (rounded == 0.0F) return smallest;
  if (rounded >= 1.0F) return "below 1 in FP32, at most 0.99999994";
  return {};
}

std::string expected_of_bound(double value, float rounded) {
  if (!std::isfinite(value) || value < 0) return "0 for none, or a finite number above 0";
  if (std::isinf(rounded)) return largest;
  if (value > 0 && rounded == 0.0F) return smallest;
  return {};
}

constexpr std::string_view switch_word = "switch:";

}  // namespace

std::int64_t least_scaler_count(std::string_view key) { return key == "growth_delay" ? 0 : 1; }

std::string expected_of_scaler(std::string_view key, double value) {
  const float rounded = static_cast<float>(value);
  if (key == "init_scale") return expected_of_init_scale(value, rounded);
  if (key == "growth_factor") return expected_of_growth_factor(value, rounded);
  if (key == "backoff_factor") return expected_of_backoff_factor(value, rounded);
  return expected_of_bound(value, rounded);
}

std::string expected_of_scaler_count(std::string_view key) {
  return "an integer of at least " + std::to_string(least_scaler_count(key)) + " and at most " +
         std::to_string(largest_scaler_count);
}

std::optional<Scaler> scaler_preset(std::string_view name) {
  Scaler scaler;
  if (name == "pytorch") return scaler;
  scaler.growth_interval = 1000;
  scaler.hysteresis = 2;
  scaler.floor = 1.0;
  if (name == "deepspeed") {
    scaler.growth_delay = 1;
    scaler.at_floor = AtFloor::Stop;
    return scaler;
  }
  if (name == "megatron") {
    scaler.init_scale = 4294967296.0;
    return scaler;
  }
  return std::nullopt;
}

std::optional<ScalerConflict> conflict_in(const Scaler& scaler) {
  const auto floor = static_cast<float>(scaler.floor);
  const auto ceiling = static_cast<float>(scaler.ceiling);
  const auto first = static_cast<float>(scaler.init_scale);
  const auto words = [](const char* key, double value) { return std::string(key) + ' ' + mantissa::to_text(value); };
  if (ceiling > 0 && floor > ceiling) {
    return ScalerConflict{"floor", "ceiling",
                          words("floor", scaler.floor) + " is above " + words("ceiling", scaler.ceiling)};
  }
  if (floor > first) {
    return ScalerConflict{"init_scale", "floor",
                          words("init_scale", scaler.init_scale) + " is below " + words("floor", scaler.floor)};
  }
  if (ceiling > 0 && first > ceiling) {
    return ScalerConflict{"init_scale", "ceiling",
                          words("init_scale", scaler.init_scale) + " is above " + words("ceiling", scaler.ceiling)};
  }
  return std::nullopt;
}

std::optional<HysteresisRefill> hysteresis_refill_from_text(std::string_view text) {
  return from_word<HysteresisRefill>(text);
}

bool set_at_floor(std::string_view text, Scaler& scaler) {
  scaler.switch_to.clear();
  if (text == "continue") {
    scaler.at_floor = AtFloor::Continue;
  } else if (text == "stop") {
    scaler.at_floor = AtFloor::Stop;
  } else if (text.size() > switch_word.size() && text.substr(0, switch_word.size()) == switch_word) {
    scaler.at_floor = AtFloor::Switch;
    scaler.switch_to = text.substr(switch_word.size());
  } else {
    return false;
  }
  return true;
}

std::string at_floor_text(const Scaler& scaler) {
  switch (scaler.at_floor) {
    case AtFloor::Continue:
      return "continue";
    case AtFloor::Stop:
      return "stop";
    case AtFloor::Switch:
      break;
  }
  return std::string(switch_word) + scaler.switch_to;
}

}  // namespace mantissa::spec
