// SPDX-License-Identifier: Apache-2.0
#include "core/judge/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace mantissa::judge {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double area_under_roc(const std::vector<bool>& is_one, const std::vector<double>& scores) {
  if (std::any_of(scores.begin(), scores.end(), [](double score) { return std::isnan(score); })) return kNaN;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });

  // Twice the number of pairs won, so that half a win of a tie stays a whole number.
  std::uint64_t twice_won = 0;
  std::uint64_t zeros_below = 0;
  std::uint64_t ones = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    std::uint64_t ones_here = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      ones_here += is_one[order[end]] ? 1 : 0;
    const std::uint64_t zeros_here = end - begin - ones_here;
    twice_won += ones_here * (2 * zeros_below + zeros_here);
    zeros_below += zeros_here;
    ones += ones_here;
    begin = end;
  }
  if (ones == 0 || zeros_below == 0) return kNaN;
  return static_cast<double>(twice_won) / 2.0 / (static_cast<double>(ones) * static_cast<double>(zeros_below));
}

double f1_of_class(const std::vector<std::int64_t>& truths, const std::vector<std::int64_t>& decisions,
                   std::int64_t which) {
  std::int64_t both = 0;
  std::int64_t either = 0;  // each side counts: 2 TP + FP + FN
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const bool is_true = truths[i] == which;
    const bool is_decided = decisions[i] == which;
    both += is_true && is_decided ? 1 : 0;
    either += (is_true ? 1 : 0) + (is_decided ? 1 : 0);
  }
  if (either == 0) return kNaN;
  return 2.0 * static_cast<double>(both) / static_cast<double>(either);
}

double macro_f1(const std::vector<std::int64_t>& truths, const std::vector<std::int64_t>& decisions) {
  std::set<std::int64_t> classes(truths.begin(), truths.end());
  classes.insert(decisions.begin(), decisions.end());
  double sum = 0.0;
  for (const std::int64_t one : classes) sum += f1_of_class(truths, decisions, one);
  return classes.empty() ? kNaN : sum / static_cast<double>(classes.size());
}

double log_loss(const std::vector<double>& of_truth) {
  double sum = 0.0;
  for (const double probability : of_truth) {
    if (!(probability >= 0.0 && probability <= 1.0)) return kNaN;
    sum -= std::log(probability);
  }
  return of_truth.empty() ? kNaN : sum / static_cast<double>(of_truth.size());
}

}  // namespace mantissa::judge
