// SPDX-License-Identifier: Apache-2.0
#include "core/report/step_export.h"

#include <utility>

namespace mantissa::report {
namespace {

std::vector<std::string> column_names() {
  return {
#define MANTISSA_NAME(name, type, description) #name,
      MANTISSA_STEP_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  };
}

void put_Count(TableWriter& table, std::int64_t value) { table.integer(value); }
void put_Flag(TableWriter& table, bool value) { table.flag(value); }
void put_Cause(TableWriter& table, record::SkipCause value) { table.text(record::to_text(value)); }
void put_Text(TableWriter& table, const std::string& value) { table.text(value); }
void put_Real(TableWriter& table, const std::optional<double>& value) { table.number(value); }
void put_OptionalCount(TableWriter& table, const std::optional<std::int64_t>& value) { table.integer(value); }

}  // namespace

StepExport::StepExport(TableFormat format, Sink sink) : table_(format, column_names(), std::move(sink)) {}

void StepExport::add(const record::StepRecord& step) {
#define MANTISSA_PUT(name, type, description) put_##type(table_, step.name);
  MANTISSA_STEP_COLUMNS(MANTISSA_PUT)
#undef MANTISSA_PUT
  table_.end_row();
}

}  // namespace mantissa::report
