// SPDX-License-Identifier: Apache-2.0
#include "core/perf/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mantissa::perf {
namespace {

constexpr double kTiny = 1e-300;  // keeps the continued fraction away from a division by zero

/// A partial denominator of Lentz's method, kept away from zero.
double away_from_zero(double value) { return std::abs(value) < kTiny ? kTiny : value; }

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), by the modified method of Lentz.
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 10000;
  constexpr double kConverged = 4 * std::numeric_limits<double>::epsilon();
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < kConverged) break;
  }
  return fraction;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on this side of the mean; the other side is its complement (DLMF 8.17.4).
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - static_cast<double>(below);
  const double difference = values[above] - values[below];
  // numpy goes from the nearer end, so that the result does not pass the other one by rounding.
  return share < 0.5 ? values[below] + difference * share : values[above] - difference * (1.0 - share);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double interquartile_range(const std::vector<double>& values) {
  return quantile(values, 0.75) - quantile(values, 0.25);
}

double student_t_tail(double t, std::int64_t degrees) {
  if (t < 0.0) return 1.0 - student_t_tail(-t, degrees);
  const auto freedom = static_cast<double>(degrees);
  return 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t));
}

double student_t_quantile(double probability, std::int64_t degrees) {
  if (probability < 0.5) return -student_t_quantile(1.0 - probability, degrees);
  const double tail = 1.0 - probability;
  double low = 0.0;
  double high = 1.0;
  while (student_t_tail(high, degrees) > tail) high *= 2.0;
  // The tail falls strictly; halving ends where no double lies between.
  for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high)) {
    (student_t_tail(middle, degrees) > tail ? low : high) = middle;
  }
  return high;
}

Interval ratio_of_pairs(const std::vector<double>& numerators, const std::vector<double>& denominators,
                        double confidence) {
  const auto count = static_cast<double>(numerators.size());
  std::vector<double> logarithms;
  logarithms.reserve(numerators.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    logarithms.push_back(std::log(numerators[i] / denominators[i]));
    sum += logarithms.back();
  }
  const double mean = sum / count;
  double squares = 0.0;
  for (const double logarithm : logarithms) squares += (logarithm - mean) * (logarithm - mean);
  const double standard_error = std::sqrt(squares / (count - 1.0) / count);
  const double reach =
      student_t_quantile(0.5 + confidence / 2.0, static_cast<std::int64_t>(numerators.size()) - 1) * standard_error;
  return {std::exp(mean), std::exp(mean - reach), std::exp(mean + reach)};
}

}  // namespace mantissa::perf
