// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// How many cases deviate how much, in bins that are equally wide on a logarithmic axis. What has no logarithm, or is
/// not measured, is counted apart: nothing is left out.
struct DeviationBins {
  int perDecade = 20;
  std::int64_t first = 0;  ///< bin i reaches from 10^((first + i) / perDecade) to 10^((first + i + 1) / perDecade)
  std::vector<std::int64_t> counts;  ///< of positive finite deviations; empty: there are none
  std::int64_t zeros = 0;
  std::int64_t nonFinite = 0;
  std::int64_t notMeasured = 0;

  double from(std::size_t bin) const;
  double to(std::size_t bin) const { return from(bin + 1); }
  /// Of everything that was measured.
  std::int64_t cases() const;
  /// The highest bar.
  std::int64_t most() const;
};

/// \param mostBins  from 10 on; bins become wider until there are no more
DeviationBins binDeviations(const std::vector<CaseFacts>& cases, Side side, std::size_t mostBins = 120);

/// How many measured deviations are above a limit, or not finite.
std::int64_t beyond(const std::vector<CaseFacts>& cases, Side side, double limit);

}  // namespace mantissa::ui::verdict
