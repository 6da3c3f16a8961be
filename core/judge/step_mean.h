// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace mantissa::judge {

/// Mean of a deviation over the steps at which it was measured; what the yardsticks of steps are made of.
struct StepMean {
  void add(const std::optional<double>& value) {
    if (!value) return;
    sum += *value;
    ++count;
  }
  /// Nothing where it was never measured; NaN where one value was.
  std::optional<double> value() const {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }

  double sum = 0.0;
  std::int64_t count = 0;
};

/// The larger one; NaN stays.
inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// The yardstick of a deviation in steps: the largest mean of the repeats, because a single repeat is a single draw of
/// what may happen. NaN where one of them is; nothing where none was measured.
inline std::optional<double> largest_mean(const std::vector<StepMean>& repeats) {
  std::optional<double> largest;
  for (const StepMean& repeat : repeats) {
    const std::optional<double> mean = repeat.value();
    if (mean) largest = largest ? larger(*largest, *mean) : *mean;
  }
  return largest;
}

}  // namespace mantissa::judge
