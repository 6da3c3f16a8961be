// SPDX-License-Identifier: Apache-2.0
// What a run would be, before it is one.
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/session/preflight.h"
#include "core/spec/parse.h"

using namespace mantissa;

namespace {

spec::Experiment experiment_with(const std::string& training, const std::string& more = {}) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = [8]\n"
      "[training]\nthreads = 1\nbatch = 8\n" +
          training + "\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n" + more,
      "test.toml");
}

class Quiet : public session::Observer {
 public:
  void on_note(const std::string&) override {}
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
};

record::RunSummary run(const spec::Experiment& experiment, const std::string& archive) {
  session::RunOptions options;
  options.archive = archive;
  Quiet observer;
  return session::run(experiment, options, observer, session::StopToken());
}

session::Preflight fly(const spec::Experiment& experiment, const session::PreflightLimits& limits = {3, 60.0}) {
  return session::preflight(experiment, {}, {}, limits);
}

}  // namespace

class PreflightTests : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void names_the_arms_and_counts_the_steps() {
    const session::Preflight found = fly(experiment_with("epochs = 2", "[reference]\nrepeats = 1\n"));
    QCOMPARE(found.steps, std::int64_t{14});  // 2 epochs of 51 rows (64 less a fifth for testing), 8 at a time
    QCOMPARE(found.timed_steps, std::int64_t{3});
    QCOMPARE(found.arms.size(), std::size_t{3});
    QCOMPARE(found.arms[0].name, std::string("reference"));
    QCOMPARE(found.arms[1].name, std::string("bf16"));
    QCOMPARE(found.arms[2].name, std::string("repeat-1"));
    for (const session::PreflightArm& arm : found.arms) QVERIFY(arm.failure.empty());
    QVERIFY(*found.arms[0].peak_bytes > 0);
  }

  void the_duration_is_that_of_its_median_step_times_the_steps() {
    const session::Preflight found = fly(experiment_with("steps = 1000"));
    QVERIFY(found.step_seconds > 0);
    QCOMPARE(found.training_seconds, 1000 * found.step_seconds);
  }

  void a_short_run_is_timed_by_the_steps_that_it_has() {
    QCOMPARE(fly(experiment_with("steps = 2")).timed_steps, std::int64_t{1});  // the first one warms up
    const session::Preflight single = fly(experiment_with("steps = 1"));
    QCOMPARE(single.timed_steps, std::int64_t{0});
    QCOMPARE(single.step_seconds, 0.0);
  }

  void it_tells_of_every_arm_that_begins_its_part_of_a_step() {
    std::vector<std::string> told;
    session::preflight(experiment_with("steps = 1"), {}, {}, {3, 60.0},
                       [&told](const std::string& arm) { told.push_back(arm); });
    QCOMPARE(told, (std::vector<std::string>{"reference", "bf16"}));
  }

  void no_arm_goes_on_after_a_microbatch_beyond_the_limit() {
    std::vector<std::string> told;
    const session::Preflight found =
        session::preflight(experiment_with("steps = 1000\naccumulate = 3"), {}, {}, {20, 0.0},
                           [&told](const std::string& arm) { told.push_back(arm); });
    QCOMPARE(told, std::vector<std::string>{"reference"});
    QVERIFY(found.at_least);
    QCOMPARE(found.timed_steps, std::int64_t{0});
    QVERIFY(found.step_seconds > 0);
    QCOMPARE(found.training_seconds, 1000 * found.step_seconds);
  }

  void a_request_to_stop_ends_it_at_once() {
    session::StopToken stop;
    stop.request();
    const session::Preflight found = session::preflight(experiment_with("steps = 1000"), {}, stop);
    QCOMPARE(found.timed_steps, std::int64_t{0});
    QCOMPARE(found.arms.size(), std::size_t{2});
  }

  void an_arm_that_fails_in_its_first_steps_says_why() {
    // 2^40 times a loss near 1 is above the largest FP16 number, 65,504: the first gradients are not finite.
    const session::Preflight found =
        fly(experiment_with("steps = 50\nstop_on = [\"gradient\"]",
                            "[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = "
                            "1099511627776\n"),
            {5, 60.0});
    QCOMPARE(found.arms[2].name, std::string("fp16"));
    QVERIFY(!found.arms[2].failure.empty());
    QVERIFY(found.arms[0].failure.empty());
  }

  void the_archive_stays_below_what_was_announced() {
    const spec::Experiment experiment =
        experiment_with("steps = 400\ncheckpoint = { every = 100, keep = 2 }\nevaluate_every = 100",
                        "[reference]\nrepeats = 1\nrounding_repeats = 1\n");
    const session::Preflight found = fly(experiment);
    const std::string archive = folder_.filePath("a.db").toStdString();
    run(experiment, archive);
    const qint64 measured = QFileInfo(QString::fromStdString(archive)).size();
    constexpr qint64 kEmptyArchive = 250 * 1024;  // tables, indices and the pages that they begin
    QVERIFY2(found.archive_bytes + kEmptyArchive >= measured,
             qPrintable(QStringLiteral("%1 < %2").arg(found.archive_bytes).arg(measured)));
    QVERIFY(found.archive_bytes < 4 * measured);
  }

  void the_rules_have_the_hash_that_the_archive_will_name() {
    const spec::Experiment experiment = experiment_with("steps = 4", "[rules]\noutput = { max = 1e9 }\n");
    const session::Preflight found = fly(experiment);
    const std::string archive = folder_.filePath("rules.db").toStdString();
    const record::RunSummary summary = run(experiment, archive);
    QVERIFY(!found.rules_sha256.empty());
    QCOMPARE(found.rules_sha256, archive::Reader(archive).experiment(summary.experiment_id).rules_sha256);
  }

  void a_wrong_setting_is_refused_as_run_refuses_it() {
    const spec::Experiment experiment =
        experiment_with("steps = 4", "float32_regions = [\"module:nothing.like.it\"]\n");
    QVERIFY_EXCEPTION_THROWN(fly(experiment), Error);
  }
};

QTEST_GUILESS_MAIN(PreflightTests)
#include "preflight_tests.moc"
