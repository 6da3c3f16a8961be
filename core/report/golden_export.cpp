// SPDX-License-Identifier: Apache-2.0
#include "core/report/golden_export.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace mantissa::report {
namespace {

void add_names(std::vector<std::string>& names, const std::string& column, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) names.push_back(column + '[' + std::to_string(i) + ']');
}

void put(TableWriter& table, const std::vector<double>& values, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) {
    if (i < values.size()) {
      table.number(values[i]);
    } else {
      table.missing();
    }
  }
}

}  // namespace

std::int64_t export_golden(TableFormat format, const std::vector<record::CaseRow>& cases, const Sink& sink) {
  std::size_t targets = 1;
  std::size_t outputs = 0;
  for (const record::CaseRow& row : cases) {
    if (!row.golden) continue;
    targets = std::max(targets, row.target.size());
    outputs =
        std::max({outputs, row.golden->reference.size(), row.golden->trained.size(), row.golden->same_weights.size()});
  }
  std::vector<std::string> names = {"case", "kind", "slice"};
  if (targets == 1) {
    names.emplace_back("target");
  } else {
    add_names(names, "target", targets);
  }
  for (const char* const column : {"output_reference", "output_same_weights", "output"}) {
    add_names(names, column, outputs);
  }

  TableWriter table(format, names, sink);
  std::int64_t count = 0;
  for (const record::CaseRow& row : cases) {
    if (!row.golden) continue;
    table.text(row.id);
    table.text(record::to_text(row.kind));
    table.text(row.slice);
    put(table, row.target, targets);
    put(table, row.golden->reference, outputs);
    put(table, row.golden->same_weights, outputs);
    put(table, row.golden->trained, outputs);
    table.end_row();
    ++count;
  }
  table.finish();
  return count;
}

}  // namespace mantissa::report
