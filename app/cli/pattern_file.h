// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mantissa::cli {

/// Overflows per step and optimizer, as a pattern file states them.
struct Pattern {
  std::vector<std::vector<bool>> found_inf;  ///< [step][optimizer]
  bool indexed = false;                      ///< columns found_inf[0], found_inf[1], … instead of found_inf
};

/// Reads a CSV file with a header and a column `found_inf`, or `found_inf[0]`, `found_inf[1]` …; cells are 0, 1, true
/// or false, other columns are left alone. \throws Error FileProblem, DataProblem with line and column.
Pattern read_pattern(const std::string& path);

/// The same from a text; `path` is the name in messages.
Pattern parse_pattern(const std::string& text, const std::string& path);

}  // namespace mantissa::cli
