// SPDX-License-Identifier: Apache-2.0
#include "core/judge/distributions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/perf/statistics.h"

namespace mantissa::judge {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool has_nan(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

/// Shares of the values by bin; `ends` are the upper ends of all bins but the last.
std::vector<double> shares_of(const std::vector<double>& values, const std::vector<double>& ends) {
  std::vector<double> counts(ends.size() + 1, 0.0);
  for (const double value : values) {
    counts[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), value) - ends.begin())] += 1.0;
  }
  for (double& count : counts) count = std::max(count, 0.5) / static_cast<double>(values.size());
  return counts;
}

}  // namespace

double kolmogorov_smirnov_distance(std::vector<double> reference, std::vector<double> trial) {
  if (reference.empty() || trial.empty() || has_nan(reference) || has_nan(trial)) return kNaN;
  std::sort(reference.begin(), reference.end());
  std::sort(trial.begin(), trial.end());
  double distance = 0.0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < reference.size() && j < trial.size()) {
    const double value = std::min(reference[i], trial[j]);
    while (i < reference.size() && reference[i] == value) ++i;
    while (j < trial.size() && trial[j] == value) ++j;
    const double difference = static_cast<double>(i) / static_cast<double>(reference.size()) -
                              static_cast<double>(j) / static_cast<double>(trial.size());
    distance = std::max(distance, std::abs(difference));
  }
  return distance;
}

double population_stability(const std::vector<double>& reference, const std::vector<double>& trial, int bins) {
  if (reference.empty() || trial.empty() || has_nan(reference) || has_nan(trial)) return kNaN;
  std::vector<double> ends;
  for (int i = 1; i < bins; ++i) ends.push_back(perf::quantile(reference, static_cast<double>(i) / bins));
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const std::vector<double> expected = shares_of(reference, ends);
  const std::vector<double> found = shares_of(trial, ends);
  double sum = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    sum += (found[i] - expected[i]) * std::log(found[i] / expected[i]);
  }
  return sum;
}

}  // namespace mantissa::judge
