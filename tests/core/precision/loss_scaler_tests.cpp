// SPDX-License-Identifier: Apache-2.0
// The rules around PyTorch's scaler, by hand. tests/oracle compares long sequences.
#include "core/precision/loss_scaler.h"

#include <cmath>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include "tests/core/precision/scaler_test_help.h"

using namespace mantissa;
using namespace mantissa::precision;
using spec::HysteresisRefill;

namespace {

/// A scaler and one optimizer, driven by a text: 'x' an overflow, '.' a clean update.
struct Driven {
  Driven(double init_scale, std::int64_t growth_interval, const ScalerRules& rules)
      : scaler(options_of(init_scale, growth_interval), rules), optimizer({parameter(1.0F)}) {
    scaler.scale(at::ones({}));
  }

  ScaleUpdate update(bool overflow) {
    optimizer.set_gradient(overflow ? kInf : 0.0F);
    scaler.step(optimizer);
    return scaler.update();
  }

  /// The scale after each update.
  std::vector<double> play(const std::string& pattern) {
    std::vector<double> scales;
    for (const char c : pattern) {
      update(c == 'x');
      scales.push_back(scaler.get_scale());
    }
    return scales;
  }

  LossScaler scaler;
  SmallOptimizer optimizer;
};

ScalerRules rules_with(std::int64_t hysteresis, HysteresisRefill refill = HysteresisRefill::Growth) {
  ScalerRules rules;
  rules.hysteresis = hysteresis;
  rules.hysteresis_refill = refill;
  return rules;
}

ScalerRules bounds(double floor, double ceiling) {
  ScalerRules rules;
  rules.floor = floor;
  rules.ceiling = ceiling;
  return rules;
}

using Scales = std::vector<double>;

}  // namespace

class LossScalerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void without_rules_the_scale_moves_as_pytorchs() {
    Driven driven(8.0, 2, {});
    QVERIFY(driven.play("x....") == (Scales{4, 4, 8, 8, 16}));
    QVERIFY(driven.update(true) == ScaleUpdate::BackedOff);
    QVERIFY(driven.update(false) == ScaleUpdate::Clean);
  }

  void the_third_overflow_lowers_the_scale_under_a_hysteresis_of_three() {
    Driven driven(64.0, 100, rules_with(3));
    QVERIFY(driven.update(true) == ScaleUpdate::Tolerated);
    QVERIFY(driven.update(true) == ScaleUpdate::Tolerated);
    COMPARE_EXACT(driven.scaler.get_scale(), 64.0);
    QVERIFY(driven.update(true) == ScaleUpdate::BackedOff);
    COMPARE_EXACT(driven.scaler.get_scale(), 32.0);
  }

  void overflows_are_counted_across_clean_updates() {
    // Cumulative since the last growth, not consecutive: the second one lowers, and every one after it.
    Driven driven(64.0, 100, rules_with(2));
    QVERIFY(driven.play("x...x...x") == (Scales{64, 64, 64, 64, 32, 32, 32, 32, 16}));
  }

  void tolerance_comes_back_at_growth_at_a_clean_step_or_never() {
    // Interval 2. growth: full again at 128. clean-step: full again after each '.'. never: spent by the first x.
    Driven at_growth(64.0, 2, rules_with(2));
    QVERIFY(at_growth.play("x..xx") == (Scales{64, 64, 128, 128, 64}));
    Driven at_clean_step(64.0, 100, rules_with(2, HysteresisRefill::CleanStep));
    QVERIFY(at_clean_step.play("x.x.xx") == (Scales{64, 64, 64, 64, 64, 32}));
    Driven never(64.0, 2, rules_with(2, HysteresisRefill::Never));
    QVERIFY(never.play("x..x") == (Scales{64, 64, 128, 64}));
  }

  void a_tolerated_overflow_starts_the_growth_interval_anew() {
    Driven driven(64.0, 2, rules_with(2));
    QVERIFY(driven.play(".x..") == (Scales{64, 64, 64, 128}));
    Driven counting(64.0, 5, rules_with(2));
    counting.play("..x");
    QCOMPARE(counting.scaler.get_growth_tracker(), std::int64_t{0});
  }

  void a_tolerated_overflow_still_refuses_the_update() {
    Driven driven(64.0, 2, rules_with(2));
    driven.play("x.");
    QCOMPARE(driven.optimizer.steps, 1);
  }

  void the_floor_holds_and_says_so_once_there_is_nothing_to_lower() {
    Driven driven(8.0, 100, bounds(3.0, 0.0));
    QVERIFY(driven.update(true) == ScaleUpdate::BackedOff);  // 4
    QVERIFY(driven.update(true) == ScaleUpdate::BackedOff);  // 2 < 3: 3
    COMPARE_EXACT(driven.scaler.get_scale(), 3.0);
    QVERIFY(driven.update(true) == ScaleUpdate::AtFloor);
    COMPARE_EXACT(driven.scaler.get_scale(), 3.0);
    QCOMPARE(driven.scaler.get_growth_tracker(), std::int64_t{0});
  }

  void an_overflow_that_is_tolerated_at_the_floor_is_not_at_the_floor() {
    ScalerRules rules = rules_with(2);
    rules.floor = 8.0;
    Driven driven(8.0, 100, rules);
    QVERIFY(driven.update(true) == ScaleUpdate::Tolerated);
    QVERIFY(driven.update(true) == ScaleUpdate::AtFloor);
  }

  void the_scale_grows_from_its_floor() {
    Driven driven(4.0, 2, bounds(4.0, 0.0));
    QVERIFY(driven.play("x..x") == (Scales{4, 4, 8, 4}));
  }

  void the_ceiling_cuts_growth_and_intervals_go_on() {
    Driven driven(8.0, 2, bounds(0.0, 20.0));
    QVERIFY(driven.play("......x") == (Scales{8, 16, 16, 20, 20, 20, 10}));
    QCOMPARE(driven.scaler.get_growth_tracker(), std::int64_t{0});
  }

  void tolerance_comes_back_also_where_the_ceiling_stops_growth() {
    ScalerRules rules = rules_with(2);
    rules.ceiling = 64.0;
    Driven driven(64.0, 2, rules);
    QVERIFY(driven.play("x..xx") == (Scales{64, 64, 64, 64, 32}));
  }

  void growth_beyond_fp32_is_not_taken_under_rules_either() {
    Driven driven(std::ldexp(1.0, 127), 1, rules_with(2));
    QVERIFY(driven.play("..") == (Scales{std::ldexp(1.0, 127), std::ldexp(1.0, 127)}));
  }

  void delayed_clean_updates_do_not_count_towards_growth() {
    ScalerRules rules;
    rules.growth_delay = 1;
    // The first at the start does not count, 2 more make the interval; then every 2; after x one does not count again.
    Driven driven(8.0, 2, rules);
    QVERIFY(driven.play(".....x...") == (Scales{8, 8, 16, 16, 32, 16, 16, 16, 32}));
  }

  void an_overflow_of_any_optimizer_counts() {
    LossScaler scaler(options_of(64.0), rules_with(2));
    scaler.scale(at::ones({}));
    SmallOptimizer sound({parameter(1.0F)}), overflowing({parameter(1.0F)});
    sound.set_gradient(1.0F);
    overflowing.set_gradient(kInf);
    QVERIFY(scaler.step(sound));
    QVERIFY(!scaler.step(overflowing));
    QVERIFY(scaler.update() == ScaleUpdate::Tolerated);
    QCOMPARE(sound.steps, 1);
  }

  void update_without_a_check_is_refused_under_rules_too() {
    Driven driven(8.0, 2, rules_with(2));
    EXPECT_REFUSAL(CallOrder, driven.scaler.update(), "no optimizer was checked");
    LossScaler fresh(options_of(8.0), rules_with(2));
    EXPECT_REFUSAL(CallOrder, fresh.update(), "there is no loss scale yet");
  }

  void a_disabled_scaler_has_no_rules() {
    GradScalerOptions options = options_of(8.0);
    options.enabled = false;
    LossScaler scaler(options, bounds(100.0, 1.0));
    QVERIFY(scaler.update() == ScaleUpdate::Clean);
    QVERIFY(scaler.state_dict().empty());
    scaler.load_state_dict({});
  }

  void unfit_rules_are_refused() {
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), rules_with(0)), "hysteresis: found 0");
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), bounds(-1.0, 0.0)), "floor: found -1");
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), bounds(0.0, 1e39)), "ceiling: found 1e+39");
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), bounds(4.0, 2.0)), "at most the ceiling, 2");
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), bounds(16.0, 0.0)), "at least the floor, 16");
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), bounds(0.0, 4.0)), "at most the ceiling, 4");
    ScalerRules delayed;
    delayed.growth_delay = -1;
    EXPECT_REFUSAL(InvalidSetting, LossScaler(options_of(8.0), delayed), "growth_delay: found -1");
  }

  // ---- state ----
  void a_saved_state_goes_on_as_if_nothing_had_happened() {
    ScalerRules rules = rules_with(3);
    rules.growth_delay = 2;
    rules.floor = 2.0;
    const std::string pattern = "x..x....x.x..xxx......";
    Driven whole(64.0, 3, rules);
    const Scales expected = whole.play(pattern);
    for (std::size_t cut = 0; cut <= pattern.size(); ++cut) {
      Driven first(64.0, 3, rules);
      Scales scales = first.play(pattern.substr(0, cut));
      Driven second(1024.0, 7, rules);
      second.scaler.load_state_dict(first.scaler.state_dict());
      for (const double scale : second.play(pattern.substr(cut))) scales.push_back(scale);
      QVERIFY2(scales == expected, std::to_string(cut).c_str());
    }
  }

  void the_state_has_pytorchs_five_keys_and_two_of_ours() {
    Driven driven(64.0, 5, rules_with(3));
    driven.play("x..");
    const LossScalerState expected = {{"scale", 64.0},
                                      {"growth_factor", 2.0},
                                      {"backoff_factor", 0.5},
                                      {"growth_interval", 5.0},
                                      {"_growth_tracker", 2.0},
                                      {"mantissa.tolerance_left", 1.0},
                                      {"mantissa.growth_delay_left", 0.0}};
    QVERIFY(driven.scaler.state_dict() == expected);
  }

  void pytorchs_own_state_starts_with_full_tolerance() {
    Driven driven(64.0, 5, rules_with(2));
    driven.play("x");
    driven.scaler.load_state_dict({{"scale", 16.0},
                                   {"growth_factor", 2.0},
                                   {"backoff_factor", 0.5},
                                   {"growth_interval", 5.0},
                                   {"_growth_tracker", 4.0}});
    QCOMPARE(driven.scaler.tolerance_left(), std::int64_t{1});
    QVERIFY(driven.play(".") == Scales{32});  // 4 + 1 clean updates
  }

  void a_state_that_is_not_ours_is_refused_and_changes_nothing() {
    Driven driven(64.0, 5, rules_with(2));
    driven.play("x.");
    const LossScalerState before = driven.scaler.state_dict();
    LossScalerState state = before;
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict({}), "disabled scaler");
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict({{"scale", 4.0}, {"hysteresis_tracker", 1.0}}),
                   "no growth_factor among hysteresis_tracker, scale");
    state["hysteresis_tracker"] = 1.0;
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict(state), "the key hysteresis_tracker");
    state = before;
    state["mantissa.tolerance_left"] = 2.0;  // hysteresis 2 tolerates one
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict(state), "a whole number from 0 to 1");
    state = before;
    state["_growth_tracker"] = 0.5;
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict(state), "found 0.5");
    state["_growth_tracker"] = std::nan("");
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict(state), "found NaN");
    state = before;
    state["scale"] = 1e39;
    EXPECT_REFUSAL(InvalidSetting, driven.scaler.load_state_dict(state), "1e+39");
    QVERIFY(driven.scaler.state_dict() == before);
  }
};

QTEST_APPLESS_MAIN(LossScalerTests)
#include "loss_scaler_tests.moc"
