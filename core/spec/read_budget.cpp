// SPDX-License-Identifier: Apache-2.0
#include "core/spec/table_reader.h"
#include "core/spec/units.h"

namespace mantissa::spec {
namespace {

std::optional<std::int64_t> size_value(const TableReader& reader, const char* key) {
  const Setting* const setting = reader.find(key);
  if (setting == nullptr) return std::nullopt;
  const std::string expected = "a size above 0 with its unit, such as \"24 GB\" or \"24 GiB\"";
  if (setting->kind != Setting::Kind::Text) refuse(*setting, expected);
  const std::optional<std::int64_t> bytes = bytes_from_text(setting->text);
  if (bytes.value_or(0) <= 0) refuse(*setting, expected);
  return bytes;
}

}  // namespace

void read_budget(const Setting* table, Experiment& experiment) {
  const TableReader reader(table);
  if (const Setting* const deadline = reader.find("deadline")) {
    const std::string expected = "a time above 0 with its unit, such as \"8 h\" or \"30 min\"";
    if (deadline->kind != Setting::Kind::Text) refuse(*deadline, expected);
    experiment.budget.deadline_seconds = seconds_from_text(deadline->text);
    if (experiment.budget.deadline_seconds.value_or(0.0) <= 0.0) refuse(*deadline, expected);
  }
  reader.number("price_per_hour", experiment.budget.price_per_hour, range::not_negative);
  experiment.budget.device_memory_bytes = size_value(reader, "device_memory");
  experiment.budget.growth_limit_bytes = size_value(reader, "growth_limit");
  reader.number("reserve", experiment.budget.reserve, range::share_below_one);
}

}  // namespace mantissa::spec
