// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <set>

#include <QTest>

#include "core/base/error.h"
#include "core/judge/judge.h"
#include "core/judge/rule_catalogue.h"

using namespace mantissa;
using namespace mantissa::judge;
using record::RuleVerdict;
using record::Verdict;
using record::VerdictWord;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

record::CaseRow two_scores(const std::string& id, double first, double second, double target = 1.0) {
  record::CaseRow row;
  row.id = id;
  row.output = row.output_same_weights = {first, second};
  row.output_reference = {0.0, 1.0};
  row.target = {target};
  return row;
}

/// A finished BF16 trial of a two-class task: four cases that equal the reference, 100 steps, 2 of them skipped.
Evidence sound() {
  Evidence evidence;
  evidence.autocast = "bfloat16";
  evidence.counts.attempted = 100;
  evidence.counts.applied = 98;
  evidence.counts.skipped = 2;
  evidence.max_consecutive_skips = 2;
  evidence.decision.kind = DecisionKind::ArgMax;
  for (const char* id : {"1", "2", "3", "4"}) evidence.cases.push_back(two_scores(id, 0.0, 1.0));
  return evidence;
}

Evidence with_cases(std::vector<record::CaseRow> rows) {
  Evidence evidence = sound();
  evidence.cases = std::move(rows);
  return evidence;
}

Verdict judged(const std::optional<spec::Rules>& rules, Evidence evidence) {
  compare(evidence.cases, evidence.decision);
  return judge::judge(rules, "hash", evidence);
}

RuleVerdict rule_of(const Verdict& verdict, const std::string& name) {
  for (const RuleVerdict& rule : verdict.rules) {
    if (rule.name == name) return rule;
  }
  RuleVerdict none;
  none.name = "there is no rule " + name;
  none.reason = none.name;
  return none;
}

spec::Rules output_rule(std::map<std::string, double> max, spec::Reduce reduce = spec::Reduce::Max) {
  spec::OutputRule rule;
  rule.reduce = reduce;
  rule.max = std::move(max);
  spec::Rules rules;
  rules.output = {rule};
  return rules;
}

spec::Rules flips_rule(std::int64_t max) {
  spec::FlipsRule rule;
  rule.max = max;
  spec::Rules rules;
  rules.flips = rule;
  return rules;
}

spec::Rules quality_rule(const spec::QualityRule& rule) {
  spec::Rules rules;
  rules.quality = {rule};
  return rules;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// non_finite = "reject", and nothing else.
spec::Rules finiteness_rule() {
  spec::Rules rules;
  rules.non_finite_given = true;
  return rules;
}

}  // namespace

#define COMPARE_WORD(found, word) QCOMPARE(std::string(record::to_text(found)), std::string(word))

class JudgeTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void an_accepted_trial_that_switched_says_first_that_it_did() {
    Evidence evidence = sound();
    evidence.autocast = "float16";
    evidence.policy_changes = {{7, "bf16", "bfloat16", "device", "{}", "scale-floor"}};
    const Verdict verdict = judged(output_rule({{"float16", -1.0}, {"bfloat16", 0.5}}), evidence);
    QCOMPARE(verdict.word, VerdictWord::Accepted);  // by the limit of the policy under which it ended
    QCOMPARE(verdict.reasons.front(),
             std::string("from step 7 on the trial ran under the policy of bf16 (autocast bfloat16), so the verdict is "
                         "not on the policy it began with"));
  }

  void a_rejected_trial_that_switched_says_why_it_is_rejected_first() {
    Evidence evidence = with_cases({two_scores("1", 0.0, 3.0)});
    evidence.policy_changes = {{7, "bf16", "bfloat16", "device", "{}", "scale-floor"}};
    const Verdict verdict = judged(output_rule({{"", 0.5}}), evidence);
    QCOMPARE(verdict.word, VerdictWord::Rejected);
    QVERIFY(verdict.reasons.back().find("from step 7 on") == 0);
    QVERIFY(verdict.reasons.size() > 1);
  }

  void a_clean_trial_without_rules_is_undecided() {
    const Verdict verdict = judged(std::nullopt, sound());
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(), std::string("no rules were fixed before the run"));
    COMPARE_WORD(rule_of(verdict, "non_finite").verdict, "accepted");
  }

  void a_clean_trial_by_rules_that_state_nothing_is_undecided() {
    spec::Rules rules;
    rules.target = "cpu";
    const Verdict verdict = judged(rules, sound());
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(), std::string("the rules that were fixed before the run state no rule"));
  }

  void a_trial_of_which_only_finiteness_is_asked_is_accepted_and_the_verdict_says_so() {
    spec::Rules rules;
    rules.non_finite_given = true;
    const Verdict verdict = judged(rules, sound());
    COMPARE_WORD(verdict.word, "accepted");
    QCOMPARE(verdict.reasons.at(1),
             std::string("only finiteness was judged: the rules limit neither outputs, decisions nor quality"));
  }

  void non_finite_applies_without_rules() {
    Evidence evidence = sound();
    evidence.first_non_finite_loss_step = 7;
    const Verdict verdict = judged(std::nullopt, evidence);
    COMPARE_WORD(verdict.word, "rejected");
    QCOMPARE(verdict.reasons.front(),
             std::string("the loss is non-finite at step 7, and a loss counts whether or not its step was skipped"));
  }

  void without_a_loss_and_a_case_nothing_is_known_about_non_finite_values() {
    Evidence evidence = with_cases({});
    evidence.status = record::Status::Failed;
    evidence.failure = "forward";
    evidence.counts = {};
    evidence.counts.attempted = 1;  // failed in its first forward pass
    COMPARE_WORD(rule_of(judged(std::nullopt, evidence), "non_finite").verdict, "undecided");
    COMPARE_WORD(judged(std::nullopt, evidence).word, "rejected");
    evidence.counts.samples = 8;
    COMPARE_WORD(rule_of(judged(std::nullopt, evidence), "non_finite").verdict, "accepted");
  }

  void non_finite_state_and_outputs_are_named() {
    Evidence evidence = with_cases({two_scores("a", 0.0, 1.0), two_scores("b", kNan, 1.0)});
    evidence.cases[1].output_same_weights = {0.0, 1.0};
    evidence.non_finite = {"buffer bn.running_mean"};
    const Verdict verdict = judged(finiteness_rule(), evidence);
    COMPARE_WORD(verdict.word, "rejected");
    QCOMPARE(verdict.reasons.front(), std::string("non-finite at the end: buffer bn.running_mean; "
                                                  "the output (trained) is non-finite in 1 of 2 cases: b"));
  }

  void every_rule_that_a_verdict_can_give_is_in_the_catalogue_and_the_other_way_round() {
    spec::Rules rules = output_rule({{"", 1.0}});
    rules.output.front().name = "head";
    rules.flips.emplace();
    rules.flips->max = 1;
    rules.flips->max_by_kind["edge"] = 1;
    rules.quality.emplace_back();
    rules.quality.front().max_drop = 1.0;
    rules.distribution.emplace_back();
    rules.utility.emplace().min = 0.0;
    rules.progress.emplace();
    rules.progress->min_applied_fraction = 0.5;
    rules.progress->max_consecutive_skips = 5;
    rules.cost.emplace_back().min_speedup = 1.0;
    Evidence evidence = sound();
    evidence.status = record::Status::Failed;
    evidence.failure = "forward";
    evidence.weights_unchanged = false;
    std::set<std::string> given;
    for (const RuleVerdict& rule : judged(rules, evidence).rules) {
      // progress.underflow has the dot in its own name, flips.edge and output.head have one before what they are of.
      const bool of_progress = rule.name.rfind("progress.", 0) == 0;
      given.insert(of_progress ? rule.name : rule.name.substr(0, rule.name.find('.')));
    }
    std::set<std::string> known;
    for (const RuleEntry& rule : rule_catalogue()) known.insert(rule.name);
    QCOMPARE(given, known);
  }

  void the_help_on_rules_states_the_default_limits_of_the_contract() {
    // The contract: case_relative q0.99 ≤ 2e-2 (BF16) / 2e-3 (FP16), 0 flips of ordinary cases, quality drop ≤ 0.5 %
    // of the reference's, 98 % applied.
    const std::string text = rules_help_text();
    for (const char* const words : {"at most 0.02 (bfloat16), 0.002 (float16)", "at most 0 of ordinary cases",
                                    "worse by at most 0.5 %", "at least 0.98", "its 0.99 quantile"}) {
      QVERIFY2(text.find(words) != std::string::npos, words);
    }
  }

  void the_verdict_carries_scope_and_hash() {
    Evidence evidence = sound();
    evidence.cast_policy = "jit";
    const Verdict verdict = judged(finiteness_rule(), evidence);
    COMPARE_WORD(verdict.word, "accepted");
    QCOMPARE(verdict.scope_device, std::string("cpu"));
    QCOMPARE(verdict.scope_cast_policy, std::string("jit"));
    QCOMPARE(verdict.rules_sha256, std::string("hash"));
    QCOMPARE(verdict.target, std::string("as-run"));
  }

  void the_limit_of_the_trials_dtype_decides() {
    // 0.01 / 1 = 0.01: within BF16's limit, beyond FP16's.
    Evidence evidence = with_cases({two_scores("a", 0.0, 1.01), two_scores("b", 0.0, 1.0)});
    const spec::Rules rules = output_rule({{"float16", 2e-3}, {"bfloat16", 2e-2}});
    COMPARE_WORD(judged(rules, evidence).word, "accepted");
    evidence.autocast = "float16";
    const Verdict verdict = judged(rules, evidence);
    COMPARE_WORD(verdict.word, "rejected");
    const RuleVerdict rule = rule_of(verdict, "output");
    QCOMPARE(*rule.limit_value, 2e-3);
    QVERIFY(std::fabs(*rule.value - 0.01) < 1e-12);
    QCOMPARE(rule.limit, std::string("the largest case_relative at most 0.002"));
    QCOMPARE(rule.reason, std::string("the largest case_relative (same_weights) is 0.01 over 2 cases, at most 0.002 is "
                                      "allowed; worst cases: a (0.01) and b (0)"));
  }

  /// a: {100, 0}, b: {1, 0} and off by 0.05. The RMS of all is sqrt(10001 / 4) = 50.00, so that 0.05 is 0.001 of it;
  /// of b alone it is sqrt(1 / 2) = 0.7071, less than the case's own 1: 0.05.
  void one_case_that_sets_the_scale_of_all_is_named() {
    record::CaseRow large = two_scores("a", 100.0, 0.0);
    large.output_reference = {100.0, 0.0};
    record::CaseRow small = two_scores("b", 1.05, 0.0);
    small.output_reference = {1.0, 0.0};
    const Verdict verdict = judged(output_rule({{"", 0.01}}), with_cases({large, small}));
    COMPARE_WORD(verdict.word, "accepted");
    const std::string& reason = rule_of(verdict, "output").reason;
    QVERIFY2(mentions(reason, "case a alone sets the scale of case_relative"), reason.c_str());
    QVERIFY2(mentions(reason, "is 50, and 0.7071 without it, where it would be 0.05"), reason.c_str());
    QVERIFY(mentions(verdict.reasons.back(), "case a alone sets the scale"));
    large.output_reference = large.output = large.output_same_weights = {2.0, 0.0};  // sqrt(5 / 4) = 1.118, not 7.071
    const Verdict even = judged(output_rule({{"", 0.1}}), with_cases({large, small}));
    QVERIFY(!mentions(rule_of(even, "output").reason, "alone sets"));
  }

  void a_rule_without_a_limit_for_this_dtype_is_undecided_and_says_so() {
    Evidence evidence = sound();
    evidence.autocast = "off";
    const spec::Rules by_dtype = output_rule({{"float16", 2e-3}, {"bfloat16", 2e-2}});
    const Verdict verdict = judged(by_dtype, evidence);
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(),
             std::string("the rule on the largest case_relative has no limit for autocast off; "
                         "it states bfloat16 and float16"));
    COMPARE_WORD(judged(output_rule({{"", 2e-2}}), evidence).word, "accepted");
  }

  void a_limit_that_is_met_exactly_holds() {
    Evidence evidence = with_cases({two_scores("a", 0.0, 1.25)});
    COMPARE_WORD(judged(output_rule({{"", 0.25}}), evidence).word, "accepted");  // |1.25 - 1| / 1 is exact in binary
  }

  void a_quantile_forgives_what_a_maximum_does_not() {
    std::vector<record::CaseRow> rows;
    for (int i = 0; i < 200; ++i) rows.push_back(two_scores(std::to_string(i), 0.0, i == 0 ? 3.0 : 1.0));
    const Evidence evidence = with_cases(rows);
    spec::Rules rules = output_rule({{"", 0.1}}, spec::Reduce::Quantile);
    // 199 zeros and one 2 (the RMS of {0, 1} is below 1): place 0.99 · 199 = 197.01 lies among the zeros.
    COMPARE_WORD(judged(rules, evidence).word, "accepted");
    QCOMPARE(rule_of(judged(rules, evidence), "output").limit, std::string("q0.99 of case_relative at most 0.1"));
    rules.output[0].reduce = spec::Reduce::Mean;  // 2 / 200 = 0.01
    QVERIFY(std::fabs(*rule_of(judged(rules, evidence), "output").value - 0.01) < 1e-12);
    rules.output[0].reduce = spec::Reduce::Max;
    COMPARE_WORD(judged(rules, evidence).word, "rejected");
  }

  void one_nan_rejects_whatever_is_reduced() {
    std::vector<record::CaseRow> rows;
    for (int i = 0; i < 200; ++i) rows.push_back(two_scores(std::to_string(i), 0.0, i == 0 ? kNan : 1.0));
    for (const auto reduce : {spec::Reduce::Max, spec::Reduce::Mean, spec::Reduce::Median, spec::Reduce::Quantile}) {
      const RuleVerdict rule = rule_of(judged(output_rule({{"", 0.1}}, reduce), with_cases(rows)), "output");
      COMPARE_WORD(rule.verdict, "rejected");
      QCOMPARE(rule.reason, std::string("non-finite: the output (same_weights) of 1 of 200 cases is no number: 0"));
    }
  }

  void the_rule_judges_the_comparison_that_it_names() {
    Evidence evidence = with_cases({two_scores("a", 0.0, 5.0)});
    evidence.cases[0].output_same_weights = {0.0, 1.0};
    spec::Rules rules = output_rule({{"", 0.1}});
    COMPARE_WORD(judged(rules, evidence).word, "accepted");
    rules.output[0].of = spec::Of::Trained;
    COMPARE_WORD(judged(rules, evidence).word, "rejected");
  }

  void missing_outputs_leave_a_rule_undecided_by_column() {
    Evidence evidence = sound();
    for (record::CaseRow& row : evidence.cases) row.output_same_weights.clear();
    const Verdict verdict = judged(output_rule({{"", 0.1}}), evidence);
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(), std::string("output_same_weights[i] is missing in 4 of 4 cases"));
  }

  void without_cases_the_rules_on_cases_are_undecided() {
    spec::Rules rules = output_rule({{"", 0.1}});
    rules.flips = flips_rule(0).flips;
    rules.quality = {spec::QualityRule{}};
    const Verdict verdict = judged(rules, with_cases({}));
    COMPARE_WORD(verdict.word, "undecided");
    for (const char* name : {"output", "flips", "quality"}) {
      QCOMPARE(rule_of(verdict, name).reason, std::string("there are no frozen cases"));
    }
  }

  void measures_that_do_not_exist_are_refused() {
    spec::Rules rules = output_rule({{"", 0.1}});
    rules.output[0].measure = "beauty";
    QVERIFY_EXCEPTION_THROWN(judged(rules, sound()), Error);
    rules.output[0].measure = "ulp";
    COMPARE_WORD(judged(rules, sound()).word, "accepted");
  }

  void tolerance_and_decision_are_judged_apart() {
    // The reference decides for 1.0003; in BF16 both scores are 1, the tie goes to the lowest index.
    record::CaseRow row = two_scores("north", 1.0, 1.0003);
    row.output_reference = {1.0, 1.0003};
    row.output_same_weights = {1.0, 1.0};
    spec::Rules rules = output_rule({{"bfloat16", 2e-2}});
    rules.flips = flips_rule(0).flips;
    const Verdict verdict = judged(rules, with_cases({row}));
    COMPARE_WORD(rule_of(verdict, "output").verdict, "accepted");
    COMPARE_WORD(rule_of(verdict, "flips").verdict, "rejected");
    COMPARE_WORD(verdict.word, "rejected");
    QCOMPARE(verdict.reasons.front(),
             std::string("1 of 1 case decides differently from the reference (same_weights), at most 0 are allowed: "
                         "north (0 instead of 1)"));
  }

  void flips_are_named_surest_first_and_at_most_three() {
    std::vector<record::CaseRow> rows;
    for (int i = 1; i <= 5; ++i) {
      rows.push_back(two_scores(std::to_string(i), 1.0, 0.0));
      rows.back().output_reference = {0.0, static_cast<double>(i)};  // margin i
    }
    rows[0].output_same_weights = {kNan, 0.0};
    const RuleVerdict rule = rule_of(judged(flips_rule(4), with_cases(rows)), "flips");
    COMPARE_WORD(rule.verdict, "rejected");
    QCOMPARE(*rule.value, 5.0);
    QVERIFY2(mentions(rule.reason,
                      ": 1 (no decision, non-finite instead of 1), 5 (0 instead of 1), 4 (0 instead of 1) "
                      "and 2 more"),
             rule.reason.c_str());
    COMPARE_WORD(rule_of(judged(flips_rule(5), with_cases(rows)), "flips").verdict, "accepted");
  }

  void a_kind_with_its_own_limit_is_counted_apart() {
    std::vector<record::CaseRow> rows = {two_scores("a", 0.0, 1.0), two_scores("b", 1.0, 0.0),
                                         two_scores("c", 1.0, 0.0), two_scores("d", 1.0, 0.0)};
    rows[1].kind = rows[2].kind = record::CaseKind::Boundary;
    rows[3].kind = record::CaseKind::Edge;
    spec::Rules rules = flips_rule(0);
    rules.flips->max_by_kind = {{"boundary", 2}};
    const Verdict verdict = judged(rules, with_cases(rows));
    COMPARE_WORD(rule_of(verdict, "flips.boundary").verdict, "accepted");
    QCOMPARE(*rule_of(verdict, "flips.boundary").value, 2.0);
    COMPARE_WORD(rule_of(verdict, "flips").verdict, "rejected");
    QCOMPARE(*rule_of(verdict, "flips").value, 1.0);  // the edge case
    QCOMPARE(rule_of(verdict, "flips").cases, std::int64_t{2});
  }

  void a_limit_on_a_kind_that_no_case_has_is_undecided() {
    spec::Rules rules = flips_rule(0);
    rules.flips->max_by_kind = {{"edge", 0}};
    const Verdict verdict = judged(rules, sound());
    QCOMPARE(rule_of(verdict, "flips.edge").reason, std::string("there is no edge case among the frozen cases"));
    COMPARE_WORD(verdict.word, "undecided");
  }

  void preset_flips_do_not_apply_where_nothing_is_decided() {
    Evidence evidence = sound();
    evidence.decision.kind = DecisionKind::None;
    spec::Rules rules = flips_rule(0);
    rules.flips_from_preset = true;
    const Verdict verdict = judged(rules, evidence);
    COMPARE_WORD(verdict.word, "accepted");
    QCOMPARE(verdict.rules.size(), std::size_t{1});
    rules.flips_from_preset = false;
    COMPARE_WORD(judged(rules, evidence).word, "undecided");
  }

  void quality_has_a_minimum() {
    // 3 of 4 right.
    const Evidence evidence = with_cases(
        {two_scores("1", 0.0, 1.0), two_scores("2", 0.0, 1.0), two_scores("3", 0.0, 1.0), two_scores("4", 1.0, 0.0)});
    spec::QualityRule rule;
    rule.min = 0.75;
    COMPARE_WORD(judged(quality_rule(rule), evidence).word, "accepted");
    rule.min = 0.8;
    const Verdict verdict = judged(quality_rule(rule), evidence);
    COMPARE_WORD(verdict.word, "rejected");
    QCOMPARE(verdict.reasons.front(), std::string("accuracy (trained) is 0.75 over 4 cases, the reference has 1; "
                                                  "at least 0.8 is required and not met"));
  }

  void a_drop_is_measured_against_the_reference() {
    std::vector<record::CaseRow> rows;
    for (int i = 0; i < 200; ++i) rows.push_back(two_scores(std::to_string(i), i < 5 ? 2.0 : 0.0, 1.0));
    for (int i = 0; i < 4; ++i) rows[static_cast<std::size_t>(i)].output_reference = {2.0, 1.0};
    spec::QualityRule rule;
    rule.max_drop = 0.005;
    // 195 of 200 = 0.975 against 196 of 200 = 0.98: in doubles the difference is 0.0050000000000000044.
    QVERIFY(0.98 - 0.975 > 0.005);
    COMPARE_WORD(judged(quality_rule(rule), with_cases(rows)).word, "accepted");
    rule.max_drop = 0.004;
    COMPARE_WORD(judged(quality_rule(rule), with_cases(rows)).word, "rejected");
    rule.max_drop.reset();
    rule.max_drop_relative = 0.0052;  // 0.005 / 0.98 = 0.0051
    COMPARE_WORD(judged(quality_rule(rule), with_cases(rows)).word, "accepted");
    rule.max_drop_relative = 0.005;
    COMPARE_WORD(judged(quality_rule(rule), with_cases(rows)).word, "rejected");
  }

  void for_errors_lower_is_better() {
    record::CaseRow row;
    row.id = "1";
    row.target = {0.0};
    row.output = row.output_same_weights = {1.25};
    row.output_reference = {1.0};
    Evidence evidence = with_cases({row});
    evidence.decision.kind = DecisionKind::None;
    evidence.task = spec::Task::Regression;
    spec::QualityRule rule;
    rule.max_drop_relative = 0.25;  // rmse 1.25 against 1
    COMPARE_WORD(judged(quality_rule(rule), evidence).word, "accepted");
    rule.max_drop_relative = 0.2;
    COMPARE_WORD(judged(quality_rule(rule), evidence).word, "rejected");
    QCOMPARE(*rule_of(judged(quality_rule(rule), evidence), "quality").limit_value, 1.2);
    rule.max_drop_relative.reset();
    rule.max = 1.25;
    COMPARE_WORD(judged(quality_rule(rule), evidence).word, "accepted");
    evidence.cases[0].output = {0.5};  // better than the reference is no drop
    rule.max.reset();
    rule.max_drop = 0.0;
    COMPARE_WORD(judged(quality_rule(rule), evidence).word, "accepted");
  }

  void quality_without_targets_is_undecided() {
    Evidence evidence = sound();
    for (record::CaseRow& row : evidence.cases) row.target.clear();
    spec::QualityRule rule;
    rule.min = 0.5;
    QCOMPARE(judged(quality_rule(rule), evidence).reasons.front(),
             std::string("no frozen case has a target that accuracy could be taken of"));
  }

  void progress_counts_applied_steps() {
    spec::Rules rules;
    rules.progress = spec::ProgressRule{0.98, 2};
    COMPARE_WORD(judged(rules, sound()).word, "accepted");  // 98 of 100, 2 in a row
    Evidence evidence = sound();
    evidence.counts.applied = 97;
    const Verdict verdict = judged(rules, evidence);
    QCOMPARE(verdict.reasons.front(),
             std::string("97 of 100 attempted steps were applied (0.97), at least 0.98 is required"));
    evidence.counts.attempted = 1;
    evidence.counts.applied = 0;
    QCOMPARE(judged(rules, evidence).reasons.front(),
             std::string("0 of 1 attempted step was applied (0), at least 0.98 is required"));
    evidence.counts.attempted = 100;
    evidence.counts.applied = 98;
    evidence.max_consecutive_skips = 3;
    COMPARE_WORD(rule_of(judged(rules, evidence), "progress.max_consecutive_skips").verdict, "rejected");
  }

  void progress_without_steps_is_undecided() {
    Evidence evidence = sound();
    evidence.counts = {};
    spec::Rules rules;
    rules.progress = spec::ProgressRule{0.98, std::nullopt};
    COMPARE_WORD(judged(rules, evidence).word, "undecided");
  }

  void gradients_that_are_all_zero_are_rejected_as_underflow_even_without_rules() {
    Evidence evidence = sound();
    evidence.autocast = "float16";
    evidence.gradients_all_zero = true;
    const Verdict verdict = judged(std::nullopt, evidence);
    COMPARE_WORD(verdict.word, "rejected");
    COMPARE_WORD(rule_of(verdict, "progress.underflow").verdict, "rejected");
    QVERIFY(mentions(verdict.reasons.front(), "underflow: every gradient of 100 attempted steps was zero"));
    evidence.gradients_all_zero = false;
    COMPARE_WORD(rule_of(judged(std::nullopt, evidence), "progress.underflow").verdict, "accepted");
  }

  void the_share_of_steps_without_gradients_decides_on_underflow() {
    Evidence evidence = sound();  // 100 attempted steps
    evidence.gradients_all_zero = false;
    const auto word = [&](std::int64_t steps) {
      evidence.zero_gradient_steps = steps;
      return rule_of(judged(std::nullopt, evidence), "progress.underflow").verdict;
    };
    COMPARE_WORD(word(0), "accepted");
    COMPARE_WORD(word(1), "accepted");  // 1 % at most is harmless
    COMPARE_WORD(word(2), "undecided");
    COMPARE_WORD(word(50), "undecided");
    COMPARE_WORD(word(51), "rejected");  // more than half: it has stopped learning
    QVERIFY(mentions(judged(std::nullopt, evidence).reasons.front(),
                     "gradients were exactly zero in 51 of 100 attempted steps, never in the reference"));
  }

  void weights_that_do_not_change_are_rejected() {
    Evidence evidence = sound();
    evidence.weights_unchanged = true;
    QCOMPARE(judged(finiteness_rule(), evidence).reasons.front(),
             std::string("weights did not change in 98 applied updates while the reference's did"));
  }

  void a_failed_trial_is_rejected_with_its_sentence() {
    Evidence evidence = with_cases({});
    evidence.status = record::Status::Failed;
    evidence.failure = "forward";
    evidence.failure_text = "forward failed in masked_fill: -1e9 does not fit FP16";
    const Verdict verdict = judged(output_rule({{"", 0.1}}), evidence);
    COMPARE_WORD(verdict.word, "rejected");
    QCOMPARE(verdict.reasons.front(), evidence.failure_text);
    COMPARE_WORD(rule_of(verdict, "run").verdict, "rejected");
    COMPARE_WORD(judged(std::nullopt, evidence).word, "rejected");
  }

  void a_failure_that_the_reference_shares_is_told_once() {
    Evidence evidence = with_cases({});
    evidence.status = record::Status::Failed;
    evidence.failure = "forward";
    evidence.failure_text = evidence.reference_failure_text = "the model failed at step 2: a number above 50";
    evidence.reference_finished = false;
    const Verdict verdict = judged(finiteness_rule(), evidence);
    QVERIFY(mentions(verdict.reasons.at(0), evidence.failure_text));
    QCOMPARE(verdict.reasons.at(1), std::string("seen in this trial: the same"));
    evidence.failure_text = "the model failed at step 1: a number above 40";
    QCOMPARE(judged(finiteness_rule(), evidence).reasons.at(1), "seen in this trial: " + evidence.failure_text);
  }

  void a_stopped_trial_is_undecided_whatever_its_rules_found() {
    Evidence evidence = with_cases({two_scores("a", 1.0, 0.0)});
    evidence.status = record::Status::Stopped;
    evidence.reference_finished = false;
    const Verdict verdict = judged(flips_rule(0), evidence);
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(),
             std::string("the trial was stopped after 100 attempted steps; a verdict needs the whole run"));
    QVERIFY(mentions(verdict.reasons.at(1), "seen in this trial: 1 of 1 case decides differently"));
    COMPARE_WORD(rule_of(verdict, "flips").verdict, "undecided");
    evidence.status = record::Status::Interrupted;
    evidence.counts.attempted = 1;
    QVERIFY(mentions(judged(flips_rule(0), evidence).reasons.front(), "interrupted after 1 attempted step;"));
  }

  void a_reference_that_failed_is_reported_first() {
    Evidence evidence = sound();
    evidence.reference_finished = false;
    evidence.reference_failure_text = "the loss is NaN at step 3";
    evidence.status = record::Status::Failed;
    evidence.failure_text = "the loss is NaN at step 2";
    const Verdict verdict = judged(finiteness_rule(), evidence);
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(),
             std::string("the reference itself failed, look there first: the loss is NaN at step 3"));
    QCOMPARE(verdict.reasons.at(1), std::string("seen in this trial: the loss is NaN at step 2"));
  }

  void a_non_finite_reference_judges_nobody() {
    Evidence evidence = with_cases({two_scores("a", kNan, 1.0)});
    evidence.cases[0].output_reference = {kNan, 1.0};
    const Verdict verdict = judged(output_rule({{"", 0.1}}), evidence);
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(),
             std::string("the reference itself is non-finite, look there first: output of 1 case (a)"));
    evidence = sound();
    evidence.non_finite_reference = {"parameter fc1.weight"};
    COMPARE_WORD(judged(std::nullopt, evidence).word, "undecided");
  }

  void a_target_on_which_nothing_ran_is_undecided() {
    spec::Rules rules = finiteness_rule();
    rules.target = "cuda";
    const Verdict verdict = judged(rules, sound());
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.reasons.front(), std::string("the rules ask for a verdict on cuda and the trial ran on cpu (cast "
                                                  "policy device): a run on cuda is missing"));
    QVERIFY(mentions(rule_of(verdict, "non_finite").reason, "(undecided: a run on cuda is missing)"));
    rules.target = "cpu";
    COMPARE_WORD(judged(rules, sound()).word, "accepted");
    rules.target = "cuda";
    Evidence on_cuda = sound();
    on_cuda.device = "cuda:1";
    COMPARE_WORD(judged(rules, on_cuda).word, "accepted");
  }

  void the_worst_rule_decides() {
    spec::Rules rules = output_rule({{"float16", 0.1}});      // undecided for BF16
    rules.progress = spec::ProgressRule{0.99, std::nullopt};  // 98 of 100: rejected
    const Verdict verdict = judged(rules, sound());
    COMPARE_WORD(verdict.word, "rejected");
    QVERIFY(mentions(verdict.reasons.at(0), "98 of 100"));
    QVERIFY(mentions(verdict.reasons.at(1), "no limit for autocast bfloat16"));
  }

  void probabilities_outside_0_to_1_leave_a_log_loss_undecided() {
    record::CaseRow row;
    row.id = "a";
    row.output = row.output_same_weights = {7.0};  // -ln 7 = -1.95 would be better than any probability
    row.output_reference = {0.9};
    row.target = {1.0};
    Evidence evidence = sound();
    evidence.decision = DecisionRule();
    evidence.decision.kind = DecisionKind::Probability;
    evidence.cases = {row};
    compare(evidence.cases, evidence.decision);
    spec::Rules rules;
    spec::QualityRule quality;
    quality.metric = "log_loss";
    quality.max_drop = 0.1;
    rules.quality = {quality};
    const RuleVerdict verdict = rule_of(judged(rules, evidence), "quality");
    COMPARE_WORD(verdict.verdict, "undecided");
    QVERIFY(mentions(verdict.reason, "log_loss (trained) has no meaning: 1 of 1 case"));
    evidence.cases[0].output = {0.9};
    COMPARE_WORD(rule_of(judged(rules, evidence), "quality").verdict, "accepted");
  }

  void a_quality_of_a_part_of_the_cases_says_of_how_many() {
    std::vector<record::CaseRow> rows;
    for (const char* const id : {"a", "b", "c", "d"}) rows.push_back(two_scores(id, 0.0, 1.0));
    for (record::CaseRow& row : rows) row.target = {1.0};
    rows[3].target.clear();
    rows[2].target = {-100.0};  // ignore_index
    spec::Rules rules;
    spec::QualityRule quality;
    quality.min = 0.5;
    rules.quality = {quality};
    const Verdict half = judged(rules, with_cases(rows));
    COMPARE_WORD(half.word, "accepted");
    QVERIFY(mentions(rule_of(half, "quality").reason,
                     "over 2 of 4 cases (1 has no target and 1 has a target that does not count)"));
    QVERIFY(mentions(half.reasons.at(1), "quality is of 2 of 4 cases"));
    rows[1].target.clear();
    const Verdict less = judged(rules, with_cases(rows));
    COMPARE_WORD(less.word, "undecided");
    QVERIFY(mentions(less.reasons.front(),
                     "over 1 of 4 cases (2 have no target and 1 has a target that does not "
                     "count)"));
    QVERIFY(mentions(less.reasons.front(), "fewer than half of the frozen cases have a target that counts"));
  }

  void training_rows_as_cases_are_said() {
    Evidence evidence = sound();
    evidence.cases_are_training_rows = true;
    const Verdict verdict = judged(finiteness_rule(), evidence);
    COMPARE_WORD(verdict.word, "accepted");
    QCOMPARE(verdict.reasons.back(), std::string("the frozen cases are training rows, because there is no test part"));
  }
};

QTEST_GUILESS_MAIN(JudgeTests)
#include "judge_tests.moc"
