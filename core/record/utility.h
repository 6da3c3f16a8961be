// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::record {

/// The declared gains and losses of all decisions on some cases, summed.
struct UtilitySum {
  std::string slice;       ///< empty: all cases
  std::int64_t cases = 0;  ///< that have a truth, and so count
  double reference = 0.0;
  std::optional<double> same_weights, trained;  ///< nothing where a case lacks that output
};

/// Decision utility of one trial.
struct Utility {
  std::string unit;              ///< as the experiment names it; empty: none
  std::vector<UtilitySum> sums;  ///< all cases first, then each slice by name
};

}  // namespace mantissa::record
