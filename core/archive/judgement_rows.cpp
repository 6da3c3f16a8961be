// SPDX-License-Identifier: Apache-2.0
#include "core/archive/judgement_rows.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/archive/archive_file.h"
#include "core/archive/clock.h"
#include "core/archive/schema.h"
#include "core/archive/sqlite.h"
#include "core/archive/text_rows.h"
#include "core/archive/verdict_rows.h"
#include "core/base/error.h"

namespace mantissa::archive {
namespace {

constexpr char kInsertJudgement[] =
    "INSERT INTO judgements (trial, created_at, post_hoc, rules, rules_sha256, rules_file, verdict, scope_device, "
    "scope_cast_policy, target) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
constexpr char kInsertReason[] = "INSERT INTO judgement_reasons (judgement, position, reason) VALUES (?1, ?2, ?3)";
constexpr char kSelectJudgements[] =
    "SELECT id, created_at, post_hoc, rules, rules_sha256, rules_file, verdict, scope_device, scope_cast_policy, "
    "target "
    "FROM judgements WHERE trial = ?1 ORDER BY id";
// A stopped or interrupted run was undecided for having no end: that is no verdict to keep.
constexpr char kSelectOfRun[] =
    "SELECT experiments.rules, trials.attempted FROM trials JOIN experiments ON experiments.id = trials.experiment "
    "WHERE trials.id = ?1 AND trials.status IN ('finished', 'failed')";
constexpr char kSelectReasons[] = "SELECT reason FROM judgement_reasons WHERE judgement = ?1 ORDER BY position";

void require_trial(Connection& connection, const std::string& path, std::int64_t trial) {
  Statement select(connection, "SELECT 1 FROM trials WHERE id = ?1");
  select.bind(1, trial);
  if (select.step()) return;
  throw Error(ErrorKind::UnknownTrial, {"no such trial", path, 0, 0, "trial " + std::to_string(trial), "", "", ""});
}

/// Fills in the id.
void insert_judgement(Connection& connection, record::Judgement& judgement) {
  const record::Verdict& verdict = judgement.verdict;
  Statement(connection, kInsertJudgement)
      .bind(1, judgement.trial)
      .bind(2, std::string_view(judgement.created_at))
      .bind(3, judgement.post_hoc ? 1 : 0)
      .bind(4, std::string_view(judgement.rules))
      .bind(5, std::string_view(verdict.rules_sha256))
      .bind(6, std::string_view(judgement.rules_file))
      .bind(7, record::to_text(verdict.word))
      .bind(8, std::string_view(verdict.scope_device))
      .bind(9, std::string_view(verdict.scope_cast_policy))
      .bind(10, std::string_view(verdict.target))
      .run();
  judgement.id = connection.last_row();
  insert_list(connection, judgement.id, kInsertReason, verdict.reasons);
  insert_rule_verdicts(connection, RulesOf::Judgement, judgement.id, verdict.rules);
}

}  // namespace

void keep_judgement(const std::string& path, record::Judgement& judgement, std::chrono::milliseconds busy_timeout) {
  const std::unique_ptr<Connection> connection = open_for_writing(path, busy_timeout);
  Transaction transaction(*connection);
  require_trial(*connection, path, judgement.trial);
  judgement.created_at = utc_text(utc_now());
  insert_judgement(*connection, judgement);
  transaction.commit();
}

void keep_earlier_verdict(Connection& connection, std::int64_t trial, const std::string& now) {
  record::Judgement earlier;
  std::int64_t steps = 0;
  {
    Statement select(connection, kSelectOfRun);
    select.bind(1, trial);
    if (!select.step()) return;
    earlier.rules = select.text(0);
    steps = select.integer(1);
  }
  std::optional<record::Verdict> verdict = read_verdict(connection, trial);
  if (!verdict) return;
  earlier.trial = trial;
  earlier.created_at = now;
  earlier.verdict = std::move(*verdict);
  earlier.verdict.reasons.insert(earlier.verdict.reasons.begin(),
                                 "the verdict of the run after " + std::to_string(steps) + " steps, before it went on");
  insert_judgement(connection, earlier);
}

std::vector<record::Judgement> read_judgements(Connection& connection, std::int64_t trial) {
  std::vector<record::Judgement> judgements;
  if (!has_table(connection, "judgements")) return judgements;
  Statement select(connection, kSelectJudgements);
  select.bind(1, trial);
  while (select.step()) {
    record::Judgement& judgement = judgements.emplace_back();
    judgement.id = select.integer(0);
    judgement.trial = trial;
    judgement.created_at = select.text(1);
    judgement.post_hoc = select.integer(2) != 0;
    judgement.rules = select.text(3);
    judgement.rules_file = select.text(5);
    record::Verdict& verdict = judgement.verdict;
    verdict.rules_sha256 = select.text(4);
    verdict.word = record::verdict_word_from_text(select.text(6)).value_or(record::VerdictWord::Undecided);
    verdict.scope_device = select.text(7);
    verdict.scope_cast_policy = select.text(8);
    verdict.target = select.text(9);
    verdict.reasons = read_list(connection, judgement.id, kSelectReasons);
    verdict.rules = read_rule_verdicts(connection, RulesOf::Judgement, judgement.id);
    distrust_what_its_rules_contradict(verdict, select.text(6), verdict.rules_sha256);
  }
  return judgements;
}

}  // namespace mantissa::archive
