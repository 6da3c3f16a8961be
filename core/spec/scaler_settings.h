// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace mantissa::spec {

/// PyTorch's growth tracker is a 32-bit integer: a longer interval would never be reached.
inline constexpr std::int64_t largest_growth_interval = std::numeric_limits<std::int32_t>::max();

/// What a number of the loss scaler must be, as a message says it ("a finite number above 1"), or an empty text where
/// `value` is fit. The scaler computes in FP32, so the FP32 number that `value` becomes must hold too.
/// \param key  init_scale, growth_factor or backoff_factor.
std::string expected_of_scaler(std::string_view key, double value);

/// The same of growth_interval.
std::string expected_of_growth_interval();

}  // namespace mantissa::spec
