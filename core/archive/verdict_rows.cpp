// SPDX-License-Identifier: Apache-2.0
#include "core/archive/verdict_rows.h"

#include <algorithm>
#include <string_view>

#include "core/archive/real_states.h"
#include "core/archive/schema.h"
#include "core/archive/sqlite.h"
#include "core/archive/text_rows.h"
#include "core/base/error.h"
#include "core/base/sha256.h"

namespace mantissa::archive {
namespace {

constexpr char kSelectVerdict[] =
    "SELECT verdicts.verdict, scope_device, scope_cast_policy, target, verdicts.rules_sha256, experiments.rules_sha256 "
    "FROM verdicts JOIN trials ON trials.id = verdicts.trial JOIN experiments ON experiments.id = trials.experiment "
    "WHERE verdicts.trial = ?1";
constexpr char kSelectReasons[] = "SELECT reason FROM verdict_reasons WHERE trial = ?1 ORDER BY position";
constexpr char kInsertVerdict[] =
    "INSERT INTO verdicts (trial, verdict, scope_device, scope_cast_policy, target, rules_sha256) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
constexpr char kInsertReason[] = "INSERT INTO verdict_reasons (trial, position, reason) VALUES (?1, ?2, ?3)";
std::string select_rules_sql(RulesOf of) {
  const std::string from = of == RulesOf::Verdict ? "rule_verdicts WHERE trial" : "judgement_rules WHERE judgement";
  return "SELECT name, verdict, compared, limit_text, limit_value, value, states, unit, cases, reason FROM " + from +
         " = ?1 ORDER BY position";
}

std::string insert_rule_sql(RulesOf of) {
  const std::string into = of == RulesOf::Verdict ? "rule_verdicts (trial" : "judgement_rules (judgement";
  return "INSERT INTO " + into +
         ", position, name, verdict, compared, limit_text, limit_value, value, states, unit, cases, reason) "
         "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
}

}  // namespace

void insert_verdict(Connection& connection, std::int64_t trial, const record::Verdict& verdict) {
  Statement(connection, kInsertVerdict)
      .bind(1, trial)
      .bind(2, record::to_text(verdict.word))
      .bind(3, std::string_view(verdict.scope_device))
      .bind(4, std::string_view(verdict.scope_cast_policy))
      .bind(5, std::string_view(verdict.target))
      .bind(6, std::string_view(verdict.rules_sha256))
      .run();
  insert_list(connection, trial, kInsertReason, verdict.reasons);
  insert_rule_verdicts(connection, RulesOf::Verdict, trial, verdict.rules);
}

void insert_rule_verdicts(Connection& connection, RulesOf of, std::int64_t owner,
                          const std::vector<record::RuleVerdict>& rules) {
  Statement insert(connection, insert_rule_sql(of));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const record::RuleVerdict& rule = rules[i];
    RealWriter reals;
    reals.bind(insert, 7, rule.limit_value);
    reals.bind(insert, 8, rule.value);
    insert.bind(1, owner)
        .bind(2, static_cast<std::int64_t>(i))
        .bind(3, std::string_view(rule.name))
        .bind(4, record::to_text(rule.verdict))
        .bind(5, std::string_view(rule.of))
        .bind(6, std::string_view(rule.limit))
        .bind(9, reals.states())
        .bind(10, std::string_view(rule.unit))
        .bind(11, rule.cases)
        .bind(12, std::string_view(rule.reason))
        .run();
  }
}

std::optional<record::Verdict> read_verdict(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectVerdict);
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  record::Verdict verdict;
  verdict.word = record::verdict_word_from_text(select.text(0)).value_or(record::VerdictWord::Undecided);
  verdict.scope_device = select.text(1);
  verdict.scope_cast_policy = select.text(2);
  verdict.target = select.text(3);
  verdict.rules_sha256 = select.text(4);
  verdict.reasons = read_list(connection, trial, kSelectReasons);
  verdict.rules = read_rule_verdicts(connection, RulesOf::Verdict, trial);
  distrust_what_its_rules_contradict(verdict, select.text(0), select.text(5));
  return verdict;
}

void distrust_what_its_rules_contradict(record::Verdict& verdict, const std::string& word,
                                        const std::string& rules_sha256) {
  const auto any = [&verdict](record::VerdictWord of_rule) {
    return std::any_of(verdict.rules.begin(), verdict.rules.end(),
                       [of_rule](const record::RuleVerdict& rule) { return rule.verdict == of_rule; });
  };
  const bool has_rejected = any(record::VerdictWord::Rejected);
  std::string problem;
  if (!record::verdict_word_from_text(word)) {
    problem = "'" + word + "' is no verdict";
  } else if (verdict.rules_sha256 != rules_sha256) {
    problem = "it was reached by rules of another hash than those fixed before the run";
  } else if (has_rejected != (verdict.word == record::VerdictWord::Rejected)) {
    problem = has_rejected ? "a rule beside it is rejected" : "no rule beside it is rejected";
  } else if (verdict.word == record::VerdictWord::Accepted && any(record::VerdictWord::Undecided)) {
    problem = "a rule beside it is undecided";
  }
  if (problem.empty()) return;
  verdict.reasons.insert(verdict.reasons.begin(), "the archive was changed after the verdict: it says '" + word +
                                                      "', and " + problem + "; judge the trial again");
  verdict.word = has_rejected ? record::VerdictWord::Rejected : record::VerdictWord::Undecided;
}

std::vector<record::RuleVerdict> read_rule_verdicts(Connection& connection, RulesOf of, std::int64_t owner) {
  std::vector<record::RuleVerdict> verdicts;
  Statement rules(connection, select_rules_sql(of));
  rules.bind(1, owner);
  while (rules.step()) {
    record::RuleVerdict& rule = verdicts.emplace_back();
    RealReader reals(rules.integer(6));
    rule.name = rules.text(0);
    rule.verdict = record::verdict_word_from_text(rules.text(1)).value_or(record::VerdictWord::Undecided);
    rule.of = rules.text(2);
    rule.limit = rules.text(3);
    rule.limit_value = reals.read(rules, 4);
    rule.value = reals.read(rules, 5);
    rule.unit = rules.text(7);
    rule.cases = rules.integer(8);
    rule.reason = rules.text(9);
  }
  return verdicts;
}

void replace_evidence(Connection& connection, std::int64_t trial, const std::string& evidence) {
  Statement(connection, "DELETE FROM trial_evidence WHERE trial = ?1").bind(1, trial).run();
  if (evidence.empty()) return;
  const std::string hash = sha256(evidence);
  Statement(connection, "INSERT INTO trial_evidence (trial, evidence, sha256) VALUES (?1, ?2, ?3)")
      .bind(1, trial)
      .bind(2, std::string_view(evidence))
      .bind(3, std::string_view(hash))
      .run();
}

std::optional<std::string> read_evidence(Connection& connection, std::int64_t trial) {
  if (!has_table(connection, "trial_evidence")) return std::nullopt;
  Statement select(connection, "SELECT evidence, sha256 FROM trial_evidence WHERE trial = ?1");
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  if (sha256(select.text(0)) != select.text(1)) {
    throw Error(ErrorKind::ArchiveDamaged, {"the evidence on a trial is not what its run wrote", connection.path(), 0,
                                            0, "table trial_evidence, trial " + std::to_string(trial),
                                            sha256(select.text(0)), select.text(1), "Use a backup"});
  }
  return select.text(0);
}

}  // namespace mantissa::archive
