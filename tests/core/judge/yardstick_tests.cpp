// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <QTest>

#include "core/judge/judge.h"

using namespace mantissa;
using namespace mantissa::judge;
using record::VerdictWord;

namespace {

/// Two cases whose reference outputs are {0, 1}: the scale of case_relative is max(1, RMS 0.707) = 1, so that an output
/// {0, 1 + e} has a case_relative of e. The second case is exact.
std::vector<record::CaseRow> cases(double same_weights, double trained) {
  std::vector<record::CaseRow> rows(2);
  for (record::CaseRow& row : rows) {
    row.output_reference = row.output = row.output_same_weights = {0.0, 1.0};
    row.target = {1.0};
  }
  rows[0].id = "1";
  rows[1].id = "2";
  rows[0].output_same_weights[1] += same_weights;
  rows[0].output[1] += trained;
  compare(rows, {});
  return rows;
}

spec::OutputRule rule_on(spec::Of of) {
  spec::OutputRule rule;
  rule.of = of;
  rule.reduce = spec::Reduce::Max;
  return rule;
}

/// 1/64 and the like: exact beside 1.
Evidence evidence() {
  Evidence evidence;
  evidence.autocast = "bfloat16";
  evidence.cases = cases(1.0 / 64, 1.0 / 4);
  evidence.rounding = {cases(1.0 / 1024, 0.5), cases(1.0 / 512, 0.5)};
  evidence.spread = {cases(0.5, 1.0 / 2), cases(0.5, 1.0 / 8)};
  return evidence;
}

record::RuleVerdict judged(const spec::OutputRule& rule, const Evidence& evidence) {
  spec::Rules rules;
  rules.output = {rule};
  for (const record::RuleVerdict& verdict : judge::judge(rules, "hash", evidence).rules) {
    if (verdict.name == "output") return verdict;
  }
  return {};
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

/// The two yardsticks, each for its own comparison.
class YardstickTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_yardstick_is_the_largest_of_its_repeats() {
    QCOMPARE(*yardstick(evidence().rounding, rule_on(spec::Of::SameWeights), "bfloat16"), 1.0 / 512);
    QCOMPARE(*yardstick(evidence().spread, rule_on(spec::Of::Trained), "bfloat16"), 1.0 / 2);
    QVERIFY(!yardstick({}, rule_on(spec::Of::Trained), "bfloat16"));
  }

  void a_yardstick_is_reduced_as_the_rule_says() {
    spec::OutputRule rule = rule_on(spec::Of::SameWeights);
    rule.reduce = spec::Reduce::Mean;  // of 1/512 and 0
    QCOMPARE(*yardstick(evidence().rounding, rule, "bfloat16"), 1.0 / 1024);
  }

  void a_limit_in_rounding_floors_judges_same_weights() {
    spec::OutputRule rule = rule_on(spec::Of::SameWeights);
    rule.max_rounding = 8;  // 8 / 512 = 1/64, just what was found
    const record::RuleVerdict holds = judged(rule, evidence());
    QCOMPARE(holds.verdict, VerdictWord::Accepted);
    QCOMPARE(*holds.limit_value, 1.0 / 64);
    QVERIFY2(mentions(holds.limit, "at most 8 times the rounding floor of 0.001953"), holds.limit.c_str());
    rule.max_rounding = 7;
    QCOMPARE(judged(rule, evidence()).verdict, VerdictWord::Rejected);
  }

  void a_limit_in_spreads_judges_trained() {
    spec::OutputRule rule = rule_on(spec::Of::Trained);
    rule.max_spread = 0.5;  // 0.5 · 1/2 = 1/4, just what was found
    QCOMPARE(judged(rule, evidence()).verdict, VerdictWord::Accepted);
    rule.max_spread = 0.25;
    const record::RuleVerdict fails = judged(rule, evidence());
    QCOMPARE(fails.verdict, VerdictWord::Rejected);
    QVERIFY2(mentions(fails.reason, "times the run-to-run spread of 0.5 is allowed"), fails.reason.c_str());
  }

  void the_least_of_several_limits_decides() {
    spec::OutputRule rule = rule_on(spec::Of::SameWeights);
    rule.max = {{"bfloat16", 1.0 / 128}};
    rule.max_rounding = 100;
    QCOMPARE(*judged(rule, evidence()).limit_value, 1.0 / 128);
    QCOMPARE(judged(rule, evidence()).verdict, VerdictWord::Rejected);
    rule.max = {{"bfloat16", 1.0}};
    QCOMPARE(*judged(rule, evidence()).limit_value, 100.0 / 512);
    QCOMPARE(judged(rule, evidence()).verdict, VerdictWord::Accepted);
  }

  void a_missing_yardstick_leaves_the_rule_undecided() {
    spec::OutputRule rule = rule_on(spec::Of::SameWeights);
    rule.max_rounding = 8;
    Evidence without = evidence();
    without.rounding.clear();
    const record::RuleVerdict verdict = judged(rule, without);
    QCOMPARE(verdict.verdict, VerdictWord::Undecided);
    QVERIFY2(mentions(verdict.reason, "the rounding floor was not measured: reference.rounding_repeats"),
             verdict.reason.c_str());
    rule.max = {{"", 1.0 / 128}};  // what fails without the yardstick fails with it
    QCOMPARE(judged(rule, without).verdict, VerdictWord::Rejected);
  }

  void a_floor_of_zero_has_no_multiples() {
    spec::OutputRule rule = rule_on(spec::Of::SameWeights);
    rule.max_rounding = 8;
    Evidence equal = evidence();
    equal.rounding = {cases(0.0, 0.0)};
    const record::RuleVerdict verdict = judged(rule, equal);
    QCOMPARE(verdict.verdict, VerdictWord::Undecided);
    QVERIFY2(mentions(verdict.reason, "the rounding floor is 0"), verdict.reason.c_str());
  }

  void a_repeat_that_is_not_finite_is_no_yardstick() {
    spec::OutputRule rule = rule_on(spec::Of::Trained);
    rule.max_spread = 8;
    Evidence broken = evidence();
    broken.spread.push_back(cases(0.0, std::nan("")));
    QVERIFY(std::isnan(*yardstick(broken.spread, rule, "bfloat16")));
    QCOMPARE(judged(rule, broken).verdict, VerdictWord::Undecided);
  }
};

QTEST_APPLESS_MAIN(YardstickTests)
#include "yardstick_tests.moc"
