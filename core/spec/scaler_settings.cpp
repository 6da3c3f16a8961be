// SPDX-License-Identifier: Apache-2.0
#include "core/spec/scaler_settings.h"

#include <cmath>

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

}  // namespace

std::string expected_of_scaler(std::string_view key, double value) {
  const float rounded = static_cast<float>(value);
  if (key == "init_scale") return expected_of_init_scale(value, rounded);
  if (key == "growth_factor") return expected_of_growth_factor(value, rounded);
  return expected_of_backoff_factor(value, rounded);
}

std::string expected_of_growth_interval() {
  return "an integer of at least 1 and at most " + std::to_string(largest_growth_interval);
}

}  // namespace mantissa::spec
