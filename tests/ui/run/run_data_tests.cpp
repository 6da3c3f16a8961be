// SPDX-License-Identifier: GPL-3.0-or-later
// What the Run page keeps of a run, with records made by hand.
#include <QTest>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "ui/run/glance.h"
#include "ui/run/run_data.h"

using namespace mantissa;
using namespace mantissa::ui::run;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

record::TrialRow arm(std::int64_t id, const char* name, record::TrialKind kind) {
  record::TrialRow row;
  row.id = id;
  row.experiment_id = 1;
  row.start.name = name;
  row.start.kind = kind;
  return row;
}

record::StepRecord stepOf(std::int64_t trial, std::int64_t number, double loss) {
  record::StepRecord step;
  step.trial = trial;
  step.step = number;
  step.iteration = 2 * number;
  step.applied_updates = number;
  step.samples = 64 * number;
  step.wall_seconds = 0.5 * static_cast<double>(number);
  step.loss = loss;
  step.grad_norm = 1.0;
  return step;
}

record::StepRecord skippedStep(std::int64_t trial, std::int64_t number, record::SkipCause cause) {
  record::StepRecord step = stepOf(trial, number, 1.0);
  step.skipped = true;
  step.skip_cause = cause;
  return step;
}

ui::worker::StepBatch batch(std::vector<record::StepRecord> steps) {
  ui::worker::StepBatch made;
  made.chunks = {std::make_shared<const std::vector<record::StepRecord>>(std::move(steps))};
  return made;
}

RunData twoArms() {
  RunData data;
  data.keep(Quantities().set());
  data.setArms({arm(1, "reference", record::TrialKind::Reference), arm(2, "fp16", record::TrialKind::Trial)});
  return data;
}

}  // namespace

class RunDataTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void steps_of_mixed_arms_become_a_curve_for_each() {
    RunData data = twoArms();
    QVERIFY(data.take({batch({stepOf(1, 1, 2.0), stepOf(2, 1, 3.0), stepOf(1, 2, 1.0), stepOf(2, 2, 1.5)})}));
    const auto loss = data.arm(2)->series(Quantity::Loss);
    QCOMPARE(loss->size(), std::size_t{2});
    QCOMPARE(loss->y(0), 3.0);
    QCOMPARE(loss->x(1), 2.0);
    const Counters& counters = data.arm(2)->counters();
    QCOMPARE(counters.iterations, qint64{4});
    QCOMPARE(counters.attempted, qint64{2});
    QCOMPARE(counters.applied, qint64{2});
    QCOMPARE(*counters.loss, 1.5);
    QVERIFY(!data.take({}));
  }

  void steps_that_come_before_their_arm_wait_for_it() {
    RunData data;
    QVERIFY(!data.take({batch({stepOf(1, 1, 2.0), stepOf(2, 1, 3.0)})}));
    data.setArms({arm(1, "reference", record::TrialKind::Reference)});
    QCOMPARE(data.arm(1)->series(Quantity::Loss)->size(), std::size_t{1});
    data.setArms({arm(2, "fp16", record::TrialKind::Trial)});
    data.take({batch({stepOf(2, 2, 1.0)})});
    QCOMPARE(data.arm(2)->series(Quantity::Loss)->size(), std::size_t{2});
  }

  void the_same_values_stand_against_every_axis() {
    RunData data = twoArms();
    data.take({batch({stepOf(1, 1, 2.0), stepOf(1, 2, 1.0)})});
    const std::vector<std::pair<XAxis, double>> last = {
        {XAxis::AppliedUpdate, 2.0}, {XAxis::Samples, 128.0}, {XAxis::Seconds, 1.0}, {XAxis::Step, 2.0}};
    for (const auto& [axis, position] : last) {
      data.setAxis(axis);
      QCOMPARE(data.arm(1)->series(Quantity::Loss)->x(1), position);
      QCOMPARE(data.arm(1)->series(Quantity::Loss)->y(1), 1.0);
    }
  }

  void what_was_not_measured_at_a_step_has_no_point_there() {
    RunData data = twoArms();
    std::vector<record::StepRecord> steps;
    for (int i = 1; i <= 20; ++i) steps.push_back(stepOf(2, i, 1.0));
    steps[9].shadow_output_rmse = 0.25;
    steps[19].shadow_output_rmse = 0.5;
    data.take({batch(steps)});
    const auto shadow = data.arm(2)->series(deviation(Measure::OutputRmse, Comparison::Shadow));
    QCOMPARE(shadow->size(), std::size_t{2});
    QCOMPARE(shadow->x(0), 10.0);
    QCOMPARE(shadow->x(1), 20.0);
    QCOMPARE(data.arm(2)->series(Quantity::Scale)->size(), std::size_t{0});
    data.setAxis(XAxis::Samples);
    QCOMPARE(data.arm(2)->series(deviation(Measure::OutputRmse, Comparison::Shadow))->x(1), 1280.0);  // 64 · 20
  }

  void a_curve_that_stops_being_measured_keeps_its_points() {
    RunData data = twoArms();
    record::StepRecord first = stepOf(2, 1, 1.0);
    first.scale_before = 65536.0;
    record::StepRecord third = stepOf(2, 3, 1.0);
    third.scale_before = 32768.0;
    data.take({batch({first, stepOf(2, 2, 1.0), third})});
    const auto scale = data.arm(2)->series(Quantity::Scale);
    QCOMPARE(scale->size(), std::size_t{2});
    QCOMPARE(scale->x(0), 1.0);
    QCOMPARE(scale->x(1), 3.0);
    QCOMPARE(scale->y(1), 32768.0);
  }

  void a_resumed_arm_loses_what_came_after_its_checkpoint() {
    RunData data = twoArms();
    std::vector<record::StepRecord> steps;
    for (int i = 1; i <= 10; ++i) steps.push_back(stepOf(2, i, 10.0 + i));
    steps[7] = skippedStep(2, 8, record::SkipCause::Overflow);
    steps[1] = skippedStep(2, 2, record::SkipCause::Calibration);
    steps[4].shadow_output_rmse = 0.25;
    steps[8].shadow_output_rmse = 0.5;
    data.take({batch(steps)});
    QCOMPARE(data.arm(2)->counters().skipped, qint64{2});
    const int revision = data.revision();
    data.take({batch({stepOf(2, 6, 100.0)})});
    QVERIFY(data.revision() != revision);
    const auto loss = data.arm(2)->series(Quantity::Loss);
    QCOMPARE(loss->size(), std::size_t{6});
    QCOMPARE(loss->y(4), 15.0);
    QCOMPARE(loss->y(5), 100.0);
    QCOMPARE(loss->x(5), 6.0);
    QCOMPARE(data.arm(2)->counters().attempted, qint64{6});
    QCOMPARE(data.arm(2)->counters().skipped, qint64{1});  // the one of step 2
    QCOMPARE(data.arm(2)->series(deviation(Measure::OutputRmse, Comparison::Shadow))->size(), std::size_t{1});
  }

  void an_arm_is_cut_whatever_of_it_is_kept() {
    // As the page has it: quantities that no chart shows have no values.
    RunData data;
    data.setArms({arm(1, "reference", record::TrialKind::Reference), arm(2, "fp16", record::TrialKind::Trial)});
    for (qint64 number = 1; number <= 20; ++number) {
      record::StepRecord step = stepOf(2, number, 1.0);
      step.deviation_weight_relative = 0.5;
      data.take({batch({stepOf(1, number, 1.0), step})});
    }
    data.truncate(1, 12);
    data.truncate(2, 12);
    for (std::size_t i = 0; i < kQuantities; ++i) {
      const std::size_t size = data.arm(2)->series(static_cast<Quantity>(i))->size();
      QVERIFY2(size == 0 || size == 12, qPrintable(QString::number(i)));
    }
    QCOMPARE(data.arm(2)->series(Quantity::Loss)->size(), std::size_t{12});
    data.take({batch({stepOf(2, 13, 3.0)})});
    QCOMPARE(data.arm(2)->series(Quantity::Loss)->y(12), 3.0);
  }

  void an_arm_that_is_cut_to_nothing_begins_anew() {
    RunData data = twoArms();
    data.take({batch({stepOf(2, 1, 1.0), stepOf(2, 2, 1.0)})});
    data.truncate(2, 0);
    QCOMPARE(data.arm(2)->counters().attempted, qint64{0});
    QVERIFY(data.arm(2)->series(Quantity::Loss)->empty());
    data.take({batch({stepOf(2, 1, 7.0)})});
    QCOMPARE(data.arm(2)->series(Quantity::Loss)->y(0), 7.0);
  }

  void non_finite_values_stay_and_are_counted() {
    RunData data = twoArms();
    data.take({batch({stepOf(2, 1, 1.0), stepOf(2, 2, kNaN), stepOf(2, 3, std::numeric_limits<double>::infinity()),
                      stepOf(2, 4, 1.0)})});
    QCOMPARE(data.arm(2)->nonFinite(Quantity::Loss), qint64{2});
    QCOMPARE(data.arm(2)->firstNonFinite(Quantity::Loss), qint64{2});
    QVERIFY(std::isnan(data.arm(2)->series(Quantity::Loss)->y(1)));
    QCOMPARE(data.arm(2)->recentMean(Quantity::Loss)->value, 1.0);  // of the two finite ones
    QCOMPARE(data.arm(2)->recentMean(Quantity::Loss)->count, std::size_t{2});
  }

  void skipped_steps_carry_their_cause_and_their_place_on_every_axis() {
    RunData data = twoArms();
    record::StepRecord step = skippedStep(2, 2, record::SkipCause::Loss);
    step.overflow_parameter = "fc1.weight";
    data.take({batch({stepOf(2, 1, 1.0), step})});
    const Skip& skip = data.arm(2)->skips().at(0);
    QCOMPARE(skip.step, qint64{2});
    QCOMPARE(causeWords(skip.cause), QStringLiteral("non-finite loss"));
    QCOMPARE(skip.parameter, QStringLiteral("fc1.weight"));
    QCOMPARE(skip.x[static_cast<std::size_t>(XAxis::Seconds)], 1.0);
  }

  void a_clock_that_falls_after_a_resume_stands_still() {
    RunData data = twoArms();
    record::StepRecord later = stepOf(2, 3, 1.0);
    later.wall_seconds = 0.1;
    data.setAxis(XAxis::Seconds);
    data.take({batch({stepOf(2, 1, 1.0), stepOf(2, 2, 1.0), later})});
    QCOMPARE(data.arm(2)->series(Quantity::Loss)->x(2), 1.0);
  }

  void yardsticks_have_no_line_of_their_own_and_give_the_deviation_its_measure() {
    RunData data = twoArms();
    data.setArms({arm(3, "repeat-1", record::TrialKind::Repeat)});
    record::StepRecord own = stepOf(2, 1, 1.0);
    own.deviation_output_rmse = 0.6;
    record::StepRecord repeat = stepOf(3, 1, 1.0);
    repeat.deviation_output_rmse = 0.2;
    data.take({batch({stepOf(1, 1, 1.0), own, repeat})});
    QCOMPARE(data.shown().size(), std::size_t{2});
    const Statement deviating = glance(data, {})[2];
    QCOMPARE(deviating.answer, QStringLiteral("fp16 at 3.0 × spread"));  // 0.6 / 0.2
    QCOMPARE(deviating.state, Statement::State::Warn);
  }

  void what_nobody_looks_at_is_not_kept_and_its_past_comes_later() {
    RunData data;
    data.setArms({arm(1, "reference", record::TrialKind::Reference), arm(2, "fp16", record::TrialKind::Trial)});
    const Quantity shadow = deviation(Measure::OutputMax, Comparison::Shadow);
    const auto measured = [](std::int64_t number) {
      record::StepRecord step = stepOf(2, number, 1.0);
      step.shadow_output_max = 0.5 * static_cast<double>(number);
      return step;
    };
    data.take({batch({measured(1), measured(2), measured(3)})});
    QVERIFY(data.arm(2)->series(shadow)->empty());
    data.keep(Quantities().set(static_cast<std::size_t>(shadow)));
    QCOMPARE(data.missing().size(), std::size_t{1});  // the reference has made no step: it misses none
    data.take({batch({measured(4), measured(5)})});
    QVERIFY(data.arm(2)->series(shadow)->empty());  // a curve with a hole is no curve

    const auto past = [&](std::int64_t last, int cuts) {
      Past made{2, cuts, last, {}};
      PastCurve curve;
      curve.quantity = shadow;
      for (auto& column : curve.positions) column = std::make_shared<ui::plot::PositionColumn>();
      curve.values = std::make_shared<ui::plot::SeriesData>(curve.positions[0]);
      for (std::int64_t number = 1; number <= last; ++number) {
        const std::array<double, kXAxes> x = placeOf(measured(number), {});
        for (std::size_t axis = 0; axis < kXAxes; ++axis) curve.positions[axis]->append(x[axis]);
        curve.values->append(0.5 * static_cast<double>(number));
      }
      made.curves = {curve};
      return made;
    };
    QVERIFY(!data.fill({past(2, 0)}));  // the archive lags behind: step 3 would be missing
    QVERIFY(data.arm(2)->series(shadow)->empty());
    QVERIFY(!data.fill({past(4, 1)}));  // of another run of the arm
    data.fill({past(4, 0)});            // step 4 is in both
    const auto values = data.arm(2)->series(shadow);
    QCOMPARE(values->size(), std::size_t{5});
    for (std::size_t i = 0; i < 5; ++i) QCOMPARE(values->y(i), 0.5 * static_cast<double>(i + 1));
    QCOMPARE(values->x(4), 5.0);
    data.take({batch({measured(6)})});
    QCOMPARE(values->size(), std::size_t{6});
    data.setAxis(XAxis::Samples);
    QCOMPARE(data.arm(2)->series(shadow)->x(5), 384.0);  // 64 · 6
    data.keep({});
    QVERIFY(data.arm(2)->series(shadow)->empty());
  }

  void yardsticks_keep_their_deviations_whatever_is_shown() {
    RunData data;
    data.setArms({arm(3, "repeat-1", record::TrialKind::Repeat)});
    record::StepRecord step = stepOf(3, 10, 1.0);
    step.deviation_weight_relative = 0.25;
    data.take({batch({step})});
    QCOMPARE(data.yardstick(deviation(Measure::WeightRelative, Comparison::Trajectory))->size, 0.25);
    QVERIFY(data.arm(3)->series(Quantity::Loss)->empty());  // it has no line of its own
    data.truncate(3, 9);
    QVERIFY(!data.yardstick(deviation(Measure::WeightRelative, Comparison::Trajectory)));
  }

  void the_glance_tells_calibration_from_overflow() {
    RunData data = twoArms();
    data.take({batch({skippedStep(2, 1, record::SkipCause::Calibration), stepOf(2, 2, 1.0), stepOf(2, 3, 1.0)})});
    QCOMPARE(glance(data, {})[1].state, Statement::State::Good);
    QCOMPARE(glance(data, {})[1].answer, QStringLiteral("1 of 3 steps skipped (33 %)"));
    data.take({batch({skippedStep(2, 4, record::SkipCause::Overflow)})});
    QCOMPARE(glance(data, {})[1].state, Statement::State::Warn);
    QCOMPARE(glance(data, {})[1].detail, QStringLiteral("fp16, last at step 4: overflow"));
  }

  void the_glance_says_where_a_loss_is_not_finite() {
    RunData data = twoArms();
    QCOMPARE(glance(data, {})[0].state, Statement::State::Unknown);
    data.take({batch({stepOf(1, 1, 1.0), stepOf(2, 1, 1.0)})});
    QCOMPARE(glance(data, {})[0].state, Statement::State::Good);
    data.take({batch({stepOf(2, 2, kNaN)})});
    QCOMPARE(glance(data, {})[0].answer, QStringLiteral("1 NaN loss in fp16"));
    QCOMPARE(glance(data, {})[0].detail, QStringLiteral("Step 2. reference is finite."));
    QCOMPARE(glance(data, {})[3].answer, QStringLiteral("loss NaN"));
    QCOMPARE(glance(data, {})[3].state, Statement::State::Bad);
  }

  void the_glance_counts_non_finite_losses_over_all_arms() {
    RunData data = twoArms();
    data.take({batch({stepOf(1, 1, kNaN), stepOf(2, 1, 1.0), stepOf(2, 2, kNaN), stepOf(2, 3, kNaN)})});
    QCOMPARE(glance(data, {})[0].answer, QStringLiteral("3 non-finite losses in 2 arms"));
    QCOMPARE(glance(data, {})[0].detail, QStringLiteral("fp16 first at step 2."));
  }

  void the_glance_says_whether_the_loss_falls() {
    RunData data = twoArms();
    std::vector<record::StepRecord> steps;
    for (int i = 1; i <= 400; ++i) steps.push_back(stepOf(1, i, i <= 200 ? 2.0 : 1.0));
    data.take({batch(steps)});
    QCOMPARE(glance(data, {})[3].answer, QStringLiteral("mean loss 1.000, falling"));
    QCOMPARE(glance(data, {})[3].detail, QStringLiteral("reference over 50 steps: 50 % lower than 200 steps ago"));
  }

  void the_glance_says_that_an_arm_never_applied_an_update() {
    RunData data = twoArms();
    Standing running;
    running.running = true;
    const auto takeUpTo = [&data](int first, int last) {
      std::vector<record::StepRecord> steps;
      for (int i = first; i <= last; ++i) {
        steps.push_back(stepOf(1, i, 1.0));
        steps.push_back(skippedStep(2, i, record::SkipCause::Calibration));
        steps.back().applied_updates = 0;
      }
      data.take({batch(steps)});
    };
    takeUpTo(1, 19);  // a scale that finds its level
    QVERIFY(!glance(data, running)[3].answer.contains(QStringLiteral("fp16")));
    takeUpTo(20, 30);
    const Statement learning = glance(data, running)[3];
    QCOMPARE(learning.answer, QStringLiteral("fp16 never updated"));
    QCOMPARE(learning.detail, QStringLiteral("All its 30 steps were skipped: its weights are still the initial ones."));
    QCOMPARE(learning.state, Statement::State::Bad);
    data.take({batch({stepOf(1, 31, 1.0), stepOf(2, 31, 1.0)})});
    QVERIFY(!glance(data, running)[3].answer.contains(QStringLiteral("fp16")));
  }
};

QTEST_GUILESS_MAIN(RunDataTests)
#include "run_data_tests.moc"
