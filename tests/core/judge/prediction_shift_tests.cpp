// SPDX-License-Identifier: Apache-2.0
// Distributions of outputs beside the reference's, the rule on them, and paired decisions.
#include <cmath>
#include <limits>
#include <vector>

#include <QTest>

#include "core/judge/judge.h"
#include "core/judge/prediction_shift.h"

using namespace mantissa;

namespace {

/// One output a case: the reference says 0, 1, 2, 3; the trial what is given.
std::vector<record::CaseRow> rowsOf(const std::vector<double>& trial) {
  std::vector<record::CaseRow> rows;
  for (std::size_t i = 0; i < trial.size(); ++i) {
    record::CaseRow& row = rows.emplace_back();
    row.id = std::to_string(i + 1);
    row.output_reference = {static_cast<double>(i)};
    row.output = row.output_same_weights = {trial[i]};
  }
  return rows;
}

record::RuleVerdict judged(const std::vector<double>& trial, const std::string& measure, double max) {
  spec::Rules rules;
  spec::DistributionRule& rule = rules.distribution.emplace_back();
  rule.measure = measure;
  rule.max = max;
  judge::Evidence evidence;
  evidence.task = spec::Task::Regression;
  evidence.cases = rowsOf(trial);
  judge::compare(evidence.cases, evidence.decision);
  for (const record::RuleVerdict& one : judge::judge(rules, "", evidence).rules) {
    if (one.name == "distribution") return one;
  }
  return {};
}

}  // namespace

class PredictionShiftTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_case_is_in_a_bar_or_counted_as_non_finite() {
    const auto shifts =
        judge::prediction_shifts(rowsOf({0.0, 1.0, std::numeric_limits<double>::infinity(), 5.0}), spec::Of::Trained);
    QCOMPARE(shifts.size(), std::size_t{1});
    QCOMPARE(shifts[0].low, 0.0);
    QCOMPARE(shifts[0].high, 5.0);
    QCOMPARE(shifts[0].non_finite, std::int64_t{1});
    std::int64_t count = 0;
    for (const std::int64_t one : shifts[0].counts) count += one;
    QCOMPARE(count, std::int64_t{3});
    QCOMPARE(shifts[0].counts.back(), std::int64_t{1});  // 5 belongs to the last bar
    // The reference has 0.75 of its values up to 2, the trial 0.5: the largest difference, also at 3.
    QCOMPARE(shifts[0].kolmogorov_smirnov, 0.5);
  }

  void the_rule_holds_at_its_limit_and_not_beyond() {
    // All four values above the reference's 3: the distance is 1; equal ones: 0; one of four above: 0.25.
    QVERIFY(judged({0.0, 1.0, 2.0, 9.0}, "ks", 0.25).verdict == record::VerdictWord::Accepted);
    QVERIFY(judged({0.0, 1.0, 2.0, 9.0}, "ks", 0.2499).verdict == record::VerdictWord::Rejected);
    QVERIFY(judged({0.0, 1.0, 2.0, 3.0}, "psi", 0.0).verdict == record::VerdictWord::Accepted);
    QVERIFY(judged({9.0, 9.0, 9.0, 9.0}, "psi", 0.25).verdict == record::VerdictWord::Rejected);
  }

  void outputs_that_are_no_number_are_rejected() {
    QVERIFY(judged({0.0, std::nan(""), 2.0, 3.0}, "psi", 100.0).verdict == record::VerdictWord::Rejected);
  }

  void paired_decisions_count_cases_that_one_side_alone_has_right() {
    std::vector<record::CaseRow> rows = rowsOf({0, 0, 0, 0, 0});
    const std::vector<std::pair<bool, bool>> right = {
        {true, false}, {true, false}, {true, false}, {false, true}, {true, true}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].correct_reference = right[i].first;
      rows[i].correct = right[i].second;
    }
    const auto paired = judge::paired_decisions(rows);
    QCOMPARE(paired.size(), std::size_t{1});  // same_weights was not measured
    QCOMPARE(paired[0].only_reference, std::int64_t{3});
    QCOMPARE(paired[0].only_trial, std::int64_t{1});
    QCOMPARE(paired[0].p_value, 0.625);  // 2 (1 + 4) / 16
  }
};

QTEST_APPLESS_MAIN(PredictionShiftTests)
#include "prediction_shift_tests.moc"
