// SPDX-License-Identifier: Apache-2.0
// Rules at their limits: on it, the next number inside, the next number outside. Every expected value is worked out in
// the comment beside it.
#include <algorithm>
#include <cmath>
#include <limits>

#include <QTest>

#include "core/base/error.h"
#include "core/judge/judge.h"

using namespace mantissa;
using namespace mantissa::judge;
using record::CaseKind;
using record::CaseRow;
using record::RuleVerdict;
using record::Verdict;
using record::VerdictWord;

namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

CaseRow case_of(const std::string& id, const Values& reference, const Values& output, double target,
                const std::string& slice = "") {
  CaseRow row;
  row.id = id;
  row.output_reference = reference;
  row.output = row.output_same_weights = output;
  row.target = {target};
  row.slice = slice;
  return row;
}

Evidence evidence_of(std::vector<CaseRow> cases, DecisionKind kind = DecisionKind::ArgMax) {
  Evidence evidence;
  evidence.autocast = "bfloat16";
  evidence.counts = {100, 100, 0, 100, 3200};
  evidence.decision.kind = kind;
  evidence.task = kind == DecisionKind::None ? spec::Task::Regression : spec::Task::Classification;
  evidence.cases = std::move(cases);
  compare(evidence.cases, evidence.decision);
  return evidence;
}

RuleVerdict judged(const spec::Rules& rules, const Evidence& evidence) {
  return judge::judge(rules, "hash", evidence).rules.back();
}

RuleVerdict by_output(spec::OutputRule rule, const Evidence& evidence) {
  spec::Rules rules;
  rules.output = {std::move(rule)};
  return judged(rules, evidence);
}

spec::OutputRule at_most(const std::string& measure, double max) {
  spec::OutputRule rule;
  rule.measure = measure;
  rule.reduce = spec::Reduce::Max;
  rule.max[""] = max;
  return rule;
}

RuleVerdict by_quality(spec::QualityRule rule, const Evidence& evidence) {
  spec::Rules rules;
  rules.quality = {std::move(rule)};
  return judged(rules, evidence);
}

RuleVerdict by_cost(spec::CostRule rule, const Evidence& evidence) {
  spec::Rules rules;
  rules.cost = {std::move(rule)};
  return judged(rules, evidence);
}

spec::QualityRule metric(const std::string& name) {
  spec::QualityRule rule;
  rule.metric = name;
  return rule;
}

double quality_of(const Evidence& evidence, const std::string& name) {
  return quality(evidence.cases, name, spec::Of::Trained, false, evidence.unit, evidence.decision);
}

double next_below(double value) { return std::nextafter(value, -kInfinity); }
double next_above(double value) { return std::nextafter(value, kInfinity); }

}  // namespace

#define COMPARE_WORD(found, word) QCOMPARE(std::string(record::to_text(found)), std::string(word))

class RuleLimitTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void each_measure_holds_on_its_limit_and_below_and_not_above_data() {
    QTest::addColumn<QString>("measure");
    QTest::addColumn<double>("value");
    // Reference (4, 3), trial (4, 3.5): the one difference is 0.5.
    QTest::newRow("abs") << "abs" << 0.5;
    QTest::newRow("rel") << "rel" << 0.5 / 3.0;
    // Divided by the largest |reference output| of the case, 4; the RMS of all, sqrt(25 / 2) = 3.5…, is smaller.
    QTest::newRow("case_relative") << "case_relative" << 0.125;
    // sqrt((0² + 0.5²) / 2)
    QTest::newRow("rmse") << "rmse" << std::sqrt(0.125);
    // From 2 to 4 FP32 numbers are 2^-22 apart: 0.5 is 2^21 of them.
    QTest::newRow("ulp") << "ulp" << 2097152.0;
    // (16 + 10.5) / (5 · sqrt(28.25))
    QTest::newRow("cosine") << "cosine" << 1.0 - 26.5 / (std::sqrt(28.25) * 5.0);
  }
  void each_measure_holds_on_its_limit_and_below_and_not_above() {
    QFETCH(QString, measure);
    QFETCH(double, value);
    const Evidence evidence = evidence_of({case_of("1", {4, 3}, {4, 3.5}, 0)});
    const std::string name = measure.toStdString();
    const RuleVerdict on_it = by_output(at_most(name, value), evidence);
    QCOMPARE(on_it.value, std::optional<double>(value));
    COMPARE_WORD(on_it.verdict, "accepted");
    COMPARE_WORD(by_output(at_most(name, next_above(value)), evidence).verdict, "accepted");
    COMPARE_WORD(by_output(at_most(name, next_below(value)), evidence).verdict, "rejected");
  }

  void cosine_knows_zero_vectors() {
    COMPARE_WORD(by_output(at_most("cosine", 0), evidence_of({case_of("1", {0, 0}, {0, 0}, 0)})).verdict, "accepted");
    QCOMPARE(by_output(at_most("cosine", 1), evidence_of({case_of("1", {0, 1}, {0, 0}, 0)})).value,
             std::optional<double>(1.0));
    // Opposite directions are 2 apart.
    QCOMPARE(by_output(at_most("cosine", 1), evidence_of({case_of("1", {0, 1}, {0, -3}, 0)})).value,
             std::optional<double>(2.0));
  }

  /// |o − r| <= 1e-5 + 1.6e-2 |r|: 0.01601 of 1, of which 1.0160 stays within and 1.0161 does not.
  void assert_close_is_element_by_element() {
    spec::OutputRule rule = at_most("elementwise", 1);
    rule.preset = "assert_close";
    rule.tolerances = {{"float16", {1e-3, 1e-5}}, {"bfloat16", {1.6e-2, 1e-5}}};
    COMPARE_WORD(by_output(rule, evidence_of({case_of("1", {1, 0}, {1.0160, 0}, 0)})).verdict, "accepted");
    COMPARE_WORD(by_output(rule, evidence_of({case_of("1", {1, 0}, {1.0161, 0}, 0)})).verdict, "rejected");
    // A reference of 0 has the absolute tolerance alone.
    COMPARE_WORD(by_output(rule, evidence_of({case_of("1", {1, 0}, {1, 0.9e-5}, 0)})).verdict, "accepted");
    COMPARE_WORD(by_output(rule, evidence_of({case_of("1", {1, 0}, {1, 1.1e-5}, 0)})).verdict, "rejected");
    Evidence half = evidence_of({case_of("1", {1, 0}, {1.0160, 0}, 0)});
    half.autocast = "float16";  // 1.01e-3 of 1
    const RuleVerdict verdict = by_output(rule, half);
    COMPARE_WORD(verdict.verdict, "rejected");
    QVERIFY(verdict.limit.find("made per operator, not per network") != std::string::npos);
  }

  /// The reference is 0.1 away from FP64 in both elements: at most 3 · 0.1 + 0.01 / 10 = 0.301 is allowed.
  void torchdynamos_rule_weighs_the_trial_by_the_references_own_error() {
    spec::OutputRule rule;
    rule.preset = "torchdynamo";
    rule.measure = "float64_rmse";
    rule.reduce = spec::Reduce::Max;
    rule.max[""] = 1;
    rule.float64_multiples = {{"bfloat16", 3.0}};
    rule.float64_tolerance = 0.01;
    const auto with = [](double off) {
      Evidence evidence = evidence_of({case_of("1", {1.1, 2.1}, {1 + off, 2 + off}, 0)});
      evidence.rounding = {{case_of("1", {1.1, 2.1}, {1, 2}, 0)}};
      evidence.float64 = 0;
      return evidence;
    };
    COMPARE_WORD(by_output(rule, with(0.3009)).verdict, "accepted");
    const RuleVerdict beyond = by_output(rule, with(0.3011));
    COMPARE_WORD(beyond.verdict, "rejected");
    QVERIFY(std::fabs(*beyond.limit_value - 0.301) < 1e-12);
    QVERIFY(std::fabs(*beyond.value - 0.3011) < 1e-12);
    Evidence without = with(0.1);
    without.float64.reset();
    const RuleVerdict missing = by_output(rule, without);
    COMPARE_WORD(missing.verdict, "undecided");
    QVERIFY(missing.reason.find("reference.float64") != std::string::npos);
  }

  /// A reference that is nearly exact allows nothing but a tenth of the tolerance; outputs within 0.01 + 0.01 |FP64|
  /// of FP64 pass all the same.
  void torchdynamos_rule_takes_what_is_close_to_float64() {
    spec::OutputRule rule = at_most("float64_rmse", 1);
    rule.preset = "torchdynamo";
    rule.float64_multiples = {{"bfloat16", 3.0}};
    rule.float64_tolerance = 0.01;
    Evidence evidence = evidence_of({case_of("1", {1, 2}, {1.015, 2}, 0)});
    evidence.rounding = {{case_of("1", {1, 2}, {1, 2}, 0)}};
    evidence.float64 = 0;
    COMPARE_WORD(by_output(rule, evidence).verdict, "accepted");  // 0.015 <= 0.01 + 0.01
    evidence.cases[0].output_same_weights[0] = 1.025;
    COMPARE_WORD(by_output(rule, evidence).verdict, "rejected");
  }

  void a_rule_on_a_slice_sees_its_cases_alone() {
    const Evidence evidence =
        evidence_of({case_of("1", {0, 1}, {0, 1}, 1, "north"), case_of("2", {0, 1}, {0, 3}, 1, "south")});
    spec::OutputRule rule = at_most("abs", 0.5);
    COMPARE_WORD(by_output(rule, evidence).verdict, "rejected");
    rule.slice = "north";
    const RuleVerdict north = by_output(rule, evidence);
    COMPARE_WORD(north.verdict, "accepted");
    QCOMPARE(north.cases, 1);
    QVERIFY(north.limit.find("of slice north") != std::string::npos);
    rule.slice = "south";
    COMPARE_WORD(by_output(rule, evidence).verdict, "rejected");
    rule.slice = "west";
    const RuleVerdict west = by_output(rule, evidence);
    COMPARE_WORD(west.verdict, "undecided");
    QCOMPARE(west.reason, std::string("no frozen case is of slice west"));
    spec::QualityRule half = metric("accuracy");
    half.slice = "south";
    half.min = 1.0;
    COMPARE_WORD(by_quality(half, evidence).verdict, "accepted");
  }

  /// Decisions 0 1 1 1 for truths 0 0 1 1: of class 0 precision 1 and recall 1/2, of class 1 precision 2/3 and recall
  /// 1, so F1 is 2/3 and 4/5, and their mean 11/15.
  void f1_is_the_mean_over_the_classes() {
    const Evidence evidence = evidence_of({case_of("1", {1, 0}, {1, 0}, 0), case_of("2", {1, 0}, {0, 1}, 0),
                                           case_of("3", {0, 1}, {0, 1}, 1), case_of("4", {0, 1}, {0, 1}, 1)});
    QCOMPARE(quality_of(evidence, "f1"), (2.0 / 3 + 4.0 / 5) / 2);
    spec::QualityRule rule = metric("f1");
    rule.max_drop = 1.0 - (2.0 / 3 + 4.0 / 5) / 2;  // the reference is right everywhere
    COMPARE_WORD(by_quality(rule, evidence).verdict, "accepted");
    rule.max_drop = *rule.max_drop - 1e-9;
    COMPARE_WORD(by_quality(rule, evidence).verdict, "rejected");
  }

  /// Scores 0.8 and 0.4 of class 1, 0.6 and 0.2 of class 0: of four pairs three are in order.
  void auc_counts_pairs_in_order() {
    const Evidence evidence = evidence_of({case_of("1", {0, 1}, {0, 0.8}, 1), case_of("2", {0, 1}, {0, 0.4}, 1),
                                           case_of("3", {1, 0}, {0, 0.6}, 0), case_of("4", {1, 0}, {0, 0.2}, 0)});
    QCOMPARE(quality_of(evidence, "auc"), 0.75);
    Evidence single = evidence_of({case_of("1", {1}, {0.8}, 1), case_of("2", {-1}, {0.2}, 0)}, DecisionKind::Logit);
    QCOMPARE(quality_of(single, "auc"), 1.0);
  }

  void auc_is_no_number_where_a_class_never_occurs() {
    const Evidence evidence = evidence_of({case_of("1", {0, 1}, {0, 0.8}, 1), case_of("2", {0, 1}, {0, 0.4}, 1)});
    QVERIFY(std::isnan(quality_of(evidence, "auc")));
    spec::QualityRule rule = metric("auc");
    rule.min = 0.5;
    const RuleVerdict verdict = by_quality(rule, evidence);
    COMPARE_WORD(verdict.verdict, "undecided");
    QVERIFY(verdict.reason.find("the reference's own auc is NaN") != std::string::npos);
  }

  /// Equal scores give 1/2 each: ln 2. ln 3 less gives 3 to 1 = 3/4, and a probability is taken as it is.
  void log_loss_takes_softmax_logits_and_probabilities() {
    QCOMPARE(quality_of(evidence_of({case_of("1", {0, 0}, {7, 7}, 1)}), "log_loss"), std::log(2.0));
    const double three_quarters = -std::log(0.75);
    QVERIFY(std::fabs(quality_of(evidence_of({case_of("1", {0, 0}, {0, std::log(3.0)}, 1)}), "log_loss") -
                      three_quarters) < 1e-15);
    QVERIFY(
        std::fabs(quality_of(evidence_of({case_of("1", {0}, {std::log(3.0)}, 1)}, DecisionKind::Logit), "log_loss") -
                  three_quarters) < 1e-15);
    QCOMPARE(quality_of(evidence_of({case_of("1", {0.5}, {0.25}, 0)}, DecisionKind::Probability), "log_loss"),
             three_quarters);
    QCOMPARE(quality_of(evidence_of({case_of("1", {0.5}, {0.0}, 1)}, DecisionKind::Probability), "log_loss"),
             kInfinity);
    // Large scores do not overflow.
    QCOMPARE(quality_of(evidence_of({case_of("1", {0, 0}, {1e4, 1e4}, 1)}), "log_loss"), std::log(2.0));
  }

  /// Targets 0 to 19 and errors of 1, but 5 at target 19 and 3 at target 0: the two farthest from the median 9.5 are
  /// those two, the worst is 5, and the mean of both 4.
  void the_worst_error_and_the_errors_at_extreme_targets_are_metrics_of_a_regression() {
    std::vector<CaseRow> rows;
    for (int i = 0; i < 20; ++i) {
      const double error = i == 19 ? 5 : i == 0 ? -3 : 1;
      rows.push_back(case_of(std::to_string(i), {1.0 * i}, {i + error}, i));
    }
    const Evidence evidence = evidence_of(rows, DecisionKind::None);
    QCOMPARE(quality_of(evidence, "worst_error"), 5.0);
    QCOMPARE(quality_of(evidence, "extreme_error"), 4.0);
    QCOMPARE(quality_of(evidence, "mae"), (18 + 5 + 3) / 20.0);
    spec::QualityRule rule = metric("worst_error");
    rule.max = 5.0;
    COMPARE_WORD(by_quality(rule, evidence).verdict, "accepted");
    rule.max = next_below(5.0);
    COMPARE_WORD(by_quality(rule, evidence).verdict, "rejected");
  }

  /// Mean absolute errors of 0.01, 0.02 and 0.03 beside a reference without any: worse by 0.02 in the mean, with a
  /// deviation of 0.01. t(0.95, 2) = 2.91998558 (scipy.stats.t.ppf), so the bound is -0.02 - 2.91998558 · 0.01 / √3
  /// = -0.0368585.
  void non_inferiority_holds_where_the_lower_bound_is_above_the_margin() {
    const auto judged_with = [](double margin, std::int64_t seeds, std::size_t others) {
      Evidence evidence = evidence_of({case_of("1", {5}, {5.01}, 5)}, DecisionKind::None);
      for (std::size_t i = 0; i < others; ++i) {
        const double error = 0.02 + 0.01 * static_cast<double>(i);
        evidence.other_seeds.push_back({i + 2, {case_of("1", {5}, {5 + error}, 5)}});
        compare(evidence.other_seeds.back().cases, evidence.decision);
      }
      spec::QualityRule rule = metric("mae");
      rule.non_inferior = spec::NonInferior{margin, seeds, 0.05, spec::NonInferior::Test::T};
      return by_quality(rule, evidence);
    };
    const RuleVerdict holds = judged_with(0.0369, 3, 2);
    QCOMPARE(holds.name, std::string("quality.non_inferior"));
    QVERIFY2(std::fabs(*holds.value + 0.0368585) < 1e-7, holds.reason.c_str());
    COMPARE_WORD(holds.verdict, "accepted");
    COMPARE_WORD(judged_with(0.0368, 3, 2).verdict, "rejected");
    const RuleVerdict missing = judged_with(0.5, 3, 1);
    COMPARE_WORD(missing.verdict, "undecided");
    QVERIFY2(missing.reason.find("asks for 3 seeds and there are 2 in the archive") != std::string::npos,
             missing.reason.c_str());
  }

  void files_of_a_run_made_elsewhere_hold_one_seed_and_the_way_out_is_another() {
    Evidence evidence = evidence_of({case_of("1", {5}, {5.01}, 5)}, DecisionKind::None);
    evidence.made_elsewhere = true;
    spec::QualityRule rule = metric("mae");
    rule.non_inferior = spec::NonInferior{0.5, 3, 0.05, spec::NonInferior::Test::T};
    const RuleVerdict verdict = by_quality(rule, evidence);
    COMPARE_WORD(verdict.verdict, "undecided");
    QVERIFY2(verdict.reason.find("--set training.seed") == std::string::npos, verdict.reason.c_str());
    QVERIFY2(verdict.reason.find("leave non_inferior out") != std::string::npos, verdict.reason.c_str());
  }

  /// Three cases flip: 1 from right to wrong, 2 from wrong to right, 3 from one wrong class to another.
  void flips_are_counted_by_direction() {
    const Evidence evidence =
        evidence_of({case_of("1", {1, 0, 0}, {0, 1, 0}, 0), case_of("2", {1, 0, 0}, {0, 1, 0}, 1),
                     case_of("3", {1, 0, 0}, {0, 1, 0}, 2), case_of("4", {1, 0, 0}, {1, 0, 0}, 0)});
    for (const char* const direction : {"right_to_wrong", "wrong_to_right", "neutral"}) {
      spec::Rules rules;
      rules.flips.emplace().max_by_direction[direction] = 1;
      const RuleVerdict one = judged(rules, evidence);
      QCOMPARE(one.name, std::string("flips.") + direction);
      QCOMPARE(one.value, std::optional<double>(1.0));
      COMPARE_WORD(one.verdict, "accepted");
      rules.flips->max_by_direction[direction] = 0;
      COMPARE_WORD(judged(rules, evidence).verdict, "rejected");
    }
  }

  void a_direction_needs_targets() {
    CaseRow row = case_of("1", {1, 0}, {0, 1}, 0);
    row.target.clear();
    spec::Rules rules;
    rules.flips.emplace().max_by_direction["right_to_wrong"] = 0;
    COMPARE_WORD(judged(rules, evidence_of({row})).verdict, "undecided");
  }

  // The whole interval decides: its end at the limit, the next number beyond it, and the limit within.
  void a_speed_up_is_judged_by_its_whole_interval() {
    spec::CostRule rule;
    rule.min_speedup = 1.2;
    const auto judge_interval = [&](double estimate, double low, double high) {
      record::Gains gains;
      gains.repetitions = 7;
      gains.speed_up = estimate;
      gains.speed_up_low = low;
      gains.speed_up_high = high;
      Evidence evidence = evidence_of({});
      evidence.costs.own.gains = gains;
      return by_cost(rule, evidence);
    };
    COMPARE_WORD(judge_interval(1.3, 1.2, 1.4).verdict, "accepted");
    COMPARE_WORD(judge_interval(1.3, next_above(1.2), 1.4).verdict, "accepted");
    COMPARE_WORD(judge_interval(1.3, next_below(1.2), 1.4).verdict, "undecided");
    COMPARE_WORD(judge_interval(1.1, 1.0, 1.2).verdict, "undecided");
    COMPARE_WORD(judge_interval(1.1, 1.0, next_below(1.2)).verdict, "rejected");
    COMPARE_WORD(judge_interval(kInfinity, 1.3, kInfinity).verdict, "undecided");
    QCOMPARE(judge_interval(1.3, 1.25, 1.4).name, std::string("cost.min_speedup"));
    QCOMPARE(*judge_interval(1.3, 1.25, 1.4).value, 1.3);
  }

  // The cost of a sample is the reciprocal of the speed-up: 1 / 2 = 0.5 lies between 1 / 2.5 = 0.4 and 1 / 1.6 = 0.625.
  void the_cost_of_a_sample_follows_the_times() {
    spec::CostRule rule;
    record::Gains gains;
    gains.speed_up = 2.0;
    gains.speed_up_low = 1.6;
    gains.speed_up_high = 2.5;
    Evidence evidence = evidence_of({});
    evidence.costs.own.gains = gains;
    const auto at_limit = [&](double limit) {
      rule.max_cost_per_sample_ratio = limit;
      return by_cost(rule, evidence);
    };
    QCOMPARE(*at_limit(0.625).value, 0.5);
    COMPARE_WORD(at_limit(0.625).verdict, "accepted");
    COMPARE_WORD(at_limit(next_below(0.625)).verdict, "undecided");
    COMPARE_WORD(at_limit(0.4).verdict, "undecided");
    COMPARE_WORD(at_limit(next_below(0.4)).verdict, "rejected");
  }

  // 3 GB of 4 GB are 0.75.
  void memory_is_judged_by_the_ratio_of_the_peaks() {
    spec::CostRule rule;
    Evidence evidence = evidence_of({});
    const auto at_limit = [&](double limit) {
      rule.max_memory_ratio = limit;
      return by_cost(rule, evidence);
    };
    COMPARE_WORD(at_limit(0.75).verdict, "undecided");
    evidence.costs.own.gains.emplace().peak_bytes = 3'000'000'000;
    COMPARE_WORD(at_limit(0.75).verdict, "undecided");  // the reference's is not known
    evidence.costs.reference.emplace().peak_bytes = 4'000'000'000;
    COMPARE_WORD(at_limit(0.75).verdict, "accepted");
    COMPARE_WORD(at_limit(next_above(0.75)).verdict, "accepted");
    COMPARE_WORD(at_limit(next_below(0.75)).verdict, "rejected");
    evidence.costs.own.gains->peak_bytes.reset();
    QVERIFY(at_limit(0.75).reason.find("the run had no probes") != std::string::npos);
  }

  void latency_is_judged_by_the_worst_batch_size_or_the_one_that_is_named() {
    const auto row = [](std::int64_t batch, double ratio, double low, double high) {
      record::Latency latency;
      latency.batch = batch;
      latency.calls = 1000;
      latency.p95_ratio = ratio;
      latency.p95_ratio_low = low;
      latency.p95_ratio_high = high;
      return latency;
    };
    spec::CostRule rule;
    rule.max_latency_p95_ratio = 1.5;
    Evidence evidence = evidence_of({});
    evidence.costs.own.latency = {row(1, 1.4, 1.3, 1.5), row(64, 0.7, 0.6, 0.8)};
    COMPARE_WORD(by_cost(rule, evidence).verdict, "accepted");
    QCOMPARE(*by_cost(rule, evidence).value, 1.4);
    evidence.costs.own.latency[0] = row(1, 1.4, 1.3, next_above(1.5));
    COMPARE_WORD(by_cost(rule, evidence).verdict, "undecided");
    evidence.costs.own.latency[0] = row(1, 1.6, 1.5, 1.7);
    COMPARE_WORD(by_cost(rule, evidence).verdict, "undecided");
    evidence.costs.own.latency[0] = row(1, 1.6, next_above(1.5), 1.7);
    COMPARE_WORD(by_cost(rule, evidence).verdict, "rejected");
    rule.latency_batch = 64;
    COMPARE_WORD(by_cost(rule, evidence).verdict, "accepted");
    rule.latency_batch = 8;
    COMPARE_WORD(by_cost(rule, evidence).verdict, "undecided");
    rule.latency_batch.reset();
    record::Latency slow;  // 99 calls have no p95
    slow.batch = 64;
    slow.calls = 99;
    evidence.costs.own.latency = {row(1, 1.2, 1.1, 1.3), slow};
    const RuleVerdict missing = by_cost(rule, evidence);
    COMPARE_WORD(missing.verdict, "undecided");
    QVERIFY2(missing.reason.find("only 99 calls fitted") != std::string::npos, missing.reason.c_str());
  }

  void costs_that_nobody_measured_are_undecided_and_say_why() {
    spec::CostRule rule;
    rule.name = "night";
    rule.min_speedup = 1.1;
    rule.max_memory_ratio = 0.8;
    rule.max_cost_per_sample_ratio = 0.9;
    rule.max_latency_p95_ratio = 1.1;
    spec::Rules rules;
    rules.cost = {rule};
    Evidence evidence = evidence_of({});
    evidence.costs.missing = "measuring was switched off";
    const Verdict verdict = judge::judge(rules, "hash", evidence);
    COMPARE_WORD(verdict.word, "undecided");
    QCOMPARE(verdict.rules[verdict.rules.size() - 4].name, std::string("cost.night.min_speedup"));
    for (std::size_t i = verdict.rules.size() - 4; i < verdict.rules.size(); ++i) {
      COMPARE_WORD(verdict.rules[i].verdict, "undecided");
      QVERIFY2(verdict.rules[i].reason.find("measuring was switched off") != std::string::npos,
               verdict.rules[i].reason.c_str());
    }
  }

  void a_declared_exception_explains_what_it_names_and_nothing_else() {
    spec::Rules rules;
    rules.exceptions = {{"buffer bn*.running_var", "it is not used in evaluation"}};
    Evidence evidence = evidence_of({case_of("1", {0, 1}, {0, 1}, 1)});
    evidence.non_finite = {"buffer bn1.running_var"};
    const RuleVerdict excused = judged(rules, evidence);
    QCOMPARE(excused.name, std::string("non_finite"));
    COMPARE_WORD(excused.verdict, "accepted");
    QVERIFY(excused.reason.find("buffer bn1.running_var (it is not used in evaluation)") != std::string::npos);
    evidence.non_finite = {"buffer bn1.running_var", "parameter bn1.weight"};
    const RuleVerdict beyond = judged(rules, evidence);
    COMPARE_WORD(beyond.verdict, "rejected");
    QCOMPARE(beyond.reason, std::string("non-finite at the end: parameter bn1.weight"));
  }

  void measures_that_need_every_output_are_undecided_where_only_counts_are_kept() {
    Evidence evidence;
    evidence.autocast = "bfloat16";
    evidence.decision.kind = DecisionKind::ArgMax;
    evidence.decision.positions = 2;
    evidence.cases = {case_of("1", {0, 1, 1, 0}, {0, 1, 1, 0}, 0)};
    evidence.cases[0].target = {1, 0};
    compare(evidence.cases, evidence.decision);
    COMPARE_WORD(by_output(at_most("cosine", 1), evidence).verdict, "undecided");
    COMPARE_WORD(by_output(at_most("case_relative", 1), evidence).verdict, "accepted");
  }
};

QTEST_APPLESS_MAIN(RuleLimitTests)
#include "rule_limit_tests.moc"
