// SPDX-License-Identifier: Apache-2.0
#include "core/judge/paired_tests.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "core/perf/statistics.h"

namespace mantissa::judge {
namespace {

constexpr std::size_t kMostEnumerated = 7;  // 7^7 = 823,543 ways
constexpr int kDrawn = 100'000;

double sum_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

/// The means of all ways to draw as many of the values as there are, with replacement, in no order.
std::vector<double> all_means(const std::vector<double>& values) {
  std::vector<std::size_t> chosen(values.size(), 0);
  std::vector<double> means;
  for (;;) {
    double sum = 0.0;
    for (const std::size_t one : chosen) sum += values[one];
    means.push_back(sum / static_cast<double>(values.size()));
    std::size_t place = 0;  // counts up, the first place the fastest
    while (place < chosen.size() && ++chosen[place] == values.size()) chosen[place++] = 0;
    if (place == chosen.size()) return means;
  }
}

std::vector<double> drawn_means(const std::vector<double>& values) {
  std::mt19937_64 random;  // its standard seed: the same answer every time
  std::vector<double> means;
  means.reserve(kDrawn);
  for (int i = 0; i < kDrawn; ++i) {
    double sum = 0.0;
    // The remainder favours the first values by less than one part in 10^13 for a million of them.
    for (std::size_t k = 0; k < values.size(); ++k) sum += values[random() % values.size()];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  return means;
}

}  // namespace

double mcnemar(std::int64_t only_reference, std::int64_t only_trial) {
  const std::int64_t few = std::min(only_reference, only_trial);
  const std::int64_t all = only_reference + only_trial;
  if (2 * few == all) return 1.0;
  // The binomial distribution is symmetric here: twice the lower tail. Logarithms, as 2^-all may be below FP64.
  const auto n = static_cast<double>(all);
  double tail = 0.0;
  for (std::int64_t k = 0; k <= few; ++k) {
    const auto successes = static_cast<double>(k);
    tail +=
        std::exp(std::lgamma(n + 1) - std::lgamma(successes + 1) - std::lgamma(n - successes + 1) - n * std::log(2.0));
  }
  return std::min(1.0, 2.0 * tail);
}

NonInferiority non_inferiority_by_t(const std::vector<double>& differences, double margin, double alpha) {
  const auto count = static_cast<double>(differences.size());
  NonInferiority result;
  result.mean_difference = sum_of(differences) / count;
  double squares = 0.0;
  for (const double difference : differences) {
    squares += (difference - result.mean_difference) * (difference - result.mean_difference);
  }
  const double standard_error = std::sqrt(squares / (count - 1.0) / count);
  const auto degrees = static_cast<std::int64_t>(differences.size()) - 1;
  result.lower_bound = result.mean_difference - perf::student_t_quantile(1.0 - alpha, degrees) * standard_error;
  const double above_margin = result.mean_difference + margin;
  if (standard_error > 0.0) {
    result.p_value = perf::student_t_tail(above_margin / standard_error, degrees);
  } else {
    result.p_value = above_margin > 0.0 ? 0.0 : 1.0;
  }
  result.shown = result.lower_bound > -margin;
  return result;
}

NonInferiority non_inferiority_by_bootstrap(const std::vector<double>& differences, double margin, double alpha) {
  NonInferiority result;
  result.mean_difference = sum_of(differences) / static_cast<double>(differences.size());
  std::vector<double> means = differences.size() <= kMostEnumerated ? all_means(differences) : drawn_means(differences);
  const auto at_margin = std::count_if(means.begin(), means.end(), [&](double mean) { return mean <= -margin; });
  result.p_value = static_cast<double>(at_margin) / static_cast<double>(means.size());
  result.lower_bound = perf::quantile(std::move(means), alpha);
  result.shown = result.lower_bound > -margin;
  return result;
}

}  // namespace mantissa::judge
