// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/judge/judge.h"
#include "core/report/tables.h"
#include "core/session/prepared.h"
#include "core/session/run.h"
#include "core/spec/parse.h"

using namespace mantissa;

namespace {

class Listener : public session::Observer {
 public:
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_progress(const session::Progress&) override {
    if (stop != nullptr) stop->request();
  }
  void on_phase(const std::string&) override {}

  std::vector<std::string> notes;
  session::StopToken* stop = nullptr;  ///< asked to stop at the first sign of progress
};

spec::Experiment concrete(const std::string& more) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"concrete\"\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\n" + more,
      "test.toml");
}

const std::string kTrial = "[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n";

}  // namespace

class SessionTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_a_schedule_does_beyond_its_horizon_is_said_beforehand() {
    const auto notes_of = [](const std::string& schedule) {
      const std::string training = "steps = 60\nbatch = 32\naccumulate = 2\nschedule = { " + schedule +
                                   " }\noptimizer = [{ kind = \"sgd\", lr = 0.1 }]\n";
      std::string text;
      for (const std::string& note : session::prepare(concrete(training + kTrial)).notes) text += note + '\n';
      return text;
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    QVERIFY(
        has(notes_of("kind = \"cosine\", total = 40"), "ends after 40 of 60 steps; from there its rate rises again"));
    QVERIFY(has(notes_of("kind = \"linear\", total = 40"), "ends after 40 of 60 steps; from there its rate stays"));
    QVERIFY(has(notes_of("kind = \"cosine\", min_lr = 0.5"), "min_lr = 0.5 is above the rate of 0.1"));
    QVERIFY(!has(notes_of("kind = \"cosine\""), "schedule"));
    QVERIFY(!has(notes_of("kind = \"cosine\", total = 80, min_lr = 0.1"), "schedule"));
    // Per iteration: 824 rows are 26 batches of 32, so every step has its 2 microbatches, 120 in 60 steps.
    QVERIFY(has(notes_of("kind = \"cosine\", total = 100, per = \"iteration\""), "ends after 100 of 120 iterations"));
  }

  void losses_that_will_not_do_are_said_beforehand() {
    spec::Experiment digits = spec::parse_experiment(
        "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = "
        "1\nloss = \"nll\"\n" +
            kTrial,
        "test.toml");
    QVERIFY(session::prepare(digits).notes.back().find("Use \"cross_entropy\"") != std::string::npos);
  }

  void a_regressions_threshold_is_in_the_targets_own_unit() {
    const std::string rules = "steps = 1\n" + kTrial + "[rules]\nthreshold = 35\nflips = { max = 0 }\n";
    const session::Prepared plain = session::prepare(concrete(rules));
    QCOMPARE(plain.decision.kind, judge::DecisionKind::Threshold);
    QCOMPARE(plain.decision.threshold, 35.0);

    spec::Experiment logarithmic = concrete(rules);
    logarithmic.data.target_transform = spec::TargetTransform::Log10;
    QCOMPARE(session::prepare(logarithmic).decision.threshold, std::log10(35.0));

    spec::Experiment standardized = concrete(rules);
    standardized.data.target_transform = spec::TargetTransform::Standardize;
    const session::Prepared prepared = session::prepare(standardized);
    const double scale = prepared.dataset.target_scale[0];
    QVERIFY(scale > 10.0 && scale < 25.0);  // the strengths' standard deviation: 16.7 MPa over all rows
    QCOMPARE(prepared.decision.threshold, (35.0 - prepared.dataset.target_offset[0]) / scale);
  }

  void flips_of_a_regression_without_a_threshold_are_refused() {
    spec::Experiment experiment = concrete("steps = 1\n" + kTrial + "[rules]\nquality = { max_drop = 1 }\n");
    experiment.rules->flips = spec::FlipsRule();
    QVERIFY_EXCEPTION_THROWN(session::prepare(experiment), Error);
  }

  void a_metric_that_the_task_does_not_have_is_refused() {
    // concrete says by its data alone that it is a regression.
    const spec::Experiment experiment =
        concrete("steps = 1\n" + kTrial + "[rules]\nquality = { metric = \"accuracy\" , min = 0.5 }\n");
    try {
      session::prepare(experiment);
      QFAIL("accepted");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QCOMPARE(error.facts().line, 13);
      QCOMPARE(error.facts().found, std::string("accuracy"));
    }
  }

