// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::record {

/// What turned out to be right for one frozen case, after the verdict.
struct CaseOutcome {
  std::int64_t position = 0;  ///< of the case in the frozen set that it was joined with, from 0
  std::string id;             ///< of the case
  double outcome = 0.0;       ///< class index, or the target in its own unit
  std::string received_at;    ///< UTC, ISO 8601
  std::string cases_sha256;   ///< of the frozen set that it was joined with
};

/// The quality that the outcomes give, beside the verdict, which it never changes.
struct MatureQuality {
  std::int64_t cases = 0;     ///< of the frozen set
  std::int64_t outcomes = 0;  ///< cases of which the outcome is known
  /// Outcomes of cases that left the frozen set when it was chosen again after a resumed run: kept, and not counted.
  std::int64_t set_aside = 0;
  std::string metric;  ///< accuracy or rmse
  std::optional<double> quality_reference, quality, quality_same_weights;
  std::string received_at;   ///< of the last ones
  std::string cases_sha256;  ///< of the frozen set as it is now
};

}  // namespace mantissa::record
