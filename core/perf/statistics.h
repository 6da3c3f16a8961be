// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa::perf {

/// The value below which the share `q` of the values lies, interpolated linearly between the two nearest: what
/// numpy.quantile computes by default. \param values  at least one, finite. \param q  from 0 to 1.
double quantile(std::vector<double> values, double q);

/// quantile 0.5; the mean of the two middle values where their number is even.
double median(const std::vector<double>& values);

/// The spread shown beside a median: quantile 0.75 less quantile 0.25. Unlike a standard deviation, one repetition that
/// another program disturbed does not move it.
double interquartile_range(const std::vector<double>& values);

/// The value that a variable of Student's t distribution stays below with this probability (scipy.stats.t.ppf).
/// \param probability  above 0 and below 1. \param degrees  of freedom, at least 1.
double student_t_quantile(double probability, std::int64_t degrees);

/// The probability that such a variable exceeds t (scipy.stats.t.sf). \param degrees  of freedom, at least 1.
double student_t_tail(double t, std::int64_t degrees);

/// An estimate and the interval that holds the true value with a given confidence.
struct Interval {
  double estimate = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// The ratio of paired measurements: numerators[i] and denominators[i] were taken right after each other, so that what
/// slowed the machine at that moment slowed both and cancels in their ratio.
///
/// Estimate: the geometric mean of the ratios. Interval: Student's t interval of the mean of their logarithms, taken
/// back by exp (the usual paired interval; on the logarithms, because a ratio is as likely r as 1/r when the sides are
/// swapped: swapping them gives exactly the reciprocal interval). It assumes that the logarithms are roughly normal and
/// independent of one repetition to the next. P. J. Fleming and J. J. Wallace, "How not to lie with statistics", CACM
/// 29(3), 1986, on the geometric mean of ratios; the interval as scipy.stats.t.interval gives it.
/// \param numerators, denominators  of one length, at least 2, all above 0 and finite.
/// \param confidence  above 0 and below 1.
Interval ratio_of_pairs(const std::vector<double>& numerators, const std::vector<double>& denominators,
                        double confidence);

}  // namespace mantissa::perf
