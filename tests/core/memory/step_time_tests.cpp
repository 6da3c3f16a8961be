// SPDX-License-Identifier: Apache-2.0
#include "core/memory/step_time.h"

#include <QTest>

#include <cmath>
#include <limits>

#include "core/base/error.h"

using namespace mantissa;
using namespace mantissa::memory;

namespace {

bool near(double found, double expected) { return std::abs(found - expected) <= 1e-9 * std::abs(expected); }

std::string refused_field(const std::vector<TimedStep>& steps) {
  try {
    step_time_of(steps);
  } catch (const Error& error) {
    return error.facts().subject;
  }
  return "";
}

}  // namespace

class StepTimeTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void three_steps_tell_update_microbatch_and_sample_apart() {
    // 0.1 an update, 0.02 a microbatch, 0.005 a sample:
    // 16 x 1: 0.1 + 0.02 + 0.08 = 0.2;  32 x 1: 0.1 + 0.02 + 0.16 = 0.28;  16 x 2: 0.1 + 0.04 + 0.16 = 0.3
    const StepTime time = step_time_of({{16, 1, 0.2}, {32, 1, 0.28}, {16, 2, 0.3}});
    QVERIFY(near(time.update_seconds, 0.1));
    QVERIFY(near(time.microbatch_seconds, 0.02));
    QVERIFY(near(time.sample_seconds, 0.005));
    QVERIFY(near(time.at(64, 4), 0.1 + 4 * 0.02 + 256 * 0.005));
  }

  void one_step_gives_a_time_in_proportion_to_samples() {
    const StepTime time = step_time_of({{8, 2, 0.4}});  // 16 samples: 0.025 each
    QVERIFY(near(time.sample_seconds, 0.025));
    QCOMPARE(time.update_seconds, 0.0);
    QCOMPARE(time.microbatch_seconds, 0.0);
    QVERIFY(near(time.at(32, 1), 0.8));
  }

  void two_steps_give_a_share_to_the_microbatch() {
    const StepTime time = step_time_of({{10, 1, 0.3}, {20, 1, 0.5}});  // 0.1 + 0.02 a sample
    QVERIFY(near(time.microbatch_seconds, 0.1));
    QVERIFY(near(time.sample_seconds, 0.02));
    QCOMPARE(time.update_seconds, 0.0);
    QVERIFY(near(time.at(10, 3), 3 * 0.3));
  }

  void a_step_timed_twice_counts_as_one_size() {
    // Relative errors: the x that makes (x / 0.2 - 1)^2 + (x / 0.3 - 1)^2 least is (1/0.2 + 1/0.3) / (1/0.04 + 1/0.09).
    const double best = (1 / 0.2 + 1 / 0.3) / (1 / 0.04 + 1 / 0.09);
    const StepTime time = step_time_of({{4, 1, 0.2}, {4, 1, 0.3}});
    QVERIFY(near(time.at(4, 1), best));
  }

  void no_part_is_below_zero() {
    // On the line through these a step of no sample would take -0.1 s.
    const StepTime time = step_time_of({{10, 1, 0.1}, {20, 1, 0.3}});
    QVERIFY(time.update_seconds >= 0.0);
    QVERIFY(time.microbatch_seconds >= 0.0);
    QVERIFY(time.sample_seconds > 0.0);
    // In proportion to samples: (100 + 200/3) / (100^2 + (200/3)^2) = 0.0115384...
    QVERIFY(near(time.sample_seconds, (10 / 0.1 + 20 / 0.3) / (std::pow(10 / 0.1, 2) + std::pow(20 / 0.3, 2))));
  }

  void what_is_no_time_is_refused() {
    QCOMPARE(refused_field({}), std::string("seconds"));
    QCOMPARE(refused_field({{1, 1, 0.0}}), std::string("seconds"));
    QCOMPARE(refused_field({{1, 1, -1.0}}), std::string("seconds"));
    QCOMPARE(refused_field({{1, 1, std::numeric_limits<double>::quiet_NaN()}}), std::string("seconds"));
    QCOMPARE(refused_field({{1, 1, std::numeric_limits<double>::infinity()}}), std::string("seconds"));
    QCOMPARE(refused_field({{0, 1, 1.0}}), std::string("microbatch"));
    QCOMPARE(refused_field({{1, 0, 1.0}}), std::string("accumulation"));
  }
};

QTEST_APPLESS_MAIN(StepTimeTests)
#include "step_time_tests.moc"