  void a_diverging_reference_leaves_its_trials_undecided() {
    // SGD with a rate of 10^30 on a squared error: the second update is beyond FP32.
    QTemporaryDir folder;
    const std::string archive = folder.filePath("a.db").toStdString();
    const spec::Experiment experiment = concrete("steps = 20\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1e30\n" +
                                                 kTrial + "[rules]\nquality = { max_drop = 1 }\n");
    Listener listener;
    const record::RunSummary summary = session::run(experiment, {archive, {}, session::Probes::Standard}, listener, {});
    QCOMPARE(summary.reference.end.status, record::Status::Failed);
    QCOMPARE(summary.reference.end.failure, std::string("non-finite"));
    QCOMPARE(summary.trials[0].end.verdict->word, record::VerdictWord::Undecided);
    QVERIFY(summary.trials[0].end.verdict->reasons[0].find("reference") != std::string::npos);
    QVERIFY(listener.notes[0].find("The reference failed") != std::string::npos);
    const archive::Reader reader(archive);
    QCOMPARE(reader.trials().size(), std::size_t{2});
    QCOMPARE(reader.trials()[1].end.verdict->word, record::VerdictWord::Undecided);
  }

  void a_trial_that_no_person_stopped_says_that_its_reference_failed() {
    // As above; the scaler skips what fails the reference, so that the trial itself has not failed.
    QTemporaryDir folder;
    const std::string archive = folder.filePath("a.db").toStdString();
    const spec::Experiment experiment = concrete(
        "steps = 20\n[[training.optimizer]]\nkind = \"sgd\"\nlr = 1e30\n[[trial]]\nname = \"fp16\"\n"
        "autocast = \"float16\"\n");
    Listener listener;
    const record::RunSummary summary = session::run(experiment, {archive, {}, session::Probes::Standard}, listener, {});
    const record::TrialRow kept = archive::Reader(archive).trials()[1];
    QCOMPARE(kept.end.status, record::Status::Stopped);
    QCOMPARE(kept.end.failure_text, "The reference failed: " + summary.reference.end.failure_text);
    const std::string shown = report::trial_list({kept});
    QVERIFY2(shown.find("stopped (reference failed)") != std::string::npos, shown.c_str());
  }

  void a_stopped_run_is_stopped_in_the_archive_and_undecided() {
    QTemporaryDir folder;
    const std::string archive = folder.filePath("a.db").toStdString();
    session::StopToken stop;
    Listener listener;
    listener.stop = &stop;
    const record::RunSummary summary = session::run(concrete("steps = 100000000\n" + kTrial),
                                                    {archive, {}, session::Probes::Standard}, listener, stop);
    const record::TrialEnd& end = summary.trials[0].end;
    QCOMPARE(end.status, record::Status::Stopped);
    QCOMPARE(end.verdict->word, record::VerdictWord::Undecided);
    std::int64_t steps = 0;
    const archive::Reader reader(archive);
    reader.steps(summary.trials[0].id, [&](const record::StepRecord&) { return ++steps > 0; });
    QCOMPARE(steps, end.counts.attempted);
    QVERIFY(steps > 0);
  }

  void without_a_trial_only_the_reference_is_trained() {
    QTemporaryDir folder;
    Listener listener;
    const record::RunSummary summary = session::run(
        concrete("steps = 3\n"), {folder.filePath("a.db").toStdString(), {}, session::Probes::Standard}, listener, {});
    QVERIFY(summary.trials.empty());
    QVERIFY(!summary.reference.end.verdict);
    QCOMPARE(summary.reference.end.counts.applied, std::int64_t{3});
    QCOMPARE(summary.reference.end.quality_metric, std::string("rmse"));
  }

  void the_lock_is_the_same_for_the_same_experiment_and_another_for_other_settings() {
    QTemporaryDir folder;
    const std::string archive = folder.filePath("a.db").toStdString();
    Listener listener;
    for (const char* training :
         {"steps = 1\n", "steps = 1\n", "steps = 1\nseed = 2\n", "steps = 1\nclip_norm = 1.0\n"}) {
      session::run(concrete(training), {archive, {}, session::Probes::Off}, listener, {});
    }
    const archive::Reader reader(archive);
    const auto lock_of = [&](std::size_t i) { return reader.experiment(reader.trials()[i].experiment_id).lock_sha256; };
    QCOMPARE(lock_of(0), lock_of(1));
    QVERIFY(lock_of(0) != lock_of(2));
    QVERIFY(lock_of(0) != lock_of(3));
  }
};

QTEST_GUILESS_MAIN(SessionTests)
#include "session_tests.moc"
