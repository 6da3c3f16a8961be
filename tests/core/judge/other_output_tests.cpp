// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <QTest>

#include "core/judge/judge.h"

using namespace mantissa;
using namespace mantissa::judge;
using record::VerdictWord;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Two cases of a prediction that is exact, and of an output boxes: reference {0, 1}, the first case off by so much.
std::vector<record::CaseRow> cases(double same_weights, double trained) {
  std::vector<record::CaseRow> rows(2);
  for (record::CaseRow& row : rows) {
    row.output_reference = row.output = row.output_same_weights = {5.0};
    row.other_outputs = {{"output.boxes", {0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}}};
  }
  rows[0].id = "a";
  rows[1].id = "b";
  rows[1].slice = "north";
  rows[0].other_outputs[0].same_weights[1] += same_weights;
  rows[0].other_outputs[0].trained[1] += trained;
  compare(rows, {});
  return rows;
}

Evidence evidence() {
  Evidence evidence;
  evidence.autocast = "bfloat16";
  evidence.cases = cases(1.0 / 64, 1.0 / 4);  // exact beside 1
  return evidence;
}

spec::OutputRule rule_on_boxes(double max, spec::Of of = spec::Of::SameWeights) {
  spec::OutputRule rule;
  rule.output = "output.boxes";
  rule.of = of;
  rule.reduce = spec::Reduce::Max;
  rule.max[""] = max;
  return rule;
}

record::Verdict verdict_of(const spec::OutputRule& rule, const Evidence& evidence) {
  spec::Rules rules;
  rules.output = {rule};
  return judge::judge(rules, "hash", evidence);
}

record::RuleVerdict judged(const spec::OutputRule& rule, const Evidence& evidence) {
  for (const record::RuleVerdict& verdict : verdict_of(rule, evidence).rules) {
    if (verdict.name == "output") return verdict;
  }
  return {};
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

/// Rules on outputs beside the prediction.
class OtherOutputTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void an_output_is_judged_by_its_own_tolerance() {
    // The scale of case_relative is max(1, RMS 0.707) = 1.
    const record::RuleVerdict holds = judged(rule_on_boxes(1.0 / 64), evidence());
    QCOMPARE(holds.verdict, VerdictWord::Accepted);
    QCOMPARE(*holds.value, 1.0 / 64);
    QVERIFY2(mentions(holds.limit, "the largest case_relative of output.boxes at most"), holds.limit.c_str());
    const record::RuleVerdict fails = judged(rule_on_boxes(1.0 / 65), evidence());
    QCOMPARE(fails.verdict, VerdictWord::Rejected);
    QVERIFY2(mentions(fails.reason, "of output.boxes (same_weights) is 0.01562"), fails.reason.c_str());
    QCOMPARE(*judged(rule_on_boxes(1, spec::Of::Trained), evidence()).value, 1.0 / 4);
  }

  void each_measure_and_reduction_is_of_that_output() {
    spec::OutputRule rule = rule_on_boxes(1);
    rule.measure = "abs";
    rule.reduce = spec::Reduce::Mean;
    QCOMPARE(*judged(rule, evidence()).value, 1.0 / 128);  // of 1/64 and 0
    rule.measure = "ulp";
    rule.reduce = spec::Reduce::Max;
    QCOMPARE(*judged(rule, evidence()).value, 131072.0);  // 2^-6 in units of 2^-23
    rule.measure = "rmse";
    QCOMPARE(*judged(rule, evidence()).value, std::sqrt(1.0 / 4096 / 2));  // of 0 and 1/64
    rule.measure = "cosine";  // (0, 1) and (0, 1 + 1/64) have one direction
    QCOMPARE(*judged(rule, evidence()).value, 0.0);
  }

  void a_rule_without_an_output_is_of_the_prediction() {
    spec::OutputRule rule = rule_on_boxes(0);
    rule.output.clear();
    const record::RuleVerdict verdict = judged(rule, evidence());
    QCOMPARE(verdict.verdict, VerdictWord::Accepted);
    QCOMPARE(*verdict.value, 0.0);
    QVERIFY(!mentions(verdict.limit, "boxes"));
  }

