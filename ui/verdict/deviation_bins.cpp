// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/deviation_bins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mantissa::ui::verdict {
namespace {

/// The bin of a positive finite number.
std::int64_t binOf(double value, int perDecade) {
  return static_cast<std::int64_t>(std::floor(std::log10(value) * perDecade));
}

}  // namespace

double DeviationBins::from(std::size_t bin) const {
  return std::pow(10.0, static_cast<double>(first + static_cast<std::int64_t>(bin)) / perDecade);
}

std::int64_t DeviationBins::cases() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) + zeros + nonFinite;
}

std::int64_t DeviationBins::most() const {
  const std::int64_t highest = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  return std::max({highest, zeros, nonFinite});
}

DeviationBins binDeviations(const std::vector<CaseFacts>& cases, Side side, std::size_t mostBins) {
  DeviationBins bins;
  std::vector<double> positive;
  for (const CaseFacts& one : cases) {
    const CaseSide& compared = one.side(side);
    if (!compared.isMeasured) {
      ++bins.notMeasured;
    } else if (!std::isfinite(compared.relative)) {
      ++bins.nonFinite;
    } else if (compared.relative <= 0) {
      ++bins.zeros;
    } else {
      positive.push_back(compared.relative);
    }
  }
  if (positive.empty()) return bins;
  const auto [least, largest] = std::minmax_element(positive.begin(), positive.end());
  for (const int perDecade : {20, 10, 5, 2, 1}) {
    bins.perDecade = perDecade;
    bins.first = binOf(*least, perDecade);
    const auto count = static_cast<std::size_t>(binOf(*largest, perDecade) - bins.first + 1);
    bins.counts.assign(count, 0);
    if (count <= mostBins) break;
  }
  for (const double value : positive)
    ++bins.counts[static_cast<std::size_t>(binOf(value, bins.perDecade) - bins.first)];
  return bins;
}

std::int64_t beyond(const std::vector<CaseFacts>& cases, Side side, double limit) {
  return std::count_if(cases.begin(), cases.end(), [side, limit](const CaseFacts& one) {
    const CaseSide& compared = one.side(side);
    return compared.isMeasured && !(compared.relative <= limit);  // NaN is beyond every limit
  });
}

}  // namespace mantissa::ui::verdict
