// SPDX-License-Identifier: Apache-2.0
#include "core/archive/outcome_rows.h"

#include <memory>
#include <string_view>

#include "core/archive/archive_file.h"
#include "core/archive/clock.h"
#include "core/archive/schema.h"
#include "core/archive/sqlite.h"

namespace mantissa::archive {
namespace {

constexpr char kInsert[] =
    "INSERT INTO outcomes (trial, position, case_id, outcome, received_at, cases_sha256) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
constexpr char kDeleteOfOtherSets[] = "DELETE FROM outcomes WHERE trial = ?1 AND cases_sha256 <> ?2";
constexpr char kSelect[] =
    "SELECT position, case_id, outcome, received_at, cases_sha256 FROM outcomes WHERE trial = ?1 ORDER BY position";

}  // namespace

void keep_outcomes(const std::string& path, std::int64_t trial, const std::string& cases_sha256,
                   std::vector<record::CaseOutcome>& outcomes, std::chrono::milliseconds busy_timeout) {
  const std::unique_ptr<Connection> connection = open_for_writing(path, busy_timeout);
  Transaction transaction(*connection);
  const std::string now = utc_text(utc_now());
  Statement(*connection, kDeleteOfOtherSets).bind(1, trial).bind(2, std::string_view(cases_sha256)).run();
  Statement insert(*connection, kInsert);
  for (record::CaseOutcome& one : outcomes) {
    if (one.received_at.empty()) one.received_at = now;
    insert.bind(1, trial)
        .bind(2, one.position)
        .bind(3, std::string_view(one.id))
        .bind(4, one.outcome)
        .bind(5, std::string_view(one.received_at))
        .bind(6, std::string_view(one.cases_sha256))
        .run();
  }
  transaction.commit();
}

std::vector<record::CaseOutcome> read_outcomes(Connection& connection, std::int64_t trial) {
  std::vector<record::CaseOutcome> outcomes;
  if (!has_table(connection, "outcomes")) return outcomes;
  Statement select(connection, kSelect);
  select.bind(1, trial);
  while (select.step()) {
    outcomes.push_back({select.integer(0), select.text(1), select.real(2), select.text(3), select.text(4)});
  }
  return outcomes;
}

}  // namespace mantissa::archive
