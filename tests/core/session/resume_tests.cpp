// SPDX-License-Identifier: Apache-2.0
// A run that stops and goes on equals one that never stopped, in every bit.
#include "tests/core/session/resume_box.h"

using namespace mantissa;
using namespace mantissa::test;

class ResumeTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_resumed_run_equals_an_unbroken_one_bit_for_bit_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("dropout, FP16 with a scaler, BF16") << QByteArray::fromStdString(kDropout);
    QTest::newRow("momentum, accumulation, step schedule") << QByteArray::fromStdString(kMomentum);
    QTest::newRow("BatchNorm, Adam") << QByteArray::fromStdString(kBatchNorm);
    QTest::newRow("attributes of the model's code") << QByteArray::fromStdString(kStateful);
    QTest::newRow("RMSprop, warm-up, cosine") << QByteArray::fromStdString(kCosine);
    QTest::newRow("three optimizers, per iteration, shadows") << QByteArray::fromStdString(kOptimizers);
    QTest::newRow("hysteresis, floor, switch") << QByteArray::fromStdString(kSwitch);
    QTest::newRow("LBFGS") << QByteArray::fromStdString(kLbfgs);
  }

  void a_resumed_run_equals_an_unbroken_one_bit_for_bit() {
    QFETCH(QByteArray, text);
    Box unbroken;
    const Outcome whole = unbroken.run(text.toStdString());
    const auto steps = static_cast<std::int64_t>(whole.arms[0].steps.size());
    QVERIFY(steps >= 30);
    std::random_device seed;
    for (int time = 0; time < 5; ++time) {  // 40 random steps over the eight experiments
      const std::int64_t stop = std::uniform_int_distribution<std::int64_t>(1, steps - 1)(seed);
      Box box;
      const Outcome stopped = box.run(text.toStdString(), stop);
      QCOMPARE(static_cast<std::int64_t>(stopped.arms[0].steps.size()), stop);
      QCOMPARE(stopped.arms[0].row.end.status, record::Status::Stopped);
      QVERIFY(stopped.summary.stopped_as_planned);
      const std::string found = differences(whole, box.resume(stopped.arms.back().row.id));
      QVERIFY2(found.empty(), ("stopped after step " + std::to_string(stop) + "; " + found).c_str());
      QCOMPARE(box.reader().trials().size(), whole.arms.size());
    }
  }

  void evaluations_on_the_way_change_nothing_that_a_model_keeps() {
    Box plain;
    Box busy;
    std::string without = kStateful;
    without.erase(without.find("evaluate_every = 7\n"), 19);
    const std::string found = differences(plain.run(without), busy.run(kStateful));
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_switch_of_policy_is_told_once_wherever_the_run_stops() {
    // Nine overflows are tolerated, the tenth finds the scale at its floor: from step 11 on under the other policy.
    for (const std::int64_t stop : {9, 10, 11, 20}) {
      Box box;
      const std::int64_t id = box.run(kSwitch, stop).arms[1].row.id;
      const Outcome parts = box.resume(id);
      const std::vector<record::PolicyChange> changes = box.reader().trial(id).end.policy_changes;
      QCOMPARE(changes.size(), std::size_t{1});
      QCOMPARE(changes[0].step, std::int64_t{11});
      QCOMPARE(changes[0].trial, std::string("low"));
      QCOMPARE(*parts.arms[1].steps[9].scale_before, 16777216.0);
      QCOMPARE(*parts.arms[1].steps[10].scale_before, 65536.0);
    }
  }

  void a_run_may_stop_and_go_on_after_every_step() {
    Box unbroken;
    const std::string text = kDropout;
    const Outcome whole = unbroken.run(text);
    Box box;
    std::int64_t id = box.run(text, 1).arms[1].row.id;
    for (std::int64_t stop = 2; stop < 7; ++stop) box.resume(id, {}, stop);
    const std::string found = differences(whole, box.resume(id));
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(box.reader().history(id).resumptions.size(), std::size_t{6});
    QCOMPARE(box.reader().history(id).resumptions[2].step, std::int64_t{3});
  }

  void blocks_may_be_computed_again_from_a_resume_on() {
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    Box box;
    const std::int64_t id = box.run(kDropout, 5).arms[1].row.id;
    const std::string found = differences(whole, box.resume(id, {"training.activation_checkpointing=\"blocks\""}));
    QVERIFY2(found.empty(), found.c_str());
  }

  void checkpoints_and_evaluations_on_the_way_change_no_bit() {
    Box plain;
    Box busy;
    const std::string text = kDropout;
    std::string with = text;
    with.replace(with.find("batch = 8"), 9, "batch = 8\nevaluate_every = 4\ncheckpoint = { every = 7, keep = 2 }");
    const Outcome a = plain.run(text);
    const Outcome b = busy.run(with);
    const std::string found = differences(a, b);
    QVERIFY2(found.empty(), found.c_str());
    const record::History history = busy.reader().history(b.arms[1].row.id);
    std::vector<std::int64_t> evaluated;
    for (const record::Evaluation& evaluation : history.evaluations) evaluated.push_back(evaluation.step);
    // Every fourth step, and every checkpoint's: 7, 14, 21, 28, 35 and the end.
    QCOMPARE(evaluated, (std::vector<std::int64_t>{4, 7, 8, 12, 14, 16, 20, 21, 24, 28, 32, 35, 36, 40}));
    QCOMPARE(*history.evaluations.back().value, *b.arms[1].row.end.quality);
    QCOMPARE(history.evaluations.back().metric, std::string("rmse"));
    QCOMPARE(history.evaluations.back().direction, record::Direction::Lower);
    QCOMPARE(history.checkpoints.back().step, std::int64_t{40});
    QVERIFY(history.checkpoints.size() >= 2);
    int best = 0;
    for (const record::CheckpointRow& row : history.checkpoints) best += row.best ? 1 : 0;
    QCOMPARE(best, 1);
  }

  void a_run_that_was_killed_goes_on_from_its_last_checkpoint() {
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    Box box;
    std::string text = kDropout;
    text.replace(text.find("batch = 8"), 9, "batch = 8\ncheckpoint = { every = 10 }");
    const Outcome stopped = box.run(text, 27);
    // As a killed run leaves it: steps up to 27, the last checkpoint at 20, the process gone.
    box.sql("DELETE FROM checkpoints WHERE step = 27");
    box.sql("UPDATE trials SET status = 'running', process = 999999999, heartbeat_at = '2020-01-01T00:00:00.000Z'");
    const std::string found = differences(whole, box.resume(stopped.arms[0].row.id));
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(box.reader().history(stopped.arms[0].row.id).resumptions[0].step, std::int64_t{20});
  }

  void a_run_that_was_killed_before_its_verdicts_is_compared_and_judged_data() {
    QTest::addColumn<QByteArray>("killed");
    QTest::newRow("while cases were compared") << QByteArray("id > 0");
    QTest::newRow("after the reference had its end") << QByteArray("id > 1");
    QTest::newRow("before the last trial had its verdict") << QByteArray("id = 3");
  }

  void a_run_that_was_killed_before_its_verdicts_is_compared_and_judged() {
    QFETCH(QByteArray, killed);
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    Box box;
    box.run(kDropout);
    box.sql(
        "UPDATE trials SET status = 'running', finished_at = NULL, process = 999999999, heartbeat_at = "
        "'2020-01-01T00:00:00.000Z' WHERE " +
        killed.toStdString());
    QCOMPARE(box.reader().trial(3).end.status, record::Status::Interrupted);
    const Outcome judged = box.resume(3);
    const std::string found = differences(whole, judged);
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(judged.arms[2].row.end.status, record::Status::Finished);
    QVERIFY(!judged.arms[2].row.end.verdict->rules.empty());
    QCOMPARE(box.reader().trials().size(), std::size_t{3});
    QVERIFY(mentions(refusal([&] { box.resume(3); }), "nothing is left to train"));
  }

  void a_stopped_run_can_be_judged_where_it_stopped() {
    Box unbroken;
    std::string shorter = kDropout;
    shorter.replace(shorter.find("steps = 40"), 10, "steps = 27");
    Outcome whole = unbroken.run(shorter);
    Box box;
    const Outcome judged = box.resume(box.run(kDropout, 27).arms[1].row.id, {"training.steps=27"});
    // resume.h: the last step was not the last one when it was made.
    for (std::size_t arm = 0; arm < whole.arms.size(); ++arm) whole.arms[arm].steps[26] = judged.arms[arm].steps[26];
    const std::string found = differences(whole, judged);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_run_that_was_killed_before_its_verdicts_measures_its_gains_with_the_peak_of_all_steps() {
    Box box;
    const std::int64_t id = box.run(kCosine).arms[1].row.id;
    box.sql("UPDATE trials SET status = 'interrupted'");
    std::int64_t peak = 0;
    box.reader().steps(id, [&peak](const record::StepRecord& step) {
      peak = std::max(peak, step.peak_bytes.value_or(0));
      return true;
    });
    QVERIFY(peak > 0);
    session::ResumeOptions options;
    options.archive = box.path;
    options.trial = id;
    options.gains = session::MeasureGains::Short;
    session::resume(options, box.listener, {});
    QVERIFY(box.reader().trial(id).end.gains.has_value());
    QCOMPARE(box.reader().trial(id).end.gains->peak_bytes.value_or(0), peak);
  }

  void steps_without_a_gradient_are_seen_without_probes_too() {
    // The scale doubles in every clean step from 2^-50 on. FP16's smallest number is 2^-24: gradients below 1 are all
    // zero until the scale is above 2^-24, which takes 26 of the 40 steps and more.
    std::string text = kDropout;
    text.replace(text.find("init_scale = 16777216, growth_interval = 3"), 42,
                 "init_scale = 8.881784197001252e-16, growth_interval = 1");
    Box with, without;
    const record::RuleVerdict a = rule_of(with.run(text).arms[1], "progress.underflow");
    const record::RuleVerdict b = rule_of(without.run(text, 0, session::Probes::Off).arms[1], "progress.underflow");
    QCOMPARE(a.verdict, record::VerdictWord::Rejected);
    QCOMPARE(b.verdict, a.verdict);
    QCOMPARE(b.reason, a.reason);
    QVERIFY(a.value.value_or(0.0) > 0.5);
  }

  void more_steps_go_on_in_the_same_trial() {
    Box unbroken;
    std::string longer = kDropout;
    longer.replace(longer.find("steps = 40"), 10, "steps = 55");
    const Outcome whole = unbroken.run(longer);
    Box box;
    const Outcome first = box.run(kDropout);
    const Outcome second = box.resume(first.arms[1].row.id, {"training.steps=55"});
    QCOMPARE(second.arms[1].row.id, first.arms[1].row.id);
    QCOMPARE(box.reader().trials().size(), std::size_t{3});
    const std::string found = differences(whole, second);
    QVERIFY2(found.empty(), found.c_str());
  }

  void only_the_looks_at_the_weights_tell_where_a_run_ended_before_it_got_more_steps() {
    // Weights are looked at in every tenth step and in a run's last one: resume.h says that its row keeps them.
    Box unbroken;
    std::string longer = kDropout;
    longer.replace(longer.find("steps = 40"), 10, "steps = 44");
    Outcome whole = unbroken.run(longer);
    Box box;
    std::string shorter = kDropout;
    shorter.replace(shorter.find("steps = 40"), 10, "steps = 37");
    Outcome parts = box.resume(box.run(shorter).arms[1].row.id, {"training.steps=44"});
    QCOMPARE(differences(whole.arms[0].steps[36], parts.arms[0].steps[36]), std::string(" weight_change"));
    QCOMPARE(differences(whole.arms[1].steps[36], parts.arms[1].steps[36]),
             std::string(" weight_change deviation_weight_relative"));
    for (std::size_t arm = 0; arm < whole.arms.size(); ++arm) whole.arms[arm].steps[36] = parts.arms[arm].steps[36];
    const std::string found = differences(whole, parts);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_switch_that_is_due_after_the_last_step_waits_for_more_steps() {
    Box unbroken;
    const Outcome whole = unbroken.run(kSwitch);
    Box box;
    std::string shorter = kSwitch;
    shorter.replace(shorter.find("steps = 40"), 10, "steps = 10");
    const Outcome first = box.run(shorter);
    const record::TrialEnd& end = first.arms[1].row.end;
    QVERIFY(end.policy_changes.empty());  // no step ran under another policy
    const auto tells = [](const record::TrialEnd& of) {
      return std::any_of(of.notes.begin(), of.notes.end(), [](const std::string& note) {
        return note.find("a further step would begin under the policy of trial low") != std::string::npos;
      });
    };
    QVERIFY(tells(end));
    const Outcome second = box.resume(first.arms[1].row.id, {"training.steps=40"});
    QVERIFY(!tells(second.arms[1].row.end));
    QCOMPARE(second.arms[1].row.end.policy_changes.size(), std::size_t{1});
    const std::string found = differences(whole, second);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_schedule_keeps_the_horizon_of_the_first_run() {
    // 30 steps are the cosine's horizon; with 40 it goes on as PyTorch's does past T_max, and does not start anew.
    Box box;
    const Outcome first = box.run(kCosine);
    const Outcome second = box.resume(first.arms[1].row.id, {"training.steps=34"});
    Box unbroken;
    std::string longer = kCosine;
    longer.replace(longer.find("steps = 30"), 10, "steps = 34");
    longer.replace(longer.find("warmup = 6"), 10, "warmup = 6\ntotal = 30");
    const std::string found = differences(unbroken.run(longer), second);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_failed_trial_stays_failed_and_the_others_go_on() {
    // 1e-39: its reciprocal is infinite in FP32, the first unscaled gradients are not finite.
    std::string text = kDropout;
    text.replace(text.find("init_scale = 16777216"), 21, "init_scale = 1e-39   ");
    Box unbroken;
    const Outcome whole = unbroken.run(text);
    QCOMPARE(whole.arms[1].row.end.failure, std::string("scale-too-small"));
    Box box;
    const Outcome stopped = box.run(text, 15);
    const std::string found = differences(whole, box.resume(stopped.arms[2].row.id));
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_rule_of_the_first_run_judges_the_resumed_one() {
    Box box;
    const Outcome first = box.run(kDropout, 9);
    const std::string hash = box.reader().experiment(first.summary.experiment_id).rules_sha256;
    const Outcome second = box.resume(first.arms[1].row.id);
    QCOMPARE(second.arms[1].row.end.verdict->rules_sha256, hash);
  }
};

QTEST_APPLESS_MAIN(ResumeTests)
#include "resume_tests.moc"
