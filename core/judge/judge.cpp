// SPDX-License-Identifier: Apache-2.0
#include "core/judge/judge.h"

#include <algorithm>
#include <utility>

#include "core/judge/case_evidence.h"
#include "core/judge/rules.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::RuleVerdict;
using record::VerdictWord;

/// Something that leaves every rule undecided, whatever it found.
struct Obstacle {
  std::string sentence;   ///< for the reasons of the verdict
  std::string in_a_rule;  ///< short, behind what a rule found
};

std::string device_kind(const std::string& device) { return device.substr(0, device.find(':')); }  // "cuda:1" is cuda

bool has_ended(const Evidence& evidence) {
  return evidence.status == record::Status::Finished || evidence.status == record::Status::Failed;
}

/// What the reference lacks; stops of the run as a whole are the trial's own obstacle.
void add_reference_obstacles(std::vector<Obstacle>& obstacles, const Evidence& evidence) {
  if (!evidence.reference_finished && has_ended(evidence)) {
    const std::string why = evidence.reference_failure_text.empty() ? "" : ": " + evidence.reference_failure_text;
    obstacles.push_back({"the reference itself failed, look there first" + why, "the reference itself failed"});
  }
  std::vector<std::string> non_finite = evidence.non_finite_reference;
  const std::vector<std::string> cases = non_finite_reference_cases(evidence);
  if (!cases.empty()) {
    non_finite.push_back("output of " + count(static_cast<std::int64_t>(cases.size()), "case") + " (" +
                         first_three(cases) + ')');
  }
  for (const std::string& other : other_outputs(evidence)) {
    const std::vector<std::string> broken = non_finite_reference_cases(on_output(evidence, other));
    if (broken.empty()) continue;
    non_finite.push_back(other + " of " + count(static_cast<std::int64_t>(broken.size()), "case") + " (" +
                         first_three(broken) + ')');
  }
  if (!non_finite.empty()) {
    obstacles.push_back({"the reference itself is non-finite, look there first: " + first_three(non_finite),
                         "the reference itself is non-finite"});
  }
}

std::vector<Obstacle> obstacles_of(const std::optional<spec::Rules>& rules, const Evidence& evidence) {
  std::vector<Obstacle> obstacles;
  add_reference_obstacles(obstacles, evidence);
  if (!has_ended(evidence)) obstacles.push_back({judge_end(evidence).reason, "the trial has no end"});
  if (rules && rules->target != "as-run" && rules->target != device_kind(evidence.device)) {
    obstacles.push_back({"the rules ask for a verdict on " + rules->target + " and the trial ran on " +
                             evidence.device + " (cast policy " + evidence.cast_policy + "): a run on " +
                             rules->target + " is missing",
                         "a run on " + rules->target + " is missing"});
  }
  return obstacles;
}

void append(std::vector<RuleVerdict>& rules, std::vector<RuleVerdict> more) {
  for (RuleVerdict& rule : more) rules.push_back(std::move(rule));
}

std::vector<RuleVerdict> apply_rules(const std::optional<spec::Rules>& rules, const Evidence& evidence) {
  std::vector<RuleVerdict> verdicts;
  const bool non_finite_says_it = evidence.status == record::Status::Failed && evidence.failure == "non-finite";
  if (evidence.status != record::Status::Finished && !non_finite_says_it) verdicts.push_back(judge_end(evidence));
  const std::vector<spec::NonFiniteException> none;
  verdicts.push_back(judge_non_finite(rules ? rules->exceptions : none, evidence));
  if (evidence.gradients_all_zero || evidence.weights_unchanged) verdicts.push_back(judge_underflow(evidence));
  if (!rules) return verdicts;
  for (const spec::OutputRule& rule : rules->output) verdicts.push_back(judge_output(rule, evidence));
  const bool flips_apply = !rules->flips_from_preset || evidence.decision.kind != DecisionKind::None;
  if (rules->flips && flips_apply) append(verdicts, judge_flips(*rules->flips, evidence));
  for (const spec::QualityRule& rule : rules->quality) {
    const bool has_limit = rule.min || rule.max || rule.max_drop || rule.max_drop_relative;
    if (has_limit || !rule.non_inferior) verdicts.push_back(judge_quality(rule, evidence));
    if (rule.non_inferior) verdicts.push_back(judge_non_inferiority(rule, evidence));
  }
  for (const spec::DistributionRule& rule : rules->distribution) verdicts.push_back(judge_distribution(rule, evidence));
  if (rules->utility) verdicts.push_back(judge_utility(*rules->utility, evidence));
  if (rules->progress) append(verdicts, judge_progress(*rules->progress, evidence));
  for (const spec::CostRule& rule : rules->cost) append(verdicts, judge_cost(rule, evidence));
  return verdicts;
}

bool any(const std::vector<RuleVerdict>& rules, VerdictWord word) {
  for (const RuleVerdict& rule : rules) {
    if (rule.verdict == word) return true;
  }
  return false;
}

void add_reasons(std::vector<std::string>& reasons, const std::vector<RuleVerdict>& rules, VerdictWord word) {
  for (const RuleVerdict& rule : rules) {
    if (rule.verdict != word) continue;
    if (std::find(reasons.begin(), reasons.end(), rule.reason) == reasons.end()) reasons.push_back(rule.reason);
  }
}

