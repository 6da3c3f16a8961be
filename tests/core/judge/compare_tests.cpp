// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <QTest>

#include "core/base/error.h"
#include "core/judge/judge.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

using namespace mantissa;
using namespace mantissa::judge;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A case whose three outputs are given; same_weights as the trial's where it is left out.
record::CaseRow row(const std::string& id, std::vector<double> output, std::vector<double> reference,
                    std::vector<double> target = {}) {
  record::CaseRow made;
  made.id = id;
  made.output = output;
  made.output_same_weights = std::move(output);
  made.output_reference = std::move(reference);
  made.target = std::move(target);
  return made;
}

DecisionRule decisions(DecisionKind kind, double threshold = 0.5) {
  DecisionRule rule;
  rule.kind = kind;
  rule.threshold = threshold;
  return rule;
}

record::CaseRow compared(record::CaseRow one, const DecisionRule& rule = {}) {
  std::vector<record::CaseRow> rows = {std::move(one)};
  compare(rows, rule);
  return rows.front();
}

bool close(double found, double expected) { return std::fabs(found - expected) <= 1e-12 * std::fabs(expected); }

}  // namespace

class CompareTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void case_relative_divides_by_the_larger_of_the_case_and_the_rms_of_all_cases() {
    std::vector<record::CaseRow> rows = {row("1", {1.1, -2.0}, {1.0, -2.0}), row("2", {0.3, 0.1}, {0.0, 0.1}),
                                         row("3", {4.0, -0.8}, {4.0, 0.0})};
    compare(rows, {});
    // RMS = sqrt((1 + 4 + 0 + 0.01 + 16 + 0) / 6) = 1.8712740757747557
    QVERIFY(close(rows[0].case_relative, 0.05));                      // 0.1 / 2: the case is above the RMS
    QVERIFY(close(rows[1].case_relative, 0.3 / 1.8712740757747557));  // 0.1 is below it
    QVERIFY(close(rows[2].case_relative, 0.2));                       // 0.8 / 4
    QVERIFY(close(rows[2].case_relative_same_weights, 0.2));
    QVERIFY(close(rows[1].abs_error, 0.3));
    QCOMPARE(rows[1].rel_error, kInfinity);  // 0.3 / 0
    QVERIFY(close(rows[0].rel_error, (1.1 - 1.0) / 1.0));
  }

  void nothing_over_nothing_is_zero_and_something_over_nothing_infinite() {
    QCOMPARE(compared(row("1", {0.0}, {0.0})).case_relative, 0.0);
    QCOMPARE(compared(row("1", {-0.0}, {0.0})).rel_error, 0.0);
    QCOMPARE(compared(row("1", {1e-30}, {0.0})).case_relative, kInfinity);
  }

  void nan_is_never_a_number() {
    for (const auto& [output, reference] : {std::pair(kNan, 1.0), std::pair(1.0, kNan), std::pair(kNan, kNan)}) {
      // The NaN stands first, then a difference of 1 that must not hide it.
      const record::CaseRow found = compared(row("1", {output, 3.0}, {reference, 2.0}));
      QVERIFY(std::isnan(found.case_relative));
      QVERIFY(std::isnan(found.abs_error));
      QVERIFY(std::isnan(found.rel_error));
      QVERIFY(std::isnan(found.ulp_error));
    }
  }

  void unequal_infinities_are_infinitely_far_apart() {
    for (const auto& [output, reference] :
         {std::pair(kInfinity, 1.0), std::pair(1.0, kInfinity), std::pair(kInfinity, -kInfinity)}) {
      const record::CaseRow found = compared(row("1", {output, 2.0}, {reference, 2.0}));
      QCOMPARE(found.case_relative, kInfinity);
      QCOMPARE(found.abs_error, kInfinity);
      QCOMPARE(found.rel_error, kInfinity);
      QCOMPARE(found.ulp_error, kInfinity);
    }
  }

  void equal_infinities_add_nothing_and_do_not_hide_the_rest() {
    const record::CaseRow found = compared(row("1", {-kInfinity, 3.0}, {-kInfinity, 2.0}));
    QCOMPARE(found.abs_error, 1.0);
    QCOMPARE(found.case_relative, 0.5);  // 1 / 2: the infinity is no measure of size
  }

  void numbers_beyond_fp32_are_infinitely_many_units_apart() {
    for (const auto& [a, b] : {std::pair{1e300, 5e300}, {1e300, 1.0}}) {
      QCOMPARE(compared(row("1", {a}, {b})).ulp_error, kInfinity);
      QCOMPARE(compared(row("1", {a}, {a})).ulp_error, 0.0);
    }
  }

  void numbers_that_fp32_rounds_to_zero_are_no_unit_apart() {
    QCOMPARE(compared(row("1", {1e-300}, {-1e-300})).ulp_error, 0.0);
    QCOMPARE(compared(row("1", {1e-60}, {0.0})).ulp_error, 0.0);
    QCOMPARE(compared(row("1", {1e-60}, {1.4e-45})).ulp_error, 1.0);  // the smallest number of FP32
  }

  void the_scale_of_the_reference_holds_where_squares_do_not() {
    // RMS of {1e200, 1e200} is 1e200, of {1e-200, 1e-200} 1e-200; the case itself is 0 and takes the RMS for its size
    for (const double size : {1e200, 1e-200}) {
      std::vector<record::CaseRow> rows = {row("1", {size / 2}, {0.0}), row("2", {size}, {size}),
                                           row("3", {-size}, {-size})};
      compare(rows, {});
      QVERIFY(close(rows[0].case_relative, 0.5 / std::sqrt(2.0 / 3.0)));  // RMS = size · sqrt(2 / 3)
    }
  }

  void a_mean_square_leaves_the_range_of_fp64_nowhere() {
    QVERIFY(close(root_mean_square({1e-200, -1e-200}), 1e-200));
    QVERIFY(close(root_mean_square({3e200, 4e200}), 3.5355339059327378e200));  // sqrt((9 + 16) / 2)
    QVERIFY(close(root_mean_square({3.0, 4.0}), 3.5355339059327378));
    QCOMPARE(root_mean_square({0.0, 0.0}), 0.0);
    QCOMPARE(root_mean_square({1.0, -kInfinity}), kInfinity);
    QVERIFY(std::isnan(root_mean_square({kNan, kInfinity})));
    QVERIFY(std::isnan(root_mean_square({})));
  }

  void ulp_counts_the_fp32_values_between() {
    // NumPy: differences of float32 bit patterns on the number line.
    QCOMPARE(compared(row("1", {1.0003}, {1.0})).ulp_error, 2517.0);
    QCOMPARE(compared(row("1", {1.0000001}, {1.0})).ulp_error, 1.0);
    QCOMPARE(compared(row("1", {0.101}, {0.1})).ulp_error, 134218.0);
    QCOMPARE(compared(row("1", {-1.0}, {1.0})).ulp_error, 2130706432.0);
    QCOMPARE(compared(row("1", {-1.4e-45}, {1.4e-45})).ulp_error, 2.0);  // the smallest ones of both signs
    QCOMPARE(compared(row("1", {-0.0}, {0.0})).ulp_error, 0.0);
  }

  void a_missing_output_is_not_measured_and_no_flip() {
    record::CaseRow one = row("1", {1.0, 2.0}, {1.0, 2.0});
    one.output_same_weights.clear();
    one = compared(one, decisions(DecisionKind::ArgMax));
    QVERIFY(std::isnan(one.case_relative_same_weights));
    QVERIFY(!one.flip_same_weights);
    QVERIFY(!one.decision_same_weights);
    QCOMPARE(one.case_relative, 0.0);
  }

  void outputs_of_different_length_are_refused_by_case() {
    try {
      compared(row("row 7", {1.0}, {1.0, 2.0}));
      QFAIL("no error");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::DataProblem);
      QCOMPARE(error.facts().subject, std::string("case row 7"));
    }
  }

  void arg_max_takes_the_lowest_index_on_ties() {
    const record::CaseRow found = compared(row("1", {1.0, 3.0, 3.0}, {1.0, 3.0, 2.5}), decisions(DecisionKind::ArgMax));
    QCOMPARE(*found.decision, std::int64_t{1});
    QVERIFY(found.tie);
    QCOMPARE(*found.margin, 0.0);
    QVERIFY(!found.tie_reference);
    QCOMPARE(*found.margin_reference, 0.5);  // 3 - 2.5
    QVERIFY(!found.flip);
  }

  void one_score_of_1_0003_becomes_a_tie_in_bf16_and_flips() {
    // BF16 has 8 bits of significand: the next value above 1 is 1.0078125, so 1.0003 rounds to 1.
    record::CaseRow one = row("1", {1.0, 1.0003}, {1.0, 1.0003});
    one.output_same_weights = {1.0, 1.0};
    one = compared(one, decisions(DecisionKind::ArgMax));
    QVERIFY(one.case_relative_same_weights < 2e-2);  // 0.0003 / 1.0003: inside BF16's tolerance
    QVERIFY(close(one.case_relative_same_weights, (1.0003 - 1.0) / 1.0003));
    QCOMPARE(*one.decision_reference, std::int64_t{1});
    QCOMPARE(*one.decision_same_weights, std::int64_t{0});
    QVERIFY(one.flip_same_weights);
    QVERIFY(!one.flip);
  }

  void probability_reaches_class_1_at_the_threshold() {
    const DecisionRule rule = decisions(DecisionKind::Probability, 0.75);
    const record::CaseRow found = compared(row("1", {0.75}, {0.5}), rule);
    QCOMPARE(*found.decision, std::int64_t{1});
    QVERIFY(found.tie);
    QCOMPARE(*found.decision_reference, std::int64_t{0});
    QCOMPARE(*found.margin_reference, 0.25);
    QVERIFY(found.flip);
  }

  void a_logit_decides_at_zero() {
    const record::CaseRow found = compared(row("1", {-0.0}, {-2.0}, {0.0}), decisions(DecisionKind::Logit, 0.9));
    QCOMPARE(*found.decision, std::int64_t{1});
    QVERIFY(found.tie);
    QCOMPARE(*found.margin_reference, 2.0);
    QVERIFY(found.flip);
    QCOMPARE(*found.correct, false);
    QCOMPARE(*found.correct_reference, true);
  }

  void a_regression_with_a_threshold_decides_there() {
    const DecisionRule rule = decisions(DecisionKind::Threshold, 20.0);
    const record::CaseRow found = compared(row("1", {20.5}, {19.0}, {21.0}), rule);
    QCOMPARE(*found.decision, std::int64_t{1});
    QCOMPARE(*found.margin_reference, 1.0);
    QVERIFY(found.flip);
    QCOMPARE(*found.correct, true);  // the target 21 is beyond the threshold too
    QCOMPARE(*found.correct_reference, false);
  }

  void several_binary_outputs_flip_if_one_of_them_does() {
    const record::CaseRow found =
        compared(row("1", {1.0, -1.0, 2.0}, {1.0, 0.5, 2.0}, {1.0, 1.0, 1.0}), decisions(DecisionKind::Logit));
    QCOMPARE(*found.decision, std::int64_t{5});            // bits 0 and 2
    QCOMPARE(*found.decision_reference, std::int64_t{7});  // all three
    QCOMPARE(*found.margin_reference, 0.5);
    QVERIFY(found.flip);
    QCOMPARE(*found.correct, false);
    QCOMPARE(*found.correct_reference, true);
  }

  void a_non_finite_output_has_no_decision_which_is_a_flip() {
    const record::CaseRow found = compared(row("1", {kNan, 1.0}, {0.0, 1.0}, {1.0}), decisions(DecisionKind::ArgMax));
    QVERIFY(!found.decision);
    QVERIFY(!found.margin);
    QVERIFY(found.flip);
    QCOMPARE(*found.correct, false);
    QVERIFY(compared(row("1", {0.0, 1.0}, {0.0, kInfinity}), decisions(DecisionKind::ArgMax)).flip);
  }

  void a_task_without_decision_never_flips() {
    const record::CaseRow found = compared(row("1", {kNan}, {1.0}, {1.0}));
    QVERIFY(!found.flip);
    QVERIFY(!found.correct);
  }

  void an_ignored_target_is_neither_right_nor_wrong() {
    DecisionRule rule = decisions(DecisionKind::ArgMax);
    QVERIFY(!compared(row("1", {0.0, 1.0}, {0.0, 1.0}, {-100.0}), rule).correct);
    rule.ignore_index = 1;
    QVERIFY(!compared(row("1", {0.0, 1.0}, {0.0, 1.0}, {1.0}), rule).correct);
    QVERIFY(*compared(row("1", {1.0, 0.0}, {0.0, 1.0}, {0.0}), rule).correct);
  }

  void unknown_tie_rules_are_refused() {
    DecisionRule rule = decisions(DecisionKind::ArgMax);
    rule.ties = "middle-index";
    std::vector<record::CaseRow> rows;
    QVERIFY_EXCEPTION_THROWN(compare(rows, rule), Error);
  }

  void accuracy_counts_right_decisions_of_each_side() {
    std::vector<record::CaseRow> rows = {
        row("1", {0.0, 1.0}, {0.0, 1.0}, {1.0}), row("2", {0.0, 1.0}, {1.0, 0.0}, {0.0}),
        row("3", {kNan, 1.0}, {1.0, 0.0}, {0.0}), row("4", {0.0, 1.0}, {0.0, 1.0}, {0.0}),
        row("5", {0.0, 1.0}, {0.0, 1.0}, {-100.0})};
    rows[1].output_same_weights = {1.0, 0.0};
    compare(rows, decisions(DecisionKind::ArgMax));
    // Case 5 has no class. Trained: only 1 is right; the reference: 1, 2, 3; same weights: 1, 2.
    QCOMPARE(quality(rows, "accuracy", spec::Of::Trained, false, {}, {}), 0.25);
    QCOMPARE(quality(rows, "accuracy", spec::Of::Trained, true, {}, {}), 0.75);
    QCOMPARE(quality(rows, "accuracy", spec::Of::SameWeights, false, {}, {}), 0.5);
  }

  void rmse_and_mae_are_in_the_targets_own_unit() {
    const TargetUnit unit{{2.0}, {3.0}, true};
    std::vector<record::CaseRow> rows = {row("1", {0.4}, {0.5}, {0.5}), row("2", {-0.3}, {-0.5}, {-0.5})};
    compare(rows, {});
    // Targets 10^(2·0.5 + 3) = 10,000 and 10^(2·-0.5 + 3) = 100; outputs 10^3.8 = 6309.573… and 10^2.4 = 251.188…
    // NumPy: 2611.714586735017 and 1920.8075991745138.
    QVERIFY(close(quality(rows, "rmse", spec::Of::Trained, false, unit, {}), 2611.714586735017));
    QVERIFY(close(quality(rows, "mae", spec::Of::Trained, false, unit, {}), 1920.8075991745138));
    QCOMPARE(quality(rows, "rmse", spec::Of::Trained, true, unit, {}), 0.0);
  }

  void units_belong_to_columns() {
    // Second column is in steps of 10: errors 1 and 10·2 = 20, mean 10.5.
    const TargetUnit unit{{1.0, 10.0}, {0.0, 5.0}, false};
    std::vector<record::CaseRow> rows = {row("1", {2.0, 3.0}, {1.0, 1.0}, {1.0, 1.0})};
    QCOMPARE(quality(rows, "mae", spec::Of::Trained, false, unit, {}), 10.5);
  }

  void quality_of_non_finite_outputs_is_not_finite() {
    std::vector<record::CaseRow> rows = {row("1", {kNan}, {1.0}, {1.0}), row("2", {1.0}, {1.0}, {1.0})};
    QVERIFY(std::isnan(quality(rows, "rmse", spec::Of::Trained, false, {}, {})));
    rows[0].output = {kInfinity};
    QCOMPARE(quality(rows, "mae", spec::Of::Trained, false, {}, {}), kInfinity);
  }

  void quality_without_targets_or_outputs_is_no_number() {
    std::vector<record::CaseRow> rows = {row("1", {1.0}, {1.0})};
    QVERIFY(std::isnan(quality(rows, "rmse", spec::Of::Trained, false, {}, {})));
    rows[0].target = {1.0};
    rows[0].output.clear();
    QVERIFY(std::isnan(quality(rows, "rmse", spec::Of::Trained, false, {}, {})));
    QVERIFY_EXCEPTION_THROWN(quality(rows, "beauty", spec::Of::Trained, false, {}, {}), Error);
  }

  void quantiles_equal_numpys() {
    const std::vector<double> five = {0.3, 0.1, 0.7, 0.2, 0.9};
    const std::vector<double> four = {0.3, 0.1, 0.7, 0.2};
    // numpy.quantile, median and mean of the same lists.
    QCOMPARE(reduce(five, spec::Reduce::Quantile, 0.99), 0.892);
    QCOMPARE(reduce(five, spec::Reduce::Quantile, 0.3), 0.22);
    QCOMPARE(reduce(four, spec::Reduce::Quantile, 0.99), 0.6879999999999998);
    QCOMPARE(reduce(five, spec::Reduce::Quantile, 1.0), 0.9);
    QCOMPARE(reduce(five, spec::Reduce::Median, 0.0), 0.3);
    QCOMPARE(reduce(four, spec::Reduce::Median, 0.0), 0.25);
    QVERIFY(close(reduce(five, spec::Reduce::Mean, 0.0), 0.44));
    QCOMPARE(reduce(five, spec::Reduce::Max, 0.0), 0.9);
  }

  void infinities_count_in_quantiles_only_where_they_take_part() {
    const std::vector<double> values = {3.0, 1.0, kInfinity, 2.0};
    QCOMPARE(reduce(values, spec::Reduce::Quantile, 0.5), 2.5);
    QCOMPARE(reduce(values, spec::Reduce::Quantile, 0.99), kInfinity);
    QVERIFY(std::isnan(reduce({1.0, kNan, 2.0}, spec::Reduce::Median, 0.0)));
    QVERIFY(std::isnan(reduce({}, spec::Reduce::Max, 0.0)));
  }

  void numbers_in_sentences_are_short_unless_that_would_mislead() {
    QCOMPARE(short_number(0.0123456), std::string("0.01235"));
    QCOMPARE(short_number(-kInfinity), std::string("−∞"));
    QCOMPARE(number_beside(0.02000049, 0.02), std::string("0.02000049"));
    QCOMPARE(number_beside(0.02, 0.02), std::string("0.02"));
    QCOMPARE(judge::count(1204, "step"), std::string("1,204 steps"));
    QCOMPARE(judge::count(1, "case"), std::string("1 case"));
    QCOMPARE(judge::count(1000000), std::string("1,000,000"));
    QCOMPARE(judge::count(-100), std::string("-100"));
    QCOMPARE(first_three({"a", "b", "c", "d", "e"}), std::string("a, b, c and 2 more"));
    QCOMPARE(first_three({"a", "b"}), std::string("a and b"));
  }
};

QTEST_GUILESS_MAIN(CompareTests)
#include "compare_tests.moc"
