// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace mantissa::judge {

/// The Kolmogorov–Smirnov distance: the largest difference between the two empirical distribution functions
/// (scipy.stats.ks_2samp(...).statistic). From 0 to 1. NaN where a side is empty or a value is NaN.
double kolmogorov_smirnov_distance(std::vector<double> reference, std::vector<double> trial);

/// The population stability index: the sum over bins of (t - r) ln(t / r), t and r being the shares of the trial's and
/// the reference's values in a bin. By custom below 0.1 is stable, above 0.25 a shift; both are no test (B. Yurdakul,
/// "Statistical properties of the population stability index", 2018: with n and m values it is about chi-squared with
/// bins - 1 degrees of freedom, times 1/n + 1/m).
///
/// Bins end at the quantiles 1/bins, 2/bins, … of the reference, as numpy.quantile gives them; equal ends make one bin,
/// and a value on an end belongs to the bin below it. A share of 0 counts as half a value.
/// NaN where a side is empty or a value is NaN. \param bins  at least 2; 10 is the custom
double population_stability(const std::vector<double>& reference, const std::vector<double>& trial, int bins);

}  // namespace mantissa::judge
