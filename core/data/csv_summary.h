// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa::data {

/// What one column of a file holds.
struct CsvColumnSummary {
  std::string name;
  std::string kind;  ///< "integer" (also written 2.0), "number", "text" (at least one cell), "empty" (all missing)
  double minimum = 0.0, maximum = 0.0;  ///< of the finite numbers; 0 where there are none
  std::int64_t missing = 0;             ///< empty, NA, N/A, n/a
  std::int64_t non_finite = 0;          ///< NaN and infinities, as words or beyond FP64
  std::int64_t distinct = 0;            ///< values, without missing and non-finite ones
  bool distinct_is_at_least = false;    ///< counting stopped at kMostDistinct
  std::int64_t beyond_float16 = 0;      ///< finite numbers of a magnitude above 65,504
};

constexpr std::int64_t kMostDistinct = 100'000;

struct CsvSummary {
  std::int64_t rows = 0;  ///< up to the first row that cannot be read
  bool header = false;
  std::vector<CsvColumnSummary> columns;
  std::vector<std::string> problems;  ///< sentences with line and column
};

/// Reads a whole file and says what stands in it; a row that cannot be read ends the summary with a problem.
/// \throws Error FileProblem, NotYetAvailable where there is nothing to read.
CsvSummary summarize_csv(const std::string& path);

}  // namespace mantissa::data
