// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_summary.h"
#include "core/session/inspect.h"

namespace mantissa::session {

InspectedData inspect_csv(const std::string& path) {
  const data::CsvSummary summary = data::summarize_csv(path);
  InspectedData inspected;
  inspected.rows = summary.rows;
  inspected.header = summary.header;
  inspected.problems = summary.problems;
  for (const data::CsvColumnSummary& column : summary.columns) {
    inspected.columns.push_back({column.name, column.kind, column.minimum, column.maximum, column.missing,
                                 column.non_finite, column.distinct, column.beyond_float16 > 0});
  }
  return inspected;
}

}  // namespace mantissa::session
