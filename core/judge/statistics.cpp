// SPDX-License-Identifier: Apache-2.0
#include "core/judge/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mantissa::judge {
namespace {

double quantile_of_sorted(const std::vector<double>& values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const double below = std::floor(place);
  const double weight = place - below;
  const auto index = static_cast<std::size_t>(below);
  const double low = values[index];
  if (weight == 0.0) return low;  // also keeps 0 · infinity out
  const double high = values[index + 1];
  if (std::isinf(high)) return high;  // NumPy's interpolation gives NaN here
  // The two forms of NumPy's interpolation: each is exact at its own end.
  return weight < 0.5 ? low + (high - low) * weight : high - (high - low) * (1.0 - weight);
}

}  // namespace

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

double reduce(std::vector<double> values, spec::Reduce how, double q) {
  const bool has_nan = std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (values.empty() || has_nan) return std::numeric_limits<double>::quiet_NaN();
  switch (how) {
    case spec::Reduce::Max:
      return *std::max_element(values.begin(), values.end());
    case spec::Reduce::Mean: {
      double sum = 0.0;
      for (const double value : values) sum += value;
      return sum / static_cast<double>(values.size());
    }
    case spec::Reduce::Median: {
      std::sort(values.begin(), values.end());
      const std::size_t middle = values.size() / 2;
      return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
    }
    case spec::Reduce::Quantile:
      std::sort(values.begin(), values.end());
      return quantile_of_sorted(values, q);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double root_mean_square(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::fabs(value));
  }
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (largest == 0.0 || std::isinf(largest)) return largest;
  const double unit = may_be_squared(largest) ? 1.0 : largest;
  double sum = 0.0;
  for (const double value : values) sum += (value / unit) * (value / unit);
  return unit * std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace mantissa::judge
