// SPDX-License-Identifier: Apache-2.0
#include "core/spec/table_reader.h"
#include "core/spec/units.h"

namespace mantissa::spec {

void read_budget(const Setting* table, Experiment& experiment) {
  const TableReader reader(table);
  if (const Setting* const deadline = reader.find("deadline")) {
    const std::string expected = "a time above 0 with its unit, such as \"8 h\" or \"30 min\"";
    if (deadline->kind != Setting::Kind::Text) refuse(*deadline, expected);
    experiment.budget.deadline_seconds = seconds_from_text(deadline->text);
    if (experiment.budget.deadline_seconds.value_or(0.0) <= 0.0) refuse(*deadline, expected);
  }
  reader.number("price_per_hour", experiment.budget.price_per_hour, range::not_negative);
}

}  // namespace mantissa::spec
