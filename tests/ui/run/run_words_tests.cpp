// SPDX-License-Identifier: GPL-3.0-or-later
// What glance and log say of a run.
#include <QLocale>
#include <QTest>

#include <memory>
#include <vector>

#include "ui/run/glance.h"
#include "ui/run/run_data.h"
#include "ui/run/run_log.h"

using namespace mantissa;
using namespace mantissa::ui::run;

namespace {

record::TrialRow arm(std::int64_t id, const char* name, record::TrialKind kind) {
  record::TrialRow row;
  row.id = id;
  row.experiment_id = 1;
  row.start.name = name;
  row.start.kind = kind;
  row.end.status = record::Status::Running;
  return row;
}

record::StepRecord stepOf(std::int64_t trial, std::int64_t number, double loss) {
  record::StepRecord step;
  step.trial = trial;
  step.step = step.iteration = step.applied_updates = number;
  step.loss = loss;
  return step;
}

void take(RunData& data, std::vector<record::StepRecord> steps) {
  ui::worker::StepBatch made;
  made.chunks = {std::make_shared<const std::vector<record::StepRecord>>(std::move(steps))};
  data.take({made});
}

RunData twoArms() {
  RunData data;
  data.setArms({arm(1, "reference", record::TrialKind::Reference), arm(2, "fp16", record::TrialKind::Trial)});
  return data;
}

record::TrialRow rejected() {
  record::TrialRow row = arm(2, "fp16", record::TrialKind::Trial);
  row.end.status = record::Status::Finished;
  row.end.counts.attempted = 2000;
  row.end.counts.skipped = 12;
  row.end.verdict.emplace();
  row.end.verdict->word = record::VerdictWord::Rejected;
  row.end.verdict->reasons = {"skips: 1,204 of 2,000 steps (60.2 %), at most 5 %"};
  return row;
}

}  // namespace

class RunWordsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { QLocale::setDefault(QLocale::c()); }
  void cleanup() { QLocale::setDefault(QLocale::c()); }

  void a_skip_knows_how_long_ago_the_scale_grew() {
    const auto step = [](std::int64_t number) {
      record::StepRecord made = stepOf(2, number, 1);
      made.scale_before = number <= 2 ? 1024 : 2048;
      made.scale_after = number < 2 ? 1024 : 2048;  // step 2 leaves a larger one
      made.skipped = number == 14;
      if (made.skipped) {
        made.skip_cause = record::SkipCause::Overflow;
        made.scale_after = 1024;
      }
      return made;
    };
    RunData data = twoArms();
    for (std::int64_t number = 1; number <= 14; ++number) take(data, {step(number)});
    const auto words = [&data] { return growthWords(data.arm(2)->skips().back()); };
    QCOMPARE(words(), QStringLiteral("12 steps after the scale grew"));
    QCOMPARE(glance(data, {})[1].detail,
             QStringLiteral("fp16, last at step 14: overflow, 12 steps after the scale grew"));
    data.truncate(2, 10);  // a run that goes on from a checkpoint knows it, too
    for (std::int64_t number = 11; number <= 14; ++number) take(data, {step(number)});
    QCOMPARE(words(), QStringLiteral("12 steps after the scale grew"));
  }

  void gradients_that_are_gone_are_told_instead_of_the_loss() {
    RunData data = twoArms();
    const auto takeBoth = [&data](std::int64_t number, double norm, double ofReference = 1) {
      record::StepRecord reference = stepOf(1, number, 1);
      reference.grad_norm = ofReference;
      record::StepRecord trial = stepOf(2, number, 2);
      trial.grad_norm = norm;
      take(data, {reference, trial});
    };
    for (std::int64_t number = 1; number <= 287; ++number) takeBoth(number, number == 5 ? 0 : 1);
    QVERIFY(!glance(data, {})[3].answer.contains(QStringLiteral("gradients")));
    for (std::int64_t number = 288; number <= 297; ++number) takeBoth(number, 0);
    const Statement told = glance(data, {})[3];
    QCOMPARE(told.answer, QStringLiteral("fp16: gradients 0 in 11 of 297 steps"));  // steps 5 and 288 to 297
    QCOMPARE(told.state, Statement::State::Bad);
    QVERIFY2(told.detail.contains(QStringLiteral("since step 287")), qPrintable(told.detail));
    takeBoth(298, 0, 0);  // the reference has none, either
    QVERIFY(!glance(data, {})[3].answer.contains(QStringLiteral("gradients")));
    takeBoth(299, 0.5);
    takeBoth(300, 0);
    QVERIFY(!glance(data, {})[3].answer.contains(QStringLiteral("gradients")));
  }

  // Zero at all even steps up to 200 (100), and from 201 to 219 (19); a gradient of NaN at 220 ends nothing, and zero
  // again from 221 to 230 (10): 129 of 230. The last one that was neither stands at step 199.
  void gradients_that_are_often_zero_are_told_with_their_share() {
    RunData data = twoArms();
    const auto norm = [](std::int64_t number) {
      if (number == 220) return std::nan("");
      return number > 200 || number % 2 == 0 ? 0.0 : 1.0;
    };
    const auto takeUpTo = [&](std::int64_t from, std::int64_t last) {
      for (std::int64_t number = from; number <= last; ++number) {
        record::StepRecord reference = stepOf(1, number, 1);
        reference.grad_norm = 1;
        record::StepRecord trial = stepOf(2, number, 2);
        trial.grad_norm = norm(number);
        take(data, {reference, trial});
      }
    };
    takeUpTo(1, 199);
    Statement told = glance(data, {})[3];
    QCOMPARE(told.answer, QStringLiteral("fp16: gradients 0 in 99 of 199 steps"));
    QCOMPARE(told.state, Statement::State::Warn);
    QVERIFY2(!told.detail.contains(QStringLiteral("since")), qPrintable(told.detail));
    takeUpTo(200, 230);
    told = glance(data, {})[3];
    QCOMPARE(told.answer, QStringLiteral("fp16: gradients 0 in 129 of 230 steps"));
    QCOMPARE(told.state, Statement::State::Bad);
    QVERIFY2(told.detail.contains(QStringLiteral("since step 199")), qPrintable(told.detail));
    data.truncate(2, 199);  // it goes on from a checkpoint
    QCOMPARE(data.arm(2)->gradients().zero, 99);
    QCOMPARE(data.arm(2)->gradients().lastNonZero, 199);
  }

  void a_deviation_without_a_yardstick_names_its_measure() {
    RunData data = twoArms();
    record::StepRecord step = stepOf(2, 1, 1);
    step.deviation_output_rmse = 0.25;
    take(data, {stepOf(1, 1, 1), step});
    const Statement told = glance(data, {})[2];
    QCOMPARE(told.answer, QStringLiteral("fp16 by 0.2500"));
    QCOMPARE(told.detail, QStringLiteral("Output RMSE of the trajectory, mean of 1 step, no yardstick."));
    QCOMPARE(told.shorterDetails.last(), QStringLiteral("mean of 1 step"));
  }

  void a_deviation_says_in_every_form_that_it_is_a_mean_and_of_the_trajectory_while_the_shadow_is_charted() {
    RunData data = twoArms();
    for (std::int64_t number = 1; number <= 60; ++number) {
      record::StepRecord step = stepOf(2, number, 1);
      step.deviation_output_rmse = 0.25;
      take(data, {stepOf(1, number, 1), step});
    }
    Standing standing;
    for (const bool showsShadow : {false, true}) {
      standing.showsShadow = showsShadow;
      const Statement told = glance(data, standing)[2];
      for (const QString& form : told.shorterDetails + QStringList(told.detail)) {
        QVERIFY2(form.contains(QStringLiteral("mean"), Qt::CaseInsensitive), qPrintable(form));
        QVERIFY2(!showsShadow || form.contains(QStringLiteral("trajectory"), Qt::CaseInsensitive), qPrintable(form));
      }
      QVERIFY2(told.detail.contains(QStringLiteral("mean of 50 steps")), qPrintable(told.detail));
      QVERIFY2(told.help.contains(QStringLiteral("newest 50 compared steps of the trajectory")), qPrintable(told.help));
      QCOMPARE(told.help.contains(QStringLiteral("The charts show the shadow")), showsShadow);
    }
  }

  void a_step_that_does_not_end_is_told_instead_of_the_time_left() {
    RunData data = twoArms();
    take(data, {stepOf(1, 1, 1), stepOf(1, 2, 1)});
    Standing standing;
    standing.running = standing.trains = true;
    standing.plannedSteps = 2000;
    standing.remainingSeconds = 60;
    standing.silentSeconds = 1200;
    const Statement told = glance(data, standing)[4];
    QCOMPARE(told.answer, QStringLiteral("no step for 1,200 s"));
    QCOMPARE(told.detail, QStringLiteral("step 2 was the last, 1,998 steps left"));
    QCOMPARE(told.state, Statement::State::Warn);
    standing.trains = false;
    standing.phase = QStringLiteral("comparing cases");
    QCOMPARE(glance(data, standing)[4].answer, QStringLiteral("comparing cases for 1,200 s"));
    standing.silentSeconds.reset();
    QCOMPARE(glance(data, standing)[4].answer, QStringLiteral("1 min 00 s"));
  }

  void a_run_that_is_over_is_said_to_be_read_until_all_of_it_is_here() {
    RunData data;
    record::TrialRow over = arm(1, "reference", record::TrialKind::Reference);
    over.end.status = record::Status::Finished;
    over.end.counts.attempted = 300'000;
    data.setArms({over});
    std::vector<record::StepRecord> steps;
    for (std::int64_t number = 1; number <= 200; ++number) {
      steps.push_back(stepOf(1, number, static_cast<double>(number)));  // rises
      steps.back().wall_seconds = static_cast<double>(number);
      steps.back().deviation_output_rmse = 1;
    }
    take(data, steps);
    Standing standing;
    standing.plannedSteps = 400'000;  // it was stopped: the archive says after how many
    standing.isBeingRead = true;
    auto told = glance(data, standing);
    QCOMPARE(told[4].question, QStringLiteral("Archive"));
    QCOMPARE(told[4].answer, QStringLiteral("Reading 200 of 300,000 steps"));
    QCOMPARE(told[3].state, Statement::State::Unknown);
    QCOMPARE(told[3].answer, QString());
    QCOMPARE(told[2].state, Statement::State::Unknown);
    standing.cannotBeRead = true;
    told = glance(data, standing);
    QCOMPARE(told[4].answer, QStringLiteral("cannot be read"));
    QCOMPARE(told[4].detail, QStringLiteral("200 of 300,000 steps are here"));
    QCOMPARE(told[4].state, Statement::State::Warn);
    standing.isBeingRead = standing.cannotBeRead = false;
    QVERIFY(glance(data, standing)[3].answer.endsWith(QStringLiteral("rising")));
  }

  void a_run_that_is_over_without_a_step_tells_its_outcome() {
    record::TrialRow reference = arm(1, "reference", record::TrialKind::Reference);
    reference.end.status = record::Status::Finished;
    record::TrialRow trial = rejected();
    trial.end.counts.attempted = trial.end.counts.skipped = 0;
    trial.end.verdict->reasons = {"2 flips, at most 0"};
    RunData data;
    data.setArms({reference, trial});
    const Statement told = glance(data, {})[4];
    QCOMPARE(told.question, QStringLiteral("Outcome"));
    QCOMPARE(told.answer, QStringLiteral("fp16 rejected"));
    QCOMPARE(told.detail, QStringLiteral("2 flips, at most 0; finished, without a step"));
    QCOMPARE(told.state, Statement::State::Bad);
  }

  void a_loss_that_rises_beyond_tenfold_is_told_as_a_multiple() {
    RunData data = twoArms();
    std::vector<record::StepRecord> steps;
    // The mean of the last 50 of 200 steps is 31, that of the 50 that ended 100 steps before it is 1.
    for (std::int64_t number = 1; number <= 200; ++number) steps.push_back(stepOf(1, number, number <= 100 ? 1 : 31));
    take(data, steps);
    const Statement learning = glance(data, {})[3];
    QVERIFY2(learning.detail.endsWith(QStringLiteral("31 times that of 100 steps ago")), qPrintable(learning.detail));
    QCOMPARE(learning.shorterDetails.last(), QStringLiteral("31 times as high"));
  }

  void the_speed_is_the_one_that_the_time_left_rests_on() {
    RunData data = twoArms();
    record::StepRecord step = stepOf(1, 100, 1);
    step.wall_seconds = 1000;  // most of them of pauses, or of another process
    take(data, {step});
    Standing standing;
    standing.ours = standing.running = true;
    standing.plannedSteps = 300;
    standing.remainingSeconds = 50;  // 200 steps in 50 s
    const QStringList shorter = glance(data, standing)[4].shorterDetails;
    QVERIFY2(shorter.contains(QStringLiteral("4.000/s")), qPrintable(shorter.join(u'|')));
  }

  void two_arms_that_are_much_alike_take_no_turns() {
    RunData data = twoArms();
    Standing standing;
    standing.running = true;
    GlanceMemory memory;
    QStringList told;
    // Both fall alike; now one lies higher by 0.2 %, now the other.
    for (std::int64_t number = 1; number <= 900; ++number) {
      const double level = 2.0 - 0.002 * static_cast<double>(number);
      const bool isFirst = number / 60 % 2 == 0;
      take(data, {stepOf(1, number, level * (isFirst ? 1.002 : 1)), stepOf(2, number, level * (isFirst ? 1 : 1.002))});
      if (number < 20) continue;
      const QString name = glance(data, standing, &memory)[3].detail.section(u' ', 0, 0);
      if (told.isEmpty() || told.last() != name) told << name;
    }
    QCOMPARE(told.size(), 1);
    // An arm that is worse by far is told of.
    for (std::int64_t number = 901; number <= 1000; ++number) {
      take(data, {stepOf(1, number, 0.1), stepOf(2, number, 3.0)});
    }
    QVERIFY(glance(data, standing, &memory)[3].detail.startsWith(QStringLiteral("fp16")));
  }

  void a_stop_at_the_next_checkpoint_is_told_with_the_steps_until_then() {
    RunData data = twoArms();
    take(data, {stepOf(1, 360, 1)});
    Standing standing;
    standing.running = standing.stopsAtCheckpoint = true;
    standing.stopStep = 500;
    QCOMPARE(glance(data, standing)[4].answer, QStringLiteral("stopping at the next checkpoint"));
    QCOMPARE(glance(data, standing)[4].detail, QStringLiteral("in 140 steps, at step 500"));
    standing.stopStep.reset();
    QCOMPARE(glance(data, standing)[4].detail, QStringLiteral("where the present step ends"));
  }

  void figures_that_stand_still_before_a_locked_archive_do_not_look_live() {
    RunData data = twoArms();
    take(data, {stepOf(1, 1, 1), stepOf(1, 2, 1)});
    Standing standing;
    standing.running = true;
    standing.plannedSteps = 100;
    standing.remainingSeconds = 7;
    standing.waitsForArchive = true;
    const Statement left = glance(data, standing)[4];
    QCOMPARE(left.answer, QStringLiteral("waiting for the archive"));
    QCOMPARE(left.detail, QStringLiteral("shown up to step 2, nothing is lost"));
    QCOMPARE(left.state, Statement::State::Warn);
  }

  void a_rejection_says_its_reason_in_glance_and_log() {
    RunData data = twoArms();
    take(data, {stepOf(1, 2000, 1), stepOf(2, 2000, 1)});
    record::TrialRow reference = arm(1, "reference", record::TrialKind::Reference);
    reference.end.status = record::Status::Finished;
    data.setArms({reference, rejected()});
    const Statement outcome = glance(data, {})[4];
    QCOMPARE(outcome.question, QStringLiteral("Outcome"));
    QCOMPARE(outcome.answer, QStringLiteral("fp16 rejected"));
    QCOMPARE(outcome.state, Statement::State::Bad);
    record::TrialRow undecided = rejected();
    undecided.end.verdict->word = record::VerdictWord::Undecided;
    data.setArms({undecided});
    QCOMPARE(glance(data, {})[4].answer, QStringLiteral("fp16 undecided"));
    QCOMPARE(glance(data, {})[4].state, Statement::State::Undecided);  // a "?", and no warning's "!"
    QCOMPARE(outcome.state, Statement::State::Bad);
    QCOMPARE(outcome.detail,
             QStringLiteral("skips: 1,204 of 2,000 steps (60.2 %), at most 5 %; finished, 2,000 steps"));
    QCOMPARE(endLines(rejected()),
             (QStringList{QStringLiteral("fp16: finished, 12 of 2,000 steps skipped (0.6 %), ✕ rejected"),
                          QStringLiteral("fp16 because: skips: 1,204 of 2,000 steps (60.2 %), at most 5 %")}));
  }

  void the_log_closes_with_the_gains_and_the_place_of_the_archive() {
    record::RunSummary summary;
    summary.experiment = "digits";
    summary.trials = {rejected(), arm(3, "bf16", record::TrialKind::Trial)};
    QCOMPARE(closingLines(summary, QStringLiteral("digits #3"), QStringLiteral("/a/b.db")),
             QStringList(QStringLiteral("digits #3: finished, kept in /a/b.db")));
    record::Gains gains;
    gains.speed_up = 1.25;
    gains.speed_up_low = 0.95;
    gains.speed_up_high = 1.5;
    summary.trials[1].end.gains = gains;
    QCOMPARE(closingLines(summary, QStringLiteral("digits #3"), QStringLiteral("/a/b.db")).first(),
             QStringLiteral("digits #3: gains measured: bf16 is 1.25 × as fast as the reference (0.95 to 1.50), no "
                            "difference shown"));
  }

  void the_log_writes_figures_as_the_locale_does() {
    QLocale::setDefault(QLocale(QLocale::German));
    record::Evaluation evaluation;
    evaluation.step = 1600;
    evaluation.metric = "accuracy";
    evaluation.value = 0.9667;
    QCOMPARE(evaluationLine(QStringLiteral("fp16"), evaluation), QStringLiteral("fp16: accuracy 0,9667 at step 1.600"));
    QCOMPARE(checkpointLine(1500), QStringLiteral("checkpoint of all arms at step 1.500"));
    QVERIFY(endLines(rejected()).last().endsWith(QStringLiteral("1.204 of 2.000 steps (60,2 %), at most 5 %")));
  }
};

QTEST_GUILESS_MAIN(RunWordsTests)
#include "run_words_tests.moc"
