// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/spec/scaler_settings.h"
#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

/// The least example with one trial `t` and these lines in its [trial.scaler]; the first of them is line 10.
std::string with_scaler(const std::string& lines) {
  return std::string(least_example) + "[[trial]]\nname = \"t\"\nautocast = \"float16\"\n[trial.scaler]\n" + lines +
         "\n";
}

Scaler scaler_of(const std::string& lines) { return parse(with_scaler(lines)).trials[0].scaler; }

/// Two trials a and b that switch as told.
std::string two_trials(const std::string& at_floor_a, const std::string& at_floor_b) {
  const auto trial = [](const std::string& name, const std::string& at_floor) {
    return "[[trial]]\nname = \"" + name + "\"\nautocast = \"float16\"\n[trial.scaler]\nfloor = 1\nat_floor = \"" +
           at_floor + "\"\n";
  };
  return std::string(least_example) + trial("a", at_floor_a) + trial("b", at_floor_b);  // at_floor on lines 11 and 17
}

}  // namespace

class SpecScalerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothing_stands_around_pytorchs_scaler_by_default() {
    for (const Scaler& scaler : {scaler_of(""), scaler_of("preset = \"pytorch\"")}) {
      QVERIFY(scaler.enabled);
      QCOMPARE(scaler.hysteresis, 1);
      QCOMPARE(scaler.growth_delay, 0);
      QCOMPARE(scaler.floor, 0.0);
      QCOMPARE(scaler.ceiling, 0.0);
      QVERIFY(scaler.at_floor == AtFloor::Continue);
    }
  }

  // deepspeed/runtime/precision_config.py: initial_scale_power 16, loss_scale_window 1000, hysteresis 2,
  // min_loss_scale 1; loss_scaler.py: doubles and halves, raises at the least scale.
  void deepspeeds_preset_has_its_defaults() {
    const Scaler scaler = scaler_of("preset = \"deepspeed\"");
    QCOMPARE(scaler.init_scale, 65536.0);
    QCOMPARE(scaler.growth_interval, 1000);
    QCOMPARE(scaler.hysteresis, 2);
    QVERIFY(scaler.hysteresis_refill == HysteresisRefill::Growth);
    QCOMPARE(scaler.growth_delay, 1);
    QCOMPARE(scaler.floor, 1.0);
    QCOMPARE(at_floor_text(scaler), std::string("stop"));
  }

  // megatron/core/optimizer/optimizer_config.py: initial_loss_scale 2^32, min_loss_scale 1, loss_scale_window 1000,
  // hysteresis 2.
  void megatrons_preset_has_its_defaults() {
    const Scaler scaler = scaler_of("preset = \"megatron\"");
    QCOMPARE(scaler.init_scale, 4294967296.0);
    QCOMPARE(scaler.growth_interval, 1000);
    QCOMPARE(scaler.hysteresis, 2);
    QCOMPARE(scaler.growth_delay, 0);
    QCOMPARE(scaler.floor, 1.0);
    QCOMPARE(at_floor_text(scaler), std::string("continue"));
  }

  void keys_of_the_file_win_over_the_preset_wherever_they_stand() {
    const Scaler scaler = scaler_of(
        "growth_interval = 7\nhysteresis = 5\ngrowth_delay = 0\nfloor = 2\npreset = \"deepspeed\"\nat_floor = "
        "\"continue\"\nhysteresis_refill = \"clean-step\"\nceiling = 1e6");
    QCOMPARE(scaler.growth_interval, 7);
    QCOMPARE(scaler.hysteresis, 5);
    QCOMPARE(scaler.growth_delay, 0);
    QCOMPARE(scaler.floor, 2.0);
    QCOMPARE(scaler.ceiling, 1e6);
    QVERIFY(scaler.at_floor == AtFloor::Continue);
    QVERIFY(scaler.hysteresis_refill == HysteresisRefill::CleanStep);
    QCOMPARE(scaler.init_scale, 65536.0);
  }

  void a_preset_without_its_floor_has_nothing_to_stop_at() {
    QVERIFY(scaler_of("preset = \"deepspeed\"\nfloor = 0").at_floor == AtFloor::Continue);
  }

  void a_preset_does_not_switch_a_scaler_on() {
    const Experiment e =
        parse(std::string(least_example) +
              "[[trial]]\nname = \"t\"\nautocast = \"bfloat16\"\nscaler = { preset = \"megatron\" }\n");
    QVERIFY(!e.trials[0].scaler.enabled);
  }

  void a_switch_names_its_trial() {
    const Experiment e = parse(two_trials("switch:b", "stop"));
    QVERIFY(e.trials[0].scaler.at_floor == AtFloor::Switch);
    QCOMPARE(e.trials[0].scaler.switch_to, std::string("b"));
    QVERIFY(canonical_json(e.trials[0]).find(R"("at_floor":"switch:b")") != std::string::npos);
  }

  void unfit_settings_are_refused_with_their_line_data() {
    QTest::addColumn<QString>("lines");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("piece");
    const auto row = [](const char* lines, int line, const char* key, const char* piece) {
      QTest::newRow(lines) << lines << line << (QString("trial[t].scaler.") + key) << piece;
    };
    row("hysteresis = 0", 10, "hysteresis", "at least 1");
    row("hysteresis = 2147483648", 10, "hysteresis", "2147483647");
    row("hysteresis = 1.5", 10, "hysteresis", "an integer");
    row("growth_delay = -1", 10, "growth_delay", "at least 0");
    row("hysteresis_refill = \"always\"", 10, "hysteresis_refill", "growth | clean-step | never");
    row("preset = \"apex\"", 10, "preset", "pytorch | deepspeed | megatron");
    row("floor = -1", 10, "floor", "0 for none, or a finite number above 0");
    row("floor = nan", 10, "floor", "NaN");
    row("floor = inf", 10, "floor", "Infinity");
    row("floor = 1e-46", 10, "floor", "at least 1.4e-45");
    row("ceiling = 1e39", 10, "ceiling", "at most 3.4028235e38");
    row("ceiling = -0.5", 10, "ceiling", "found -0.5");
    row("floor = 8\nceiling = 4\ninit_scale = 6", 10, "floor", "floor 8 is above ceiling 4");
    row("init_scale = 2\nfloor = 4", 10, "init_scale", "init_scale 2 is below floor 4");
    row("floor = 131072", 10, "floor", "init_scale 65536 is below floor 131072");
    row("ceiling = 1024", 10, "ceiling", "init_scale 65536 is above ceiling 1024");
    row("preset = \"deepspeed\"\ninit_scale = 0.5", 11, "init_scale", "win over those of the preset");
    row("preset = \"megatron\"\nceiling = 65536", 11, "ceiling", "init_scale 4294967296 is above ceiling 65536");
    row("at_floor = \"pause\"\nfloor = 1", 10, "at_floor", "continue | stop | switch:TRIAL");
    row("at_floor = \"switch:\"\nfloor = 1", 10, "at_floor", "continue | stop | switch:TRIAL");
    row("at_floor = \"stop\"", 10, "at_floor", "there is no floor");
    row("at_floor = 1", 10, "at_floor", "text");
  }
  void unfit_settings_are_refused_with_their_line() {
    QFETCH(QString, lines);
    QFETCH(int, line);
    QFETCH(QString, subject);
    QFETCH(QString, piece);
    VERIFY_REFUSED(with_scaler(lines.toStdString()), InvalidSetting, line, subject.toStdString(), piece.toStdString());
  }

  void a_switch_to_nobody_or_in_a_circle_is_refused() {
    VERIFY_REFUSED(two_trials("switch:c", "stop"), InvalidSetting, 11, "trial[a].scaler.at_floor", "switch:b");
    VERIFY_REFUSED(two_trials("stop", "switch:reference"), InvalidSetting, 17, "trial[b].scaler.at_floor",
                   "no such trial");
    VERIFY_REFUSED(two_trials("switch:a", "stop"), InvalidSetting, 11, "trial[a].scaler.at_floor",
                   "a trial cannot switch to itself");
    VERIFY_REFUSED(two_trials("switch:b", "switch:a"), InvalidSetting, 11, "trial[a].scaler.at_floor",
                   "in a circle: a -> b -> a");
    const std::string into_a_circle =
        two_trials("switch:b", "switch:a") +
        "[[trial]]\nname = \"c\"\nautocast = \"float16\"\nscaler = { floor = 1, at_floor = \"switch:a\" }\n";
    VERIFY_REFUSED(into_a_circle, InvalidSetting, 11, "trial[a].scaler.at_floor", "in a circle");
    const std::string leading_in =
        std::string(least_example) +
        "[[trial]]\nname = \"c\"\nautocast = \"float16\"\nscaler = { floor = 1, at_floor = \"switch:b\" }\n"
        "[[trial]]\nname = \"b\"\nautocast = \"float16\"\nscaler = { floor = 1, at_floor = \"switch:b\" }\n";
    VERIFY_REFUSED(leading_in, InvalidSetting, 13, "trial[b].scaler.at_floor", "cannot switch to itself");
  }

  void presets_and_their_keys_are_the_same_experiment() {
    const std::string keys = "growth_interval = 1000\nhysteresis = 2\ngrowth_delay = 1\nfloor = 1\nat_floor = \"stop\"";
    QCOMPARE(canonical_json_to_hash(parse(with_scaler("preset = \"deepspeed\""))),
             canonical_json_to_hash(parse(with_scaler(keys))));
  }
};

QTEST_APPLESS_MAIN(SpecScalerTests)
#include "scaler_tests.moc"