/// Nothing can be decided: the obstacles first, then what speaks against the trial all the same.
void leave_undecided(record::Verdict& verdict, const std::vector<Obstacle>& obstacles) {
  verdict.word = VerdictWord::Undecided;
  for (const Obstacle& obstacle : obstacles) verdict.reasons.push_back(obstacle.sentence);
  const auto is_said = [&obstacles](const std::string& reason) {
    return std::any_of(obstacles.begin(), obstacles.end(), [&reason](const Obstacle& obstacle) {
      return obstacle.sentence.find(reason) != std::string::npos;
    });
  };
  for (RuleVerdict& rule : verdict.rules) {
    if (rule.verdict == VerdictWord::Rejected) {
      verdict.reasons.push_back("seen in this trial: " + (is_said(rule.reason) ? "the same" : rule.reason));
    }
    if (rule.verdict != VerdictWord::Undecided) rule.reason += " (undecided: " + obstacles.front().in_a_rule + ')';
    rule.verdict = VerdictWord::Undecided;
  }
}

void decide_by_worst_rule(record::Verdict& verdict, const std::optional<spec::Rules>& rules) {
  const bool limits_anything = rules && rules->limits_anything();
  const bool states_a_rule = limits_anything || (rules && rules->non_finite_given);
  if (any(verdict.rules, VerdictWord::Rejected)) {
    verdict.word = VerdictWord::Rejected;
    add_reasons(verdict.reasons, verdict.rules, VerdictWord::Rejected);
    add_reasons(verdict.reasons, verdict.rules, VerdictWord::Undecided);
  } else if (!states_a_rule) {
    verdict.word = VerdictWord::Undecided;
    verdict.reasons.emplace_back(rules ? "the rules that were fixed before the run state no rule"
                                       : "no rules were fixed before the run");
  } else if (any(verdict.rules, VerdictWord::Undecided)) {
    verdict.word = VerdictWord::Undecided;
    add_reasons(verdict.reasons, verdict.rules, VerdictWord::Undecided);
  } else {
    verdict.word = VerdictWord::Accepted;
    const auto number = static_cast<std::int64_t>(verdict.rules.size());
    verdict.reasons.push_back(number == 1 ? "the 1 rule holds" : "all " + count(number, "rule") + " hold");
    if (!limits_anything) {
      verdict.reasons.emplace_back(
          "only finiteness was judged: the rules limit neither outputs, decisions nor quality");
    }
  }
}

/// Outputs and limits by dtype belong to the policy under which the trial ended.
Evidence under_its_last_policy(Evidence evidence) {
  if (evidence.policy_changes.empty()) return evidence;
  evidence.autocast = evidence.policy_changes.back().autocast;
  evidence.cast_policy = evidence.policy_changes.back().cast_policy;
  return evidence;
}

/// What is judged is not the policy that the trial began with: an accepted one must say so first.
void add_policy_changes(record::Verdict& verdict, const Evidence& evidence) {
  std::vector<std::string> changes;
  for (const record::PolicyChange& change : evidence.policy_changes) {
    changes.push_back("from step " + count(change.step) + " on the trial ran under the policy of " + change.trial +
                      " (autocast " + change.autocast + "), so the verdict is not on the policy it began with");
  }
  const bool first = verdict.word == VerdictWord::Accepted;
  verdict.reasons.insert(first ? verdict.reasons.begin() : verdict.reasons.end(), changes.begin(), changes.end());
}

/// A quality of a part of the frozen cases looks like one of all of them.
void add_cases_that_do_not_count(record::Verdict& verdict, const spec::Rules& rules, const Evidence& evidence) {
  if (rules.quality.empty() && !rules.utility) return;
  const bool decides = evidence.decision.kind != DecisionKind::None;
  const auto counted =
      std::count_if(evidence.cases.begin(), evidence.cases.end(), [decides](const record::CaseRow& row) {
        return row.positions || (decides ? row.correct_reference.has_value() : !row.target.empty());
      });
  if (counted == 0 || counted == size_of(evidence.cases)) return;
  verdict.reasons.push_back((rules.quality.empty() ? "utility is of " : "quality is of ") +
                            counted_cases(counted, evidence.cases));
}

/// An accepted deviation is no comfort where one case has made all others small.
std::string scale_of_case_relative(const std::optional<spec::Rules>& rules, const Evidence& evidence) {
  const auto is_measured = [](const spec::OutputRule& rule) {
    return rule.measure == "case_relative" && rule.output.empty();
  };
  if (!rules || std::none_of(rules->output.begin(), rules->output.end(), is_measured)) return {};
  const std::optional<ScaleSetter> setter = scale_setter(evidence.cases);
  return setter ? words_of(*setter, evidence.cases) : std::string();
}

}  // namespace

record::Verdict judge(const std::optional<spec::Rules>& rules, const std::string& rules_sha256, const Evidence& given) {
  const Evidence evidence = under_its_last_policy(given);
  record::Verdict verdict;
  verdict.scope_device = evidence.device;
  verdict.scope_cast_policy = evidence.cast_policy;
  verdict.target = rules ? rules->target : "as-run";
  verdict.rules_sha256 = rules_sha256;
  verdict.rules = apply_rules(rules, evidence);
  const std::vector<Obstacle> obstacles = obstacles_of(rules, evidence);
  if (obstacles.empty()) {
    decide_by_worst_rule(verdict, rules);
  } else {
    leave_undecided(verdict, obstacles);
  }
  add_policy_changes(verdict, evidence);
  if (rules) add_cases_that_do_not_count(verdict, *rules, evidence);
  if (!evidence.not_looked_at.empty()) {
    verdict.reasons.push_back("the run was made elsewhere, and nothing is known of " + listed(evidence.not_looked_at));
  }
  verdict.reasons.insert(verdict.reasons.end(), evidence.circumstances.begin(), evidence.circumstances.end());
  if (const std::string scale = scale_of_case_relative(rules, evidence); !scale.empty()) {
    verdict.reasons.push_back(scale);
  }
  if (evidence.cases_are_training_rows) {
    verdict.reasons.push_back("the frozen cases are training rows, because there is no test part");
  }
  return verdict;
}

}  // namespace mantissa::judge
