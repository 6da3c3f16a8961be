// SPDX-License-Identifier: GPL-3.0-or-later
// What rules mean, in numbers and in words.
#include <QLocale>
#include <QTest>

#include <cmath>
#include <limits>

#include "four_cases.h"
#include "ui/rules/rule_figures.h"
#include "ui/rules/rule_words.h"

using namespace mantissa;
using namespace mantissa::ui::rules;
using namespace mantissa::test;

class RuleWordsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void cleanup() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void the_spacing_of_a_format_is_a_power_of_two() {
    // 3.1 lies between 2 and 4: 2 / 2^7, 2 / 2^10, 2 / 2^23.
    QCOMPARE(spacing(3.1, "bfloat16"), 0.015625);
    QCOMPARE(spacing(-3.1, "float16"), 0.001953125);
    QCOMPARE(spacing(3.1, "off"), std::ldexp(1.0, -22));
    QCOMPARE(spacing(0, "float16"), std::ldexp(1.0, -24));  // the smallest subnormal
    QCOMPARE(spacing(1e-7, "float16"), std::ldexp(1.0, -24));
    QCOMPARE(spacing(65504, "float16"), 32.0);
    QVERIFY(std::isnan(spacing(65536, "float16")));
    QVERIFY(std::isnan(spacing(std::numeric_limits<double>::infinity(), "bfloat16")));
  }

  void so_many_steps_may_be_skipped() {
    QCOMPARE(mostSkips(0.98, 300), std::int64_t{6});  // 294 of 300 is 0.98
    QCOMPARE(mostSkips(0.98, 301), std::int64_t{6});  // 294.98 rounds up to 295
    QCOMPARE(mostSkips(1.0, 300), std::int64_t{0});
    QCOMPARE(mostSkips(0.0, 300), std::int64_t{300});
    QCOMPARE(mostSkips(0.98, 0), std::int64_t{0});
  }

  void limits_of_every_measure_are_said_at_a_size() {
    spec::OutputRule rule;
    QCOMPARE(*allowedAt(rule, 0.002, 3.1, "float16"), 0.0062);
    rule.measure = "abs";
    QCOMPARE(*allowedAt(rule, 0.002, 3.1, "float16"), 0.002);
    rule.measure = "ulp";
    QCOMPARE(*allowedAt(rule, 8, 3.1, "float16"), std::ldexp(1.0, -19));  // 8 * 2^-22
    rule.measure = "elementwise";
    rule.tolerances = {{"float16", {1e-3, 1e-5}}};  // rtol, atol
    QCOMPARE(*allowedAt(rule, 1, 2, "float16"), 0.00201);
    QVERIFY(!allowedAt(rule, 1, 2, "bfloat16"));
    rule.measure = "cosine";
    QVERIFY(!allowedAt(rule, 1e-3, 2, "float16"));
  }

  void figures_count_the_cases_beyond_and_name_the_worst() {
    const judge::Evidence evidence = fourCases("bfloat16");
    const spec::Rules rules = relativeRule(0.002);
    const auto found = outputFigures(rules.output.front(), evidence, 0.002);
    QVERIFY(found);
    QCOMPARE(found->cases, std::int64_t{4});
    QCOMPARE(found->beyond, std::int64_t{2});  // 0, 0.004/4 = 0.001, 0.01, 0.02
    QCOMPARE(found->worst, 0.02);
    QCOMPARE(found->worstCase, QStringLiteral("d"));
    QVERIFY(std::abs(*found->yardstick - 1e-5) < 1e-12);  // 4e-5 / 4
  }

  void a_case_that_is_nan_is_the_worst_and_beyond_every_limit() {
    judge::Evidence evidence = fourCases("bfloat16");
    evidence.cases[1].output_same_weights = {std::numeric_limits<double>::quiet_NaN(), 0};
    judge::compare(evidence.cases, evidence.decision);
    const auto found = outputFigures(relativeRule(1).output.front(), evidence, 1.0);
    QVERIFY(found);
    QVERIFY(std::isnan(found->worst));
    QCOMPARE(found->worstCase, QStringLiteral("b"));
    QCOMPARE(found->beyond, std::int64_t{1});
  }

  void a_tolerance_is_said_at_the_size_of_the_outputs() {
    const RunFacts run = runOf(fourCases("bfloat16"));
    const QString words = all(explain(relativeRule(0.002), &run).at(0));
    // sqrt(8) = 2.828; 0.002 of it = 0.005657; between 2 and 4 BF16's spacing is 2^-6, FP16's 2^-9.
    QVERIFY2(has(words, "bf16 (BF16): 0.002 of RMS 2.828 = 0.005657"), qPrintable(words));
    QVERIFY2(has(words, "at the largest output, 4.000, it is 0.008000"), qPrintable(words));
    QVERIFY2(has(words, "Less than half of BF16's spacing"), qPrintable(words));  // 0.005657 < 0.0078
    QVERIFY2(has(words, "The worst case of bf16 was 0.02000 (case d); 2 of 4 cases beyond."), qPrintable(words));
    QVERIFY2(has(words, "The rounding floor is 1.000e−05: the limit is 200 × that, looser than rounding alone."),
             qPrintable(words));
    QVERIFY2(has(words, "BF16's spacing at 2.828 is 0.01563, FP16's 0.001953."), qPrintable(words));
  }

  void a_limit_below_the_yardstick_rejects_the_references_own_repeats() {
    judge::Evidence evidence = fourCases("bfloat16");
    evidence.spread = {evidence.cases};  // its `trained` differs by 0.02 at most
    spec::Rules rules = relativeRule(0.01);
    rules.output.front().of = spec::Of::Trained;
    const RunFacts run = runOf(evidence);
    QVERIFY2(has(all(explain(rules, &run).at(0)),
                 "The run-to-run spread is 0.02000: the limit is tighter than that and would reject"),
             qPrintable(all(explain(rules, &run).at(0))));
    rules.output.front().max[""] = 0.03;
    QVERIFY(has(all(explain(rules, &run).at(0)), "the limit is 1.5 × that, looser than what another seed does."));
  }

  void a_multiple_of_the_rounding_floor_is_a_number() {
    spec::Rules rules = relativeRule(1);
    rules.output.front().max.clear();
    rules.output.front().max_rounding = 100;  // 100 * 1e-5 = 0.001; of 2.828 it is 0.002828
    const RunFacts run = runOf(fourCases("bfloat16"));
    const QString words = all(explain(rules, &run).at(0));
    QVERIFY2(has(words, "of RMS 2.828 = 0.002828"), qPrintable(words));
    QVERIFY2(has(words, "2 of 4 cases beyond"), qPrintable(words));
  }

  void without_a_run_everything_is_said_at_size_1() {
    const QString words = all(explain(relativeRule(0.002), nullptr).at(0));
    QVERIFY2(has(words, "0.002 of an RMS of 1 = 0.002000."), qPrintable(words));
    // 1 / 2^7 and 1 / 2^10
    QVERIFY2(has(words, "BF16's spacing at 1.000 is 0.007813, FP16's 0.0009766."), qPrintable(words));
  }

  void presets_of_others_are_labelled_per_operator() {
    spec::Rules rules;
    spec::OutputRule rule;
    rule.preset = "onnx";
    rule.measure = "elementwise";
    rule.reduce = spec::Reduce::Max;
    rule.max[""] = 1;
    rule.tolerances[""] = {1e-3, 1e-7};
    rules.output = {rule};
    const RunFacts run = runOf(fourCases("float16"));
    const ExplainedRule explained = explain(rules, &run).at(0);
    QVERIFY(has(explained.heading, "preset onnx"));
    QVERIFY(has(all(explained), "Made per operator, not per network"));
    // 1e-3 * 2.828 + 1e-7 = 0.002829; differences at 4: tolerance 0.0040001: 0, 0.004, 0.04, 0.08 -> 2 beyond
    QVERIFY2(has(all(explained), "= 0.002829"), qPrintable(all(explained)));
    QVERIFY2(has(all(explained), "2 of 4 cases beyond"), qPrintable(all(explained)));
  }

  void a_rule_on_another_output_speaks_of_that_output() {
    judge::Evidence evidence = fourCases("bfloat16");
    for (record::CaseRow& row : evidence.cases) {
      const double error = row.id == "b" ? 0.08 : 0.0;  // 0.08 / 8 = 0.01
      row.other_outputs = {{"output.boxes", {8, 0}, {8, 0}, {8 + error, 0}}};
      QCOMPARE(row.other_outputs[0].same_weights[0], 8 + error);
    }
    spec::Rules rules = relativeRule(0.002);
    rules.output.front().output = "output.boxes";
    const RunFacts run = runOf(evidence);
    const ExplainedRule explained = explain(rules, &run).at(0);
    QVERIFY2(has(explained.heading, ", of output.boxes"), qPrintable(explained.heading));
    // sqrt(4 * 64 / 8) = 5.657; 0.002 of it = 0.01131
    QVERIFY2(has(all(explained), "0.002 of RMS 5.657 = 0.01131"), qPrintable(all(explained)));
    QVERIFY2(has(all(explained), "The worst case of bf16 was 0.01000 (case b); 1 of 4 cases beyond."),
             qPrintable(all(explained)));
    rules.output.front().output = "output.scores";
    const QString words = all(explain(rules, &run).at(0));
    QVERIFY2(has(words, "bf16 did not record output.scores"), qPrintable(words));
    QVERIFY2(has(words, "0.002 of an RMS of 1"), qPrintable(words));
  }

  void a_dtype_without_a_limit_is_undecided() {
    spec::Rules rules = relativeRule(1);
    rules.output.front().max = {{"float16", 0.002}};
    const RunFacts run = runOf(fourCases("bfloat16"));
    QVERIFY(has(all(explain(rules, &run).at(0)), "no limit for it, so it is undecided"));
  }

  void a_drop_is_said_in_cases_and_beside_the_spread() {
    judge::Evidence evidence = fourCases("bfloat16");
    std::vector<record::CaseRow> repeat = evidence.cases;
    repeat[0].output = {0, 4};  // decides for 1: accuracy 3/4 against 1
    judge::compare(repeat, evidence.decision);
    evidence.spread = {repeat};
    spec::Rules rules;
    spec::QualityRule rule;
    rule.max_drop_relative = 0.005;
    rules.quality = {rule};
    const RunFacts run = runOf(evidence);
    const QString words = all(explain(rules, &run).at(0));
    QVERIFY2(has(words, "The reference's accuracy is 1.000: at least 0.9950, a drop of at most 0.005000."),
             qPrintable(words));
    QVERIFY2(has(words, "One case of 4 is 0.2500, so the limit lets no more be wrong."), qPrintable(words));
    QVERIFY2(has(words, "The run-to-run spread of accuracy is 0.2500: the limit is tighter than that"),
             qPrintable(words));
  }

  void flips_and_progress_are_counted_in_the_run() {
    spec::Rules rules;
    rules.flips = spec::FlipsRule{};
    rules.flips->max_by_kind["ordinary"] = 0;
    rules.progress.emplace();
    rules.progress->min_applied_fraction = 0.98;
    const RunFacts run = runOf(fourCases("bfloat16"));
    const std::vector<ExplainedRule> explained = explain(rules, &run);
    QVERIFY2(has(all(explained.at(0)), "bf16 flipped 0 of 4 ordinary cases."), qPrintable(all(explained.at(0))));
    QVERIFY2(has(all(explained.at(0)), "smallest margin is 4.000; 0 of 4 margins"), qPrintable(all(explained.at(0))));
    QVERIFY2(has(all(explained.at(1)), "bf16 skipped 4 of 300 steps"), qPrintable(all(explained.at(1))));
    QVERIFY2(has(all(explained.at(1)), "; 6 may be."), qPrintable(all(explained.at(1))));
  }

  void numbers_are_those_of_the_locale() {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const RunFacts run = runOf(fourCases("bfloat16"));
    const QString words = all(explain(relativeRule(0.002), &run).at(0));
    QVERIFY2(has(words, "0,002 of RMS 2,828 = 0,005657"), qPrintable(words));
  }

  void rules_on_distributions_and_utility_say_what_was_found() {
    judge::Evidence evidence = fourCases("bfloat16");
    // Four right decisions are worth 1 each; the trial's are the same.
    evidence.utility = spec::Utility{{{1, -2}, {-3, 1}}, std::nullopt, "EUR"};
    spec::Rules rules;
    rules.utility.emplace();
    rules.utility->min = 3;
    spec::DistributionRule distribution;
    distribution.measure = "ks";
    distribution.max = 0.25;
    rules.distribution = {distribution};
    const RunFacts run = runOf(evidence);
    const std::vector<ExplainedRule> explained = explain(rules, &run);
    QCOMPARE(explained.size(), std::size_t{2});
    QVERIFY2(has(all(explained[0]), "The decisions sum up to at least 3."), qPrintable(all(explained[0])));
    QVERIFY2(has(all(explained[0]), "bf16: the summed utility (trained) is 4"), qPrintable(all(explained[0])));
    QVERIFY2(has(all(explained[1]), "by at most 0.25, at any value"), qPrintable(all(explained[1])));
    // No output of the reference is above 4, three of the four of the trial are: 3/4.
    QVERIFY2(has(all(explained[1]), "(trained) of output 0, which moved most, is 0.75 over 4 cases"),
             qPrintable(all(explained[1])));
    QVERIFY(!explain(rules, nullptr).at(1).sentences.isEmpty());
  }

  void a_rule_on_costs_is_said_at_the_references_figures() {
    judge::Evidence evidence = fourCases("bfloat16");
    record::Gains reference;
    reference.repetitions = 7;
    reference.step_seconds = 0.5e-3;
    reference.peak_bytes = 2'000'000;
    evidence.costs.reference = reference;
    record::Gains own = reference;
    own.speed_up = 1.5;
    own.speed_up_low = 1.4;
    own.speed_up_high = 1.6;
    own.peak_bytes = 1'200'000;
    evidence.costs.own.gains = own;
    spec::Rules rules;
    spec::CostRule rule;
    rule.min_speedup = 1.25;               // 1 / 1.25 = 0.8; 0.5 ms / 1.25 = 0.4 ms
    rule.max_memory_ratio = 0.75;          // of 2 MB: 1.5 MB
    rule.max_cost_per_sample_ratio = 0.8;  // 1 / 0.8 = 1.25
    rule.max_latency_p95_ratio = 1.1;
    rule.latency_batch = 64;
    rules.cost = {rule};
    const RunFacts run = runOf(evidence);
    const ExplainedRule explained = explain(rules, &run).at(0);
    const QString words = all(explained);
    QCOMPARE(explained.path, QStringLiteral("rules.cost[0]"));
    QVERIFY2(has(words, "at most 80.00 % of the reference's time: 1.25 × its speed."), qPrintable(words));
    QVERIFY2(has(words, "took 0.5000 ms, the median of 7 repetitions after the validation: at most 0.4000 ms."),
             qPrintable(words));
    QVERIFY2(has(words, "The reference needed 2.000 MB of tensors: at most 1.500 MB."), qPrintable(words));
    QVERIFY2(has(words, "a speed-up of at least 1.250 ×."), qPrintable(words));
    QVERIFY2(has(words, "at most 110.0 % of the time within which 95 of 100 of the reference's do, at batch size 64."),
             qPrintable(words));
    QVERIFY2(has(words, "bf16: the speed-up is 1.5 (95 % interval 1.4 to 1.6)"), qPrintable(words));
    QVERIFY2(has(words, "bf16: the latency of inference at batch 64 was not measured"), qPrintable(words));
    // Without a run the limits stand alone.
    QVERIFY(has(all(explain(rules, nullptr).at(0)), "at most 80.00 % of the reference's time"));
    QVERIFY(!has(all(explain(rules, nullptr).at(0)), " ms"));
  }

  void flips_that_another_decision_counted_are_said_to_be() {
    spec::Rules rules;
    rules.flips = spec::FlipsRule{};
    rules.flips->max = 0;
    const RunFacts run = runOf(fourCases("bfloat16"));
    const char* const words = "Flips are counted by what the rules of that run take";
    QVERIFY(!has(all(explain(rules, &run).at(0)), words));
    rules.flips->tie_within = 0.5;
    QVERIFY(has(all(explain(rules, &run).at(0)), words));
  }
};

QTEST_APPLESS_MAIN(RuleWordsTests)
#include "rule_words_tests.moc"
