// SPDX-License-Identifier: Apache-2.0
#include "core/archive/case_set_rows.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/archive/schema.h"
#include "core/archive/schema_upgrade.h"
#include "core/archive/value_bytes.h"

namespace mantissa::archive {
namespace {

constexpr char kReplaceSet[] =
    "INSERT OR REPLACE INTO case_sets (experiment, sha256, cases, frozen_at, taken_from) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char kSelectSet[] = "SELECT sha256, cases, frozen_at, taken_from FROM case_sets WHERE experiment = ?1";
constexpr char kInsertGolden[] =
    "INSERT INTO golden_outputs (trial, position, output_reference, output, output_same_weights) "
    "VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char kSelectGolden[] =
    "SELECT position, output_reference, output, output_same_weights FROM golden_outputs WHERE trial = ?1";
constexpr char kInsertOther[] =
    "INSERT INTO other_outputs (trial, position, selector, output_reference, output, output_same_weights) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
constexpr char kSelectOther[] =
    "SELECT position, selector, output_reference, output, output_same_weights FROM other_outputs WHERE trial = ?1 "
    "ORDER BY position, selector";

}  // namespace

void replace_case_set(Connection& connection, std::int64_t experiment, const record::CaseSet& set, UtcTime now) {
  const std::string frozen_at = utc_text(now);
  Statement replace(connection, kReplaceSet);
  replace.bind(1, experiment)
      .bind(2, std::string_view(set.sha256))
      .bind(3, set.cases)
      .bind(4, std::string_view(frozen_at));
  if (set.taken_from != 0) {
    replace.bind(5, set.taken_from);
  } else {
    replace.bind_null(5);
  }
  replace.run();
}

std::optional<record::CaseSet> read_case_set(Connection& connection, std::int64_t experiment) {
  if (!has_table(connection, "case_sets")) return std::nullopt;
  Statement select(connection, kSelectSet);
  select.bind(1, experiment);
  if (!select.step()) return std::nullopt;
  return record::CaseSet{select.text(0), select.integer(1), select.text(2), select.optional_integer(3).value_or(0)};
}

void replace_golden_outputs(Connection& connection, std::int64_t trial, const std::vector<record::CaseRow>& cases) {
  Statement(connection, "DELETE FROM golden_outputs WHERE trial = ?1").bind(1, trial).run();
  Statement insert(connection, kInsertGolden);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].golden) continue;
    const std::string reference = bytes_of(cases[i].golden->reference);
    const std::string trained = bytes_of(cases[i].golden->trained);
    const std::string same_weights = bytes_of(cases[i].golden->same_weights);
    insert.bind(1, trial)
        .bind(2, static_cast<std::int64_t>(i))
        .bind_bytes(3, reference)
        .bind_bytes(4, trained)
        .bind_bytes(5, same_weights)
        .run();
  }
}

void read_golden_outputs(Connection& connection, std::int64_t trial, std::vector<record::CaseRow>& cases) {
  if (!has_table(connection, "golden_outputs")) return;
  Statement select(connection, kSelectGolden);
  select.bind(1, trial);
  while (select.step()) {
    const auto position = static_cast<std::size_t>(select.integer(0));
    if (position >= cases.size()) continue;
    cases[position].golden =
        record::GoldenOutputs{values_of(select.bytes(1)), values_of(select.bytes(2)), values_of(select.bytes(3))};
  }
}

void remove_other_outputs(Connection& connection, std::int64_t trial) {
  if (!has_table(connection, "other_outputs")) return;
  Statement(connection, "DELETE FROM other_outputs WHERE trial = ?1").bind(1, trial).run();
}

void insert_other_outputs(Connection& connection, std::int64_t trial, const std::vector<record::CaseRow>& cases,
                          std::size_t first, std::size_t last) {
  const auto has_some = [](const record::CaseRow& row) { return !row.other_outputs.empty(); };
  if (std::none_of(cases.begin() + static_cast<std::ptrdiff_t>(first),
                   cases.begin() + static_cast<std::ptrdiff_t>(last), has_some))
    return;
  add_table(connection, "other_outputs");
  Statement insert(connection, kInsertOther);
  for (std::size_t i = first; i < last; ++i) {
    for (const record::OtherOutput& other : cases[i].other_outputs) {
      const std::string reference = bytes_of(other.reference);
      const std::string trained = bytes_of(other.trained);
      const std::string same_weights = bytes_of(other.same_weights);
      insert.bind(1, trial)
          .bind(2, static_cast<std::int64_t>(i))
          .bind(3, std::string_view(other.selector))
          .bind_bytes(4, reference)
          .bind_bytes(5, trained)
          .bind_bytes(6, same_weights)
          .run();
    }
  }
}

void read_other_outputs(Connection& connection, std::int64_t trial, std::vector<record::CaseRow>& cases) {
  if (!has_table(connection, "other_outputs")) return;
  Statement select(connection, kSelectOther);
  select.bind(1, trial);
  while (select.step()) {
    const auto position = static_cast<std::size_t>(select.integer(0));
    if (position >= cases.size()) continue;
    cases[position].other_outputs.push_back(
        {select.text(1), values_of(select.bytes(2)), values_of(select.bytes(3)), values_of(select.bytes(4))});
  }
}

}  // namespace mantissa::archive
