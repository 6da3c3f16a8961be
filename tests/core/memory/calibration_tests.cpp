// SPDX-License-Identifier: Apache-2.0
// How far predictions were off, against numpy.median and numpy.percentile (NumPy 2.4).
#include "core/memory/calibration.h"

#include <QTest>

using namespace mantissa;

namespace {

record::MemoryPair pair_of(std::int64_t trial, std::int64_t predicted, std::int64_t measured) {
  return {trial, "walk", "bf16", "bfloat16", "cpu", predicted, measured};
}

/// Errors of 1, 2 … `trials` thousandths, the largest first.
std::vector<record::MemoryPair> thousandths(std::int64_t trials) {
  std::vector<record::MemoryPair> pairs;
  for (std::int64_t i = trials; i >= 1; --i) pairs.push_back(pair_of(i, 1000 + i, 1000));
  return pairs;
}

bool close(double found, double expected) { return std::abs(found - expected) < 1e-15; }

}  // namespace

class CalibrationTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // p = [1010, 1990, 4000, 8400, 970]; m = [1000, 2000, 4000, 8000, 1000]; e = abs(p - m) / m is
  // [0.01, 0.005, 0, 0.05, 0.03]: numpy.median(e) 0.01, numpy.percentile(e, 95) 0.046, max 0.05.
  void median_95_percent_and_worst_are_those_of_numpy() {
    const auto found = memory::calibration_of({pair_of(1, 1010, 1000), pair_of(2, 1990, 2000), pair_of(3, 4000, 4000),
                                               pair_of(4, 8400, 8000), pair_of(5, 970, 1000)});
    QVERIFY(found.has_value());
    QCOMPARE(found->trials, std::size_t{5});
    QVERIFY(close(found->median, 0.01));
    QVERIFY(close(found->within_95, 0.046));
    QVERIFY(close(found->worst, 0.05));
    QCOMPARE(found->worst_of.trial, std::int64_t{4});
    QCOMPARE(found->too_low, std::size_t{2});  // 1990 and 970
  }

  void one_trial_is_its_own_statistics() {
    const auto found = memory::calibration_of({pair_of(1, 98, 100)});
    QVERIFY(close(found->median, 0.02) && close(found->within_95, 0.02) && close(found->worst, 0.02));
  }

  // n = numpy.arange(1, 21) / 1000: median 0.0105, percentile 95 0.01905. ceil(0.95 * 21) = 20: the largest of 20.
  void twenty_trials_say_how_far_the_next_is_off() {
    const auto found = memory::calibration_of(thousandths(20));
    QVERIFY(close(found->median, 0.0105));
    QVERIFY(close(found->within_95, 0.01905));
    QVERIFY(close(found->next_within.value(), 0.020));
  }

  // ceil(0.95 * 20) = 19 of 19; ceil(0.95 * 19) = 19 of 18 are not there; ceil(0.95 * 40) = 38 of 39.
  void below_nineteen_trials_nothing_is_said_of_the_next() {
    QVERIFY(!memory::calibration_of(thousandths(18))->next_within);
    QVERIFY(close(memory::calibration_of(thousandths(19))->next_within.value(), 0.019));
    QVERIFY(close(memory::calibration_of(thousandths(39))->next_within.value(), 0.038));
  }

  // Seven runs of one network: 1000 predicted each time; errors 1, 2 ... 7 of 1000 + i, the worst 7 / 1007. Another
  // autocast and another size are other settings: 3 in all, of which the median is 1 / 101.
  void a_run_that_is_repeated_counts_once_with_its_worst_error() {
    std::vector<record::MemoryPair> pairs;
    for (std::int64_t i = 1; i <= 7; ++i) pairs.push_back(pair_of(i, 1000, 1000 + i));
    auto found = memory::calibration_of(pairs);
    QCOMPARE(found->trials, std::size_t{7});
    QCOMPARE(found->settings, std::size_t{1});
    QVERIFY(close(found->median, 7.0 / 1007.0));
    QCOMPARE(found->too_low, std::size_t{1});
    pairs.push_back(pair_of(8, 100, 101));
    pairs.push_back({9, "walk", "fp32", "off", "cpu", 1000, 500});
    found = memory::calibration_of(pairs);
    QCOMPARE(found->trials, std::size_t{9});
    QCOMPARE(found->settings, std::size_t{3});
    QVERIFY(close(found->median, 1.0 / 101.0));
    QVERIFY(close(found->worst, 1.0));
  }

  void nineteen_repeats_promise_nothing_of_the_next() {
    const std::vector<record::MemoryPair> repeats(19, pair_of(1, 1000, 1001));
    QVERIFY(!memory::calibration_of(repeats)->next_within);
  }

  void where_nothing_was_measured_there_is_no_calibration() {
    QVERIFY(!memory::calibration_of({}));
    QVERIFY(!memory::calibration_of({pair_of(1, 10, 0)}));
  }
};

QTEST_APPLESS_MAIN(CalibrationTests)
#include "calibration_tests.moc"