  void a_slice_of_an_output_keeps_the_scale_of_all_cases() {
    Evidence of_slice = evidence();
    for (double& value : of_slice.cases[0].other_outputs[0].reference) value *= 8;
    of_slice.cases[1].other_outputs[0].same_weights[1] += 1.0 / 64;
    spec::OutputRule rule = rule_on_boxes(1);
    rule.slice = "north";
    // RMS of (0, 8, 0, 1): sqrt(65 / 4), above the case's own largest, 1
    QCOMPARE(*judged(rule, of_slice).value, 1.0 / 64 / std::sqrt(65.0 / 4));
    QCOMPARE(judged(rule, of_slice).cases, std::int64_t{1});
  }

  void yardsticks_are_of_that_output_too() {
    Evidence repeated = evidence();
    repeated.rounding = {cases(1.0 / 512, 0)};
    spec::OutputRule rule = rule_on_boxes(1);
    rule.max.clear();
    rule.max_rounding = 8;  // 8 / 512, just what was found
    QCOMPARE(judged(rule, repeated).verdict, VerdictWord::Accepted);
    rule.max_rounding = 7.5;
    QCOMPARE(judged(rule, repeated).verdict, VerdictWord::Rejected);
    repeated.rounding.front()[0].other_outputs.clear();
    repeated.rounding.front()[1].other_outputs.clear();
    QCOMPARE(judged(rule, repeated).verdict, VerdictWord::Undecided);
  }

  void an_output_that_is_nan_in_the_reference_makes_the_reference_unfit() {
    Evidence broken = evidence();
    broken.cases[1].other_outputs[0].reference[0] = kNan;
    const record::Verdict verdict = verdict_of(rule_on_boxes(1), broken);
    QCOMPARE(verdict.word, VerdictWord::Undecided);
    QVERIFY2(mentions(verdict.reasons.front(), "the reference itself is non-finite"), verdict.reasons.front().c_str());
    QVERIFY2(mentions(verdict.reasons.front(), "output.boxes of 1 case (b)"), verdict.reasons.front().c_str());
  }

  void an_output_that_is_nan_in_the_trial_rejects_it_under_every_rule() {
    Evidence broken = evidence();
    broken.cases[1].other_outputs[0].trained[0] = kNan;
    spec::OutputRule of_prediction = rule_on_boxes(1);
    of_prediction.output.clear();
    const record::Verdict verdict = verdict_of(of_prediction, broken);
    QCOMPARE(verdict.word, VerdictWord::Rejected);
    QCOMPARE(verdict.rules.front().name, std::string("non_finite"));
    QVERIFY2(mentions(verdict.rules.front().reason, "output.boxes (trained) is non-finite in 1 of 2 cases: b"),
             verdict.rules.front().reason.c_str());
    QCOMPARE(judged(rule_on_boxes(1, spec::Of::Trained), broken).verdict, VerdictWord::Rejected);
    QCOMPARE(judged(rule_on_boxes(1), broken).verdict, VerdictWord::Accepted);
  }

  void an_output_that_was_not_recorded_leaves_its_rule_undecided() {
    spec::OutputRule rule = rule_on_boxes(1);
    rule.output = "output[7]";
    const record::RuleVerdict verdict = judged(rule, evidence());
    QCOMPARE(verdict.verdict, VerdictWord::Undecided);
    QVERIFY2(mentions(verdict.reason, "output[7]: of this trial it was not recorded"), verdict.reason.c_str());
  }

  void an_output_of_another_size_than_the_references_is_rejected() {
    Evidence shorter = evidence();
    shorter.cases[1].other_outputs[0].same_weights.pop_back();
    const record::RuleVerdict verdict = judged(rule_on_boxes(1), shorter);
    QCOMPARE(verdict.verdict, VerdictWord::Rejected);
    QVERIFY2(mentions(verdict.reason, "it has 1 element (same_weights) in case b where the reference has 2"),
             verdict.reason.c_str());
  }
};

QTEST_APPLESS_MAIN(OtherOutputTests)
#include "other_output_tests.moc"
