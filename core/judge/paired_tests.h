// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa::judge {

/// McNemar's test, exact and two-sided: the probability that of the cases on which only one side is right, the split
/// between the sides is as uneven as this or more so, where each falls to either side with probability one half
/// (scipy.stats.binomtest(one, one + other, 0.5).pvalue). 1 where there is no such case.
/// \param only_reference, only_trial  cases that only this side has right, from 0
double mcnemar(std::int64_t only_reference, std::int64_t only_trial);

/// Whether a trial is worse than its reference by no more than a margin, over runs that differ in their seed alone.
struct NonInferiority {
  double mean_difference = 0.0;  ///< trial less reference, above 0 where the trial is better
  double lower_bound = 0.0;      ///< of that mean, one-sided, at the confidence 1 - alpha
  double p_value = 1.0;          ///< of "worse by the margin or more": small is evidence against it
  bool shown = false;            ///< lower_bound > -margin
};

/// By Student's t test of the paired differences, one-sided against "the mean is -margin or less":
/// scipy.stats.ttest_1samp(differences, -margin, alternative = "greater"). It assumes differences that are roughly
/// normal; with equal differences the bound is their mean and p is 0 or 1.
/// \param differences  by seed, trial less reference with the better side up: at least 2, finite
/// \param margin  at least 0. \param alpha  above 0 and below 0.5
NonInferiority non_inferiority_by_t(const std::vector<double>& differences, double margin, double alpha);

/// The same by the bootstrap: pairs are drawn again with replacement, the bound is the quantile alpha of the means
/// (numpy.quantile), p the share of means at -margin or below. It assumes no form of distribution, and says little with
/// few seeds, where it is too hopeful: with 5 the smallest p is (1/5)^5.
///
/// Up to 7 differences all ways to draw are taken, which leaves nothing to chance; beyond that 100,000 ways drawn by a
/// generator with a fixed seed, which moves the bound by about a hundredth of its distance from the mean.
NonInferiority non_inferiority_by_bootstrap(const std::vector<double>& differences, double margin, double alpha);

}  // namespace mantissa::judge
