// SPDX-License-Identifier: Apache-2.0
// Gains and losses of decisions. Every expected sum is worked out in the comment beside it.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <QTest>

#include "core/judge/utility.h"

using namespace mantissa;
using namespace mantissa::judge;
using record::CaseRow;
using record::RuleVerdict;

namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

CaseRow case_of(const std::string& id, const Values& reference, const Values& trained, const Values& target,
                const std::string& slice = "") {
  CaseRow row;
  row.id = id;
  row.output_reference = row.output_same_weights = reference;
  row.output = trained;
  row.target = target;
  row.slice = slice;
  return row;
}

spec::Utility gains() {
  spec::Utility utility;
  utility.matrix = {{1, -5}, {0, 2}};  // truth 0: 1 for 0, -5 for 1; truth 1: 0 for 0, 2 for 1
  return utility;
}

Evidence evidence_of(std::vector<CaseRow> cases, DecisionKind kind = DecisionKind::ArgMax) {
  Evidence evidence;
  evidence.counts = {1, 1, 0, 1, 1};
  evidence.decision.kind = kind;
  evidence.utility = gains();
  evidence.cases = std::move(cases);
  compare(evidence.cases, evidence.decision);
  return evidence;
}

/// Reference decides 0, 1, 0, 1, trained 1, 1, 1, 0, of the truths 0, 1, 1, 1.
/// Reference: 1 + 2 + 0 + 2 = 5. Trained: -5 + 2 + 2 + 0 = -1.
Evidence four_cases() {
  return evidence_of({case_of("1", {1, 0}, {0, 1}, {0}, "a"), case_of("2", {0, 1}, {0, 1}, {1}, "a"),
                      case_of("3", {1, 0}, {0, 1}, {1}, "b"), case_of("4", {0, 1}, {1, 0}, {1}, "b")});
}

RuleVerdict judged(const spec::UtilityRule& rule, const Evidence& evidence) {
  spec::Rules rules;
  rules.utility = rule;
  return judge::judge(rules, "hash", evidence).rules.back();
}

spec::UtilityRule at_least(double min) {
  spec::UtilityRule rule;
  rule.min = min;
  return rule;
}

spec::UtilityRule drop_of(double max_drop) {
  spec::UtilityRule rule;
  rule.max_drop = max_drop;
  return rule;
}

record::Utility sums(const Evidence& evidence) {
  return utility_of(evidence.cases, evidence.decision, *evidence.utility);
}

}  // namespace

#define COMPARE_WORD(found, word) QCOMPARE(std::string(record::to_text(found)), std::string(word))

class UtilityTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gains_and_losses_are_summed_by_truth_and_decision_and_by_slice() {
    const record::Utility found = sums(four_cases());
    QCOMPARE(found.sums.size(), std::size_t{3});
    QCOMPARE(found.sums[0].cases, std::int64_t{4});
    QCOMPARE(found.sums[0].reference, 5.0);
    QCOMPARE(found.sums[0].same_weights, std::optional<double>(5.0));
    QCOMPARE(found.sums[0].trained, std::optional<double>(-1.0));
    QCOMPARE(found.sums[1].slice, std::string("a"));
    QCOMPARE(found.sums[1].reference, 3.0);                        // 1 + 2
    QCOMPARE(found.sums[1].trained, std::optional<double>(-3.0));  // -5 + 2
    QCOMPARE(found.sums[2].reference, 2.0);                        // 0 + 2
    QCOMPARE(found.sums[2].trained, std::optional<double>(2.0));   // 2 + 0
  }

  void a_case_without_a_truth_does_not_count() {
    Evidence evidence = evidence_of({case_of("1", {1, 0}, {1, 0}, {0}), case_of("2", {1, 0}, {0, 1}, {})});
    QCOMPARE(sums(evidence).sums[0].cases, std::int64_t{1});
    QCOMPARE(sums(evidence).sums[0].trained, std::optional<double>(1.0));
  }

  void where_no_class_is_decided_for_the_worst_of_the_row_counts_or_what_is_declared() {
    Evidence evidence = evidence_of({case_of("1", {1, 0}, {std::nan(""), 0}, {0})});
    QCOMPARE(sums(evidence).sums[0].trained, std::optional<double>(-5.0));
    evidence.utility->no_decision = -0.5;
    QCOMPARE(sums(evidence).sums[0].trained, std::optional<double>(-0.5));
    Evidence tied = evidence_of({case_of("1", {1, 0}, {1, 1}, {1})});
    QCOMPARE(sums(tied).sums[0].trained, std::optional<double>(0.0));  // lowest index: decides 0, truth 1
    tied.decision.ties = "tie-is-a-decision";
    tied.utility->no_decision = -0.5;
    QCOMPARE(sums(tied).sums[0].trained, std::optional<double>(-0.5));
    // Three outputs, and gains for two of them: nobody declared what the third is worth.
    const Evidence beyond = evidence_of({case_of("1", {1, 0, 0}, {0, 0, 1}, {0})});
    QCOMPARE(sums(beyond).sums[0].trained, std::optional<double>(-5.0));
  }

  void a_set_that_may_flip_leaves_the_decision_of_the_task_its_worth() {
    Evidence evidence = four_cases();
    evidence.decision.form = spec::FlipsDecision::TopK;
    evidence.decision.k = 1;
    QCOMPARE(sums(evidence).sums[0].trained, std::optional<double>(-1.0));
  }

  void a_threshold_decides_between_two() {
    // Logits -1, 2 decide 0, 1; truths 1, 1: 0 + 2. Two outputs of a case are summed: 0 for 1 and 1 for 1.
    const Evidence single =
        evidence_of({case_of("1", {-1}, {-1}, {1}), case_of("2", {2}, {2}, {1})}, DecisionKind::Logit);
    QCOMPARE(sums(single).sums[0].trained, std::optional<double>(2.0));
    const Evidence both = evidence_of({case_of("1", {-1, 2}, {-1, 2}, {1, 1})}, DecisionKind::Logit);
    QCOMPARE(sums(both).sums[0].trained, std::optional<double>(2.0));
    QCOMPARE(classes_of_utility(single.decision, 7), std::int64_t{2});
    QCOMPARE(classes_of_utility(four_cases().decision, 7), std::int64_t{7});
  }

  void a_least_sum_holds_on_its_limit_and_below_and_not_above() {
    COMPARE_WORD(judged(at_least(-1), four_cases()).verdict, "accepted");
    COMPARE_WORD(judged(at_least(std::nextafter(-1, -kInfinity)), four_cases()).verdict, "accepted");
    const RuleVerdict rejected = judged(at_least(std::nextafter(-1, kInfinity)), four_cases());
    COMPARE_WORD(rejected.verdict, "rejected");
    QCOMPARE(rejected.value, std::optional<double>(-1.0));
    QCOMPARE(rejected.name, std::string("utility"));
  }

  void a_drop_holds_on_its_limit_and_above_and_not_below() {
    // 5 - (-1) = 6
    COMPARE_WORD(judged(drop_of(6), four_cases()).verdict, "accepted");
    COMPARE_WORD(judged(drop_of(6.001), four_cases()).verdict, "accepted");
    const RuleVerdict rejected = judged(drop_of(5.999), four_cases());
    COMPARE_WORD(rejected.verdict, "rejected");
    QVERIFY(rejected.reason.find("the reference has 5") != std::string::npos);
    QVERIFY(rejected.reason.find("not met") != std::string::npos);
  }

  void of_two_limits_the_one_that_does_not_hold_decides() {
    spec::UtilityRule rule = at_least(-2);
    rule.max_drop = 1;
    QCOMPARE(judged(rule, four_cases()).limit_value, std::optional<double>(4.0));  // 5 - 1
    rule = at_least(0);
    rule.max_drop = 7;
    const RuleVerdict by_min = judged(rule, four_cases());
    QCOMPARE(by_min.limit_value, std::optional<double>(0.0));
    COMPARE_WORD(by_min.verdict, "rejected");
  }

  void the_rule_may_be_of_same_weights_and_of_a_slice() {
    spec::UtilityRule rule = drop_of(0);
    rule.of = spec::Of::SameWeights;
    COMPARE_WORD(judged(rule, four_cases()).verdict, "accepted");
    rule.of = spec::Of::Trained;
    rule.slice = "b";
    COMPARE_WORD(judged(rule, four_cases()).verdict, "accepted");
    rule.slice = "a";
    COMPARE_WORD(judged(rule, four_cases()).verdict, "rejected");
  }

  void what_is_missing_leaves_the_rule_undecided() {
    Evidence evidence = four_cases();
    evidence.utility.reset();
    COMPARE_WORD(judged(at_least(0), evidence).verdict, "undecided");
    Evidence without = four_cases();
    for (CaseRow& row : without.cases) row.output.clear();
    COMPARE_WORD(judged(at_least(-100), without).verdict, "undecided");
    QVERIFY(!sums(without).sums[0].trained);
    const Evidence no_truth = evidence_of({case_of("1", {1, 0}, {1, 0}, {})});
    COMPARE_WORD(judged(at_least(-100), no_truth).verdict, "undecided");
  }
};

QTEST_GUILESS_MAIN(UtilityTests)
#include "utility_tests.moc"
