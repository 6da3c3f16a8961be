// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <QTest>

#include "core/base/error.h"
#include "core/judge/judge.h"
#include "core/judge/positions.h"

using namespace mantissa;
using namespace mantissa::judge;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

DecisionRule per_position(std::int64_t positions) {
  DecisionRule rule;
  rule.kind = DecisionKind::ArgMax;
  rule.positions = positions;
  return rule;
}

// Two positions of three characters. Reference: decides 1, 2. Trained: decides 1, 0. Targets 1, 2.
record::CaseRow sample(const std::string& id) {
  record::CaseRow row;
  row.id = id;
  row.output_reference = {1.0, 2.0, 0.0, 0.5, 0.5, 3.0};
  row.output = {1.0, 2.5, 0.0, 3.0, 0.5, 2.0};
  row.output_same_weights = {1.0, 2.0, 0.0, 0.5, 0.5, 2.5};
  row.target = {1.0, 2.0};
  return row;
}

std::vector<record::CaseRow> compared(std::vector<record::CaseRow> rows, std::int64_t positions = 2) {
  compare(rows, per_position(positions));
  return rows;
}

bool close(double found, double expected) { return std::fabs(found - expected) <= 1e-12 * std::fabs(expected); }

Evidence evidence_of(std::vector<record::CaseRow> rows) {
  Evidence evidence;
  evidence.autocast = "bfloat16";
  evidence.task = spec::Task::LanguageModel;
  evidence.decision = per_position(2);
  evidence.cases = std::move(rows);
  evidence.counts.attempted = evidence.counts.applied = 10;
  return evidence;
}

}  // namespace

class PositionTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void flips_are_counted_by_position_and_by_case() {
    const record::CaseRow row = compared({sample("1")}).front();
    QCOMPARE(*row.positions, 2);
    QCOMPARE(*row.position_flips, 1);
    QVERIFY(row.flip);
    QCOMPARE(*row.position_flips_same_weights, 0);
    QVERIFY(!row.flip_same_weights);
    QCOMPARE(*row.positions_correct, 1);
    QCOMPARE(*row.positions_correct_reference, 2);
    QVERIFY(!row.decision && !row.correct);
    QCOMPARE(*row.margin_reference, 1.0);  // 2 - 1 and 3 - 0.5
  }

  void a_side_that_was_not_measured_leaves_its_columns_empty() {
    record::CaseRow repeat = sample("1");
    repeat.output_same_weights.clear();
    const record::CaseRow trained = compared({repeat}).front();
    QCOMPARE(*trained.position_flips, 1);
    QVERIFY(!trained.position_flips_same_weights && !trained.nll_same_weights && !trained.output_rmse_same_weights);
    record::CaseRow rounding = sample("1");
    rounding.output.clear();
    const record::CaseRow same_weights = compared({rounding}).front();
    QCOMPARE(*same_weights.position_flips_same_weights, 0);
    QVERIFY(!same_weights.position_flips && !same_weights.nll && !same_weights.output_rmse && !same_weights.flip);
  }

  void negative_log_likelihood_is_that_of_the_softmax() {
    // numpy: -(x - log(sum(exp(x)))) at the targets, averaged over both positions
    //   reference: log(e + e^2 + 1) - 2 = 0.4076059644443801, log(2 e^0.5 + e^3) - 3 = 0.1519033024559456
    const record::CaseRow row = compared({sample("1")}).front();
    QVERIFY(close(*row.nll_reference, (std::log(std::exp(1.0) + std::exp(2.0) + 1.0) - 2.0 +
                                       std::log(2.0 * std::exp(0.5) + std::exp(3.0)) - 3.0) /
                                          2.0));
  }

  void log_probabilities_are_taken_as_they_are() {
    DecisionRule rule = per_position(2);
    rule.log_probabilities = true;
    const PositionDecisions decisions = decide_positions(rule, {-1.0, -0.5, -3.0, -2.0, -0.25, -1.5}, {1.0, 0.0});
    QCOMPARE(decisions.nll, 1.25);  // (0.5 + 2) / 2
  }

  void perplexity_is_the_exponential_of_the_mean_over_all_positions() {
    record::CaseRow uniform = sample("2");
    uniform.output = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const auto rows = compared({uniform, uniform});
    // Every character is as likely as the other two.
    QVERIFY(close(quality(rows, "perplexity", spec::Of::Trained, false, {}, {}), 3.0));
    const double reference = quality(rows, "perplexity", spec::Of::Trained, true, {}, {});
    QVERIFY(close(reference, std::exp(*rows[0].nll_reference)));
  }

  void a_large_logit_does_not_overflow() {
    record::CaseRow row = sample("1");
    row.output = {1000.0, 2000.0, 0.0, -3000.0, -3000.0, -2000.0};
    QCOMPARE(*compared({row}).front().nll, 0.0);  // the target's probability is 1 to the last bit of FP64
  }

  void accuracy_is_the_share_of_right_positions() {
    const auto rows = compared({sample("1"), sample("2")});
    QCOMPARE(quality(rows, "accuracy", spec::Of::Trained, false, {}, {}), 0.5);
    QCOMPARE(quality(rows, "accuracy", spec::Of::Trained, true, {}, {}), 1.0);
  }

  void differences_are_taken_before_the_outputs_are_dropped() {
    const record::CaseRow row = compared({sample("1")}).front();
    QVERIFY(row.output.empty() && row.output_reference.empty() && row.output_same_weights.empty());
    QVERIFY(row.target.empty());
    QCOMPARE(row.abs_error, 2.5);  // 3.0 against 0.5
    QCOMPARE(row.abs_error_same_weights, 0.5);
    // max |o - o_ref| / max |o_ref| of the case, 3, which is above the RMS of its outputs
    QVERIFY(close(row.case_relative, 2.5 / 3.0));
    // sqrt((0.25 + 6.25 + 1) / 6)
    QVERIFY(close(*row.output_rmse, std::sqrt(7.5 / 6.0)));
  }

  void a_position_without_a_number_makes_no_decision_and_flips() {
    record::CaseRow row = sample("1");
    row.output[4] = kNan;
    row = compared({row}).front();
    QCOMPARE(*row.positions_non_finite, 1);
    QCOMPARE(*row.position_flips, 1);
    QVERIFY(std::isnan(*row.nll));
    QVERIFY(!row.margin);
    const record::Verdict verdict = judge::judge(std::nullopt, "", evidence_of({row}));
    QVERIFY(verdict.word == record::VerdictWord::Rejected);
    QVERIFY2(verdict.reasons.front().find("non-finite") != std::string::npos, verdict.reasons.front().c_str());
  }

  void a_non_finite_reference_leaves_everything_undecided() {
    record::CaseRow row = sample("1");
    row.output_reference[0] = kNan;
    const record::Verdict verdict = judge::judge(std::nullopt, "", evidence_of(compared({row})));
    QVERIFY(verdict.word == record::VerdictWord::Undecided);
  }

  void rules_on_flips_and_outputs_hold_for_dropped_outputs() {
    spec::Rules rules;
    spec::OutputRule output;
    output.of = spec::Of::Trained;
    output.measure = "rmse";
    output.reduce = spec::Reduce::Max;
    output.max[""] = 1.0;
    rules.output.push_back(output);
    rules.flips.emplace();
    rules.flips->of = spec::Of::Trained;
    rules.flips->max = 0;
    const record::Verdict verdict = judge::judge(rules, "", evidence_of(compared({sample("1"), sample("2")})));
    QVERIFY(verdict.word == record::VerdictWord::Rejected);
    bool flips = false;
    bool rmse = false;
    for (const record::RuleVerdict& rule : verdict.rules) {
      if (rule.name == "flips") {
        flips = true;
        QCOMPARE(*rule.value, 2.0);
        QVERIFY2(rule.reason.find("2 of 4 positions decide differently") != std::string::npos, rule.reason.c_str());
        QVERIFY2(rule.reason.find("1 (1 of 2 positions)") != std::string::npos, rule.reason.c_str());
      }
      if (rule.name == "output") {
        rmse = true;
        QVERIFY(close(*rule.value, std::sqrt(7.5 / 6.0)));
      }
    }
    QVERIFY(flips && rmse);
  }

  void a_rule_on_perplexity_gets_worse_upwards() {
    spec::Rules rules;
    spec::QualityRule quality;
    quality.max_drop_relative = 0.005;
    rules.quality.push_back(quality);  // the metric of the task
    const record::Verdict verdict = judge::judge(rules, "", evidence_of(compared({sample("1")})));
    QVERIFY(verdict.word == record::VerdictWord::Rejected);
    QVERIFY2(verdict.reasons.front().find("perplexity") != std::string::npos, verdict.reasons.front().c_str());
    QVERIFY2(verdict.reasons.front().find("above the reference") != std::string::npos, verdict.reasons.front().c_str());
  }

  void outputs_that_do_not_divide_into_positions_are_refused() {
    QVERIFY_EXCEPTION_THROWN(compared({sample("1")}, 4), Error);
  }
};

QTEST_GUILESS_MAIN(PositionTests)
#include "position_tests.moc"
