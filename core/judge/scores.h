// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mantissa::judge {

/// The area under the receiver operating characteristic: the probability that a case of class 1 has a higher score than
/// one of class 0, ties counting one half (Mann and Whitney; sklearn.metrics.roc_auc_score).
///
/// NaN where one of the classes never occurs or a score is NaN. Infinite scores are ordinary ends of the order.
/// \param is_one, scores  of one length
double area_under_roc(const std::vector<bool>& is_one, const std::vector<double>& scores);

/// The harmonic mean of precision and recall of one class: 2 TP / (2 TP + FP + FN). NaN where the class occurs neither
/// among truths nor among decisions, for which sklearn.metrics.f1_score says 0 with a warning.
/// \param truths, decisions  of one length
double f1_of_class(const std::vector<std::int64_t>& truths, const std::vector<std::int64_t>& decisions,
                   std::int64_t which);

/// The plain mean of `f1_of_class` over all classes that occur among truths or decisions:
/// sklearn.metrics.f1_score(average = "macro"). NaN without cases.
double macro_f1(const std::vector<std::int64_t>& truths, const std::vector<std::int64_t>& decisions);

/// The mean negative logarithm of the probability that each case gave to its own class: sklearn.metrics.log_loss, but
/// nothing is clipped: a probability of 0 for what happened is +infinity. NaN without cases, with a NaN, or with a
/// number outside 0 to 1, which is no probability and would lower the mean below what can be reached.
/// \param of_truth  a probability for each case
double log_loss(const std::vector<double>& of_truth);

}  // namespace mantissa::judge
