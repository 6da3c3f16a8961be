// SPDX-License-Identifier: Apache-2.0
#include "core/report/step_export.h"

#include <string>
#include <utility>
#include <vector>

namespace mantissa::report {
namespace {

std::vector<std::string> column_names(std::size_t optimizers) {
  std::vector<std::string> names = {
#define MANTISSA_NAME(name, type, description) #name,
      MANTISSA_STEP_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  };
  for (std::size_t i = 0; i < optimizers; ++i) {
    const std::string index = '[' + std::to_string(i) + ']';
#define MANTISSA_NAME(name, type, description) names.push_back(#name + index);
    MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  }
  return names;
}

void put_Count(TableWriter& table, std::int64_t value) { table.integer(value); }
void put_Flag(TableWriter& table, bool value) { table.flag(value); }
void put_Cause(TableWriter& table, record::SkipCause value) { table.text(record::to_text(value)); }
void put_Text(TableWriter& table, const std::string& value) { table.text(value); }
void put_Real(TableWriter& table, const std::optional<double>& value) { table.number(value); }
void put_OptionalCount(TableWriter& table, const std::optional<std::int64_t>& value) { table.integer(value); }

}  // namespace

StepExport::StepExport(TableFormat format, Sink sink) : format_(format), sink_(std::move(sink)) {}

TableWriter& StepExport::table(std::size_t optimizers) {
  if (!table_) table_.emplace(format_, column_names(optimizers), std::move(sink_));
  return *table_;
}

void StepExport::add(const record::StepRecord& step) {
  TableWriter& row = table(step.optimizers.size());
#define MANTISSA_PUT(name, type, description) put_##type(row, step.name);
  MANTISSA_STEP_COLUMNS(MANTISSA_PUT)
#undef MANTISSA_PUT
#define MANTISSA_PUT(name, type, description) put_##type(row, optimizer.name);
  for (const record::OptimizerStep& optimizer : step.optimizers) {
    MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_PUT)
  }
#undef MANTISSA_PUT
  row.end_row();
}

void StepExport::finish() { table(0).finish(); }

}  // namespace mantissa::report
