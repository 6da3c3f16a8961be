// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <QTest>

#include "core/perf/gains.h"
#include "core/perf/latency.h"
#include "core/perf/statistics.h"

using namespace mantissa;
using namespace mantissa::perf;

namespace {

bool close(double found, double expected, double relative) {
  return std::abs(found - expected) <= relative * std::abs(expected);
}

const std::vector<double> kSeven = {0.3, 0.1, 0.45, 0.2, 0.7, 0.15, 0.9};

}  // namespace

class PerfTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // numpy 2.4.6: numpy.quantile(values, q), default method; compared to the last bits.
  void quantiles_equal_numpys() {
    QVERIFY(quantile(kSeven, 0.0) == 0.1);
    QVERIFY(close(quantile(kSeven, 0.25), 0.175, 1e-15));
    QVERIFY(median(kSeven) == 0.3);
    QVERIFY(close(quantile(kSeven, 0.75), 0.575, 1e-15));
    QVERIFY(close(quantile(kSeven, 0.9), 0.78, 1e-15));
    QVERIFY(quantile(kSeven, 1.0) == 0.9);
    const std::vector<double> four = {4.0, 1.0, 3.0, 2.0};
    QVERIFY(quantile(four, 0.25) == 1.75);
    QVERIFY(median(four) == 2.5);
    QVERIFY(close(quantile(four, 0.1), 1.3, 1e-15));
    QVERIFY(median({5.0}) == 5.0);
  }

  void the_spread_ignores_one_disturbed_repetition() {
    QVERIFY(close(interquartile_range(kSeven), 0.4, 1e-14));  // 0.575 - 0.175
    QVERIFY(interquartile_range({1.0, 1.0, 1.0, 1.0, 50.0}) == 0.0);
  }

  // scipy 1.17.1: scipy.stats.t.ppf(probability, degrees)
  void student_quantiles_equal_scipys_data() {
    QTest::addColumn<double>("probability");
    QTest::addColumn<qlonglong>("degrees");
    QTest::addColumn<double>("expected");
    const auto row = [](double probability, qlonglong degrees, double expected) {
      QTest::addRow("%g, %lld", probability, degrees) << probability << degrees << expected;
    };
    row(0.975, 1, 12.706204736174694);
    row(0.975, 2, 4.302652729749462);
    row(0.975, 4, 2.7764451051977934);
    row(0.975, 9, 2.262157162798205);
    row(0.975, 29, 2.045229642132703);
    row(0.975, 1000, 1.9623390808264083);
    row(0.6, 4, 0.2707222947075976);
    row(0.9995, 6, 5.95881617881889);
    row(0.025, 4, -2.7764451051977943);
    row(0.51, 3, 0.027211467049117997);
  }
  void student_quantiles_equal_scipys() {
    QFETCH(double, probability);
    QFETCH(qlonglong, degrees);
    QFETCH(double, expected);
    const double found = student_t_quantile(probability, degrees);
    QVERIFY2(close(found, expected, 1e-11), qPrintable(QString::number(found, 'g', 17)));
  }

  // x = log(a / b); exp(mean), exp(scipy.stats.t.interval(0.95, 4, loc=mean, scale=scipy.stats.sem(x)))
  void the_interval_of_a_ratio_equals_scipys() {
    const Interval ratio = ratio_of_pairs({1.01, 1.10, 0.98, 1.05, 1.20}, {0.52, 0.50, 0.49, 0.55, 0.61}, 0.95);
    QVERIFY(close(ratio.estimate, 2.0011965497573763, 1e-12));
    QVERIFY(close(ratio.low, 1.86764517847855, 1e-12));
    QVERIFY(close(ratio.high, 2.1442978981817458, 1e-12));
  }

  void sides_swapped_give_the_reciprocal_interval() {
    const std::vector<double> a = {1.0, 2.0, 1.5}, b = {2.0, 3.0, 2.5};
    const Interval there = ratio_of_pairs(a, b, 0.95), back = ratio_of_pairs(b, a, 0.95);
    QVERIFY(close(back.estimate, 1.0 / there.estimate, 1e-14));
    QVERIFY(close(back.low, 1.0 / there.high, 1e-14));
    QVERIFY(close(back.high, 1.0 / there.low, 1e-14));
  }

  void a_slow_moment_that_hits_both_sides_cancels() {
    const Interval ratio = ratio_of_pairs({1.0, 10.0, 1.0}, {0.5, 5.0, 0.5}, 0.95);
    QVERIFY(close(ratio.estimate, 2.0, 1e-15) && close(ratio.low, 2.0, 1e-14) && close(ratio.high, 2.0, 1e-14));
  }

  void figures_follow_from_the_times() {
    // 4 steps of 8 rows in 0.2, 0.4, 0.3 s: 0.05, 0.1, 0.075 s a step, quartiles 0.0625 and 0.0875.
    // 8 rows / 0.075 s = 106.67 a second; 3 an hour: 3 / 3600 / 106.67 = 7.8125e-6 a row.
    const StepTimes own{4, 32, {0.2, 0.4, 0.3}};
    const StepTimes reference{4, 32, {0.4, 0.8, 0.6}};
    const record::Gains gains = gains_of(own, &reference, {2000, 100.0, 3.0}, "steady clock");
    QCOMPARE(gains.repetitions, std::int64_t{3});
    QVERIFY(close(gains.step_seconds, 0.075, 1e-14));
    QVERIFY(close(gains.step_seconds_spread, 0.025, 1e-12));
    QVERIFY(close(gains.samples_per_second, 8.0 / 0.075, 1e-14));
    QVERIFY(close(*gains.speed_up, 2.0, 1e-14));
    QVERIFY(close(*gains.speed_up_low, 2.0, 1e-14));
    QVERIFY(close(gains.finish_seconds, 150.0, 1e-14));
    QVERIFY(*gains.deadline_seconds == 100.0);
    QVERIFY(close(*gains.cost_per_sample, 7.8125e-6, 1e-12));
    QVERIFY(close(*gains.finish_cost, 0.125, 1e-12));  // 150 s of 3 an hour
    for (const char* const piece : {"3 repetitions of 4 steps", "interleaved", "steady clock", "median", "95 %"}) {
      QVERIFY2(gains.method.find(piece) != std::string::npos, gains.method.c_str());
    }
  }

  void a_reference_has_no_speed_up_and_without_a_price_nothing_has_a_cost() {
    const record::Gains gains = gains_of({1, 8, {0.2, 0.4}}, nullptr, {10, {}, {}}, "steady clock");
    QVERIFY(!gains.speed_up && !gains.speed_up_low && !gains.speed_up_high);
    QVERIFY(!gains.cost_per_sample && !gains.finish_cost && !gains.deadline_seconds);
  }

  // 10 rounds of n calls; call i of round r takes (r + 10 i + 1) ms, so that all calls together take 1 … 10 n ms. numpy
  // of 1 … N: numpy.quantile(q) = 1 + q (N - 1).
  void percentiles_of_calls_equal_numpys_and_wait_for_enough_calls() {
    const auto times_of = [](int calls, double factor) {
      CallTimes times(10);
      for (int round = 0; round < 10; ++round) {
        for (int call = 0; call < calls; ++call) {
          times[static_cast<std::size_t>(round)].push_back(factor * 0.001 * (round + 10 * call + 1));
        }
      }
      return times;
    };
    const record::Latency many = latency_of(8, times_of(50, 1.0), nullptr, "steady clock");
    QCOMPARE(many.batch, std::int64_t{8});
    QCOMPARE(many.calls, std::int64_t{500});
    QVERIFY(close(*many.p50_seconds, 0.2505, 1e-14));   // 1 + 0.5 · 499 = 250.5 ms
    QVERIFY(close(*many.p95_seconds, 0.47505, 1e-14));  // 1 + 0.95 · 499 = 475.05 ms
    QVERIFY(close(*many.p99_seconds, 0.49501, 1e-14));  // 1 + 0.99 · 499 = 495.01 ms
    QVERIFY(!many.p50_ratio && !many.p95_ratio);        // a reference
    const record::Latency fewer = latency_of(8, times_of(49, 1.0), nullptr, "steady clock");
    QVERIFY(fewer.p95_seconds && !fewer.p99_seconds);  // 490 calls
    const record::Latency few = latency_of(8, times_of(9, 1.0), nullptr, "steady clock");
    QVERIFY(few.p50_seconds && !few.p95_seconds && !few.p99_seconds);  // 90 calls
    for (const char* const piece : {"10 rounds of 50 calls", "interleaved", "steady clock", "p99 from 500", "95 %"}) {
      QVERIFY2(many.method.find(piece) != std::string::npos, many.method.c_str());
    }
    // Every call takes three times as long: each round's ratio is 3, and nothing spreads.
    const CallTimes reference = times_of(50, 1.0);
    const record::Latency slower = latency_of(8, times_of(50, 3.0), &reference, "steady clock");
    for (const auto& ratio : {slower.p50_ratio, slower.p50_ratio_low, slower.p50_ratio_high, slower.p95_ratio,
                              slower.p95_ratio_low, slower.p95_ratio_high}) {
      QVERIFY(close(*ratio, 3.0, 1e-12));
    }
    QVERIFY(record::pace_of(slower) == record::Pace::Slower);
    QVERIFY(record::pace_of(many) == record::Pace::Unknown);
  }

  // Two rounds whose ratios are 1 and 4: geometric mean 2, logarithms ln 2 -+ ln 2, standard error ln 2, and
  // scipy.stats.t.ppf(0.975, 1) = 12.706204736174694.
  void the_ratio_of_latencies_is_that_of_rounds() {
    const CallTimes reference = {{1.0, 1.0}, {1.0, 1.0}};
    const record::Latency found = latency_of(1, {{1.0, 1.0}, {4.0, 4.0}}, &reference, "steady clock");
    QVERIFY(close(*found.p50_ratio, 2.0, 1e-14));
    QVERIFY(close(*found.p50_ratio_high, std::exp(std::log(2.0) * (1.0 + 12.706204736174694)), 1e-9));
    QVERIFY(close(*found.p50_ratio_low, std::exp(std::log(2.0) * (1.0 - 12.706204736174694)), 1e-9));
    QVERIFY(record::pace_of(found) == record::Pace::Same);
    QVERIFY(!latency_of(1, {{0.0}, {1.0}}, &reference, "steady clock").p50_ratio);  // a clock that did not move
  }

  void repetitions_keep_within_their_limit() {
    QCOMPARE(steps_that_fit(0.01, 1.0, 5, 100), std::int64_t{20});  // 5 · 20 · 0.01 s = 1 s
    QCOMPARE(steps_that_fit(0.01, 1000.0, 5, 100), std::int64_t{100});
    QCOMPARE(steps_that_fit(0.3, 1.0, 5, 100), std::int64_t{0});
    QCOMPARE(steps_that_fit(0.0, 1.0, 5, 100), std::int64_t{100});
  }
};

QTEST_APPLESS_MAIN(PerfTests)
#include "perf_tests.moc"
