// SPDX-License-Identifier: Apache-2.0
#include "core/session/scaler_simulation.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <QtTest/QtTest>

#include "core/base/error.h"

using namespace mantissa;
using namespace mantissa::session;

namespace {

std::vector<double> scales_after(const std::vector<SimulatedStep>& steps) {
  std::vector<double> scales;
  for (const SimulatedStep& step : steps) scales.push_back(step.scale_after);
  return scales;
}

ErrorKind kind_of(const spec::Scaler& settings, const std::vector<std::vector<bool>>& pattern) {
  try {
    simulate_scaler(settings, pattern);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::CallOrder;  // never expected here
}

}  // namespace

class ScalerSimulationTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void overflow_halves_and_clean_steps_grow() {
    spec::Scaler settings;
    settings.init_scale = 1024.0;
    settings.growth_interval = 2;
    // overflow: 1024 -> 512; two clean steps: 512 -> 1024; one clean step counts 1; overflow: 512, counter 0.
    const auto steps = simulate_scaler(settings, {{true}, {false}, {false}, {false}, {true}});
    QVERIFY(scales_after(steps) == (std::vector<double>{512, 512, 1024, 1024, 512}));
    std::vector<std::int64_t> trackers, applied, numbers;
    std::vector<bool> skipped;
    for (const SimulatedStep& step : steps) {
      numbers.push_back(step.step);
      trackers.push_back(step.growth_tracker);
      applied.push_back(step.applied_updates);
      skipped.push_back(step.skipped);
    }
    QCOMPARE(numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    QCOMPARE(trackers, (std::vector<std::int64_t>{0, 1, 0, 1, 0}));
    QCOMPARE(applied, (std::vector<std::int64_t>{0, 1, 2, 3, 3}));
    QVERIFY(skipped == (std::vector<bool>{true, false, false, false, true}));
    QVERIFY(steps[2].scale_before == 512.0);
  }

  void each_optimizer_counts_its_own_updates() {
    const auto steps = simulate_scaler({}, {{false, false}, {false, true}, {true, true}, {false, false}});
    const SimulatedStep& last = steps.back();
    QCOMPARE(last.applied_updates_of, (std::vector<std::int64_t>{3, 2}));
    QCOMPARE(last.applied_updates, std::int64_t{2});  // steps 1 and 4
    QVERIFY(steps[1].skipped);
    QVERIFY(steps[1].skipped_of == (std::vector<bool>{false, true}));
    QVERIFY(scales_after(steps) == (std::vector<double>{65536, 32768, 16384, 16384}));
  }

  void growth_beyond_fp32_is_not_taken() {  // case 01
    spec::Scaler settings;
    settings.init_scale = std::ldexp(1.0, 126);
    settings.growth_interval = 1;
    const double cap = std::ldexp(1.0, 127);
    const auto steps = simulate_scaler(settings, std::vector<std::vector<bool>>(5, {false}));
    QVERIFY(scales_after(steps) == std::vector<double>(5, cap));
    QCOMPARE(steps.back().applied_updates, std::int64_t{5});
  }

  void scale_of_zero_still_tells_skips_from_updates() {
    // Comparing the scale before and after says nothing here: 0 · 0.5 = 0 (case 05).
    spec::Scaler settings;
    settings.init_scale = 0.0;
    const auto steps = simulate_scaler(settings, {{true}, {false}});
    QVERIFY(steps[0].skipped && !steps[1].skipped);
    QVERIFY(steps[0].scale_after == 0.0);
  }

  void nothing_in_gives_nothing_out() { QVERIFY(simulate_scaler({}, {}).empty()); }

  void unfit_factors_and_ragged_patterns_are_refused() {
    spec::Scaler settings;
    settings.growth_factor = 1.0;
    QVERIFY(kind_of(settings, {{false}}) == ErrorKind::InvalidSetting);
    QVERIFY(kind_of({}, {{false, false}, {true}}) == ErrorKind::InvalidSetting);
    QVERIFY(kind_of({}, {{}}) == ErrorKind::InvalidSetting);
  }
};

QTEST_APPLESS_MAIN(ScalerSimulationTests)
#include "scaler_simulation_tests.moc"
