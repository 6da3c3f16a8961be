// SPDX-License-Identifier: Apache-2.0
// What a run measures of its arms' cost. No figure is compared with another: that would be a test of the machine.
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/session/run.h"
#include "core/spec/parse.h"

using namespace mantissa;

namespace {

class Quiet : public session::Observer {
 public:
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
  std::vector<std::string> notes;
};

/// An accepted trial, a rejected one and one without a scaler problem whose limit nothing reaches.
spec::Experiment experiment_with(const std::string& more) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = [8]\n"
      "dropout = 0.25\n[training]\nthreads = 1\nsteps = 6\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = "
      "\"bfloat16\"\nshadow_every = 0\n[[trial]]\nname = \"fp32\"\nautocast = \"off\"\nshadow_every = 0\n" +
          more,
      "test.toml");
}

record::RunSummary run(const spec::Experiment& experiment, const std::string& archive, session::MeasureGains gains) {
  Quiet observer;
  return session::run(experiment, {archive, {}, session::Probes::Standard, gains}, observer, {});
}

}  // namespace

class GainsTests : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::string archive(const char* name) const { return folder_.filePath(name).toStdString(); }

 private Q_SLOTS:
  void every_arm_that_is_not_rejected_is_measured_with_its_method() {
    const spec::Experiment experiment =
        experiment_with("[budget]\ndeadline = \"1 h\"\nprice_per_hour = 2\n[rules]\noutput = { max = 1e9 }\n");
    const record::RunSummary summary = run(experiment, archive("a.db"), session::MeasureGains::Short);
    QVERIFY(summary.reference.end.gains.has_value());
    QVERIFY(!summary.reference.end.gains->speed_up);
    for (const record::TrialRow& trial : summary.trials) {
      QVERIFY(trial.end.gains.has_value());
      const record::Gains& gains = *trial.end.gains;
      QCOMPARE(gains.repetitions, std::int64_t{7});
      QVERIFY(gains.steps >= 1 && gains.samples == 8 * gains.steps);
      QVERIFY(gains.samples_per_second > 0.0 && gains.step_seconds > 0.0);
      QVERIFY(*gains.speed_up_low <= *gains.speed_up && *gains.speed_up <= *gains.speed_up_high);
      QVERIFY(*gains.peak_bytes > 0);
      QCOMPARE(*gains.deadline_seconds, 3600.0);
      QCOMPARE(gains.finish_seconds, 6 * gains.step_seconds);
      QCOMPARE(*gains.cost_per_sample, 2.0 / 3600.0 / gains.samples_per_second);
      QVERIFY(gains.method.find("steady clock") != std::string::npos);
    }
    const archive::Reader reader(archive("a.db"));
    QCOMPARE(reader.trials()[1].end.gains->samples_per_second, summary.trials[0].end.gains->samples_per_second);
  }

  void a_rejected_trial_shows_no_speed_up() {
    const spec::Experiment experiment =
        experiment_with("[rules]\noutput = { max = { bfloat16 = 0, off = 1 } }\n");  // BF16 is off by more than nothing
    const record::RunSummary summary = run(experiment, archive("b.db"), session::MeasureGains::Short);
    QCOMPARE(summary.trials[0].end.verdict->word, record::VerdictWord::Rejected);
    QVERIFY(!summary.trials[0].end.gains);
    QVERIFY(summary.trials[1].end.gains.has_value());
    QVERIFY(!archive::Reader(archive("b.db")).trials()[1].end.gains);
  }

  void measuring_changes_no_bit_of_what_is_kept() {
    const spec::Experiment experiment = experiment_with("[rules]\noutput = { max = 1 }\n");
    const record::RunSummary with = run(experiment, archive("c.db"), session::MeasureGains::Short);
    const record::RunSummary without = run(experiment, archive("d.db"), session::MeasureGains::Off);
    QVERIFY(!without.trials[0].end.gains);
    const archive::Reader measured(archive("c.db")), plain(archive("d.db"));
    for (std::size_t arm = 0; arm < 3; ++arm) {
      const std::int64_t id = measured.trials()[arm].id;
      const auto weights = measured.weights(id, "final"), expected = plain.weights(id, "final");
      QCOMPARE(weights.size(), expected.size());
      for (std::size_t i = 0; i < weights.size(); ++i) QCOMPARE(weights[i].bytes, expected[i].bytes);
      QCOMPARE(measured.trials()[arm].end.final_loss, plain.trials()[arm].end.final_loss);
      QCOMPARE(measured.trials()[arm].end.counts.attempted, plain.trials()[arm].end.counts.attempted);
    }
  }

  /// 1 and the training batch are timed where nothing is said; what was, and how, stands in the archive.
  void inference_is_timed_at_its_batch_sizes_with_the_method() {
    const record::RunSummary summary =
        run(experiment_with("[rules]\noutput = { max = 1e9 }\n"), archive("f.db"), session::MeasureGains::Short);
    const archive::Reader reader(archive("f.db"));
    for (const record::TrialRow& arm : reader.trials()) {
      QCOMPARE(arm.end.latency.size(), std::size_t{2});
      QCOMPARE(arm.end.latency[0].batch, std::int64_t{1});
      QCOMPARE(arm.end.latency[1].batch, std::int64_t{8});
      for (const record::Latency& row : arm.end.latency) {
        QVERIFY(row.calls >= 10 && row.missing.empty());
        QCOMPARE(row.p50_ratio.has_value(), arm.start.kind == record::TrialKind::Trial);
        QVERIFY(row.method.find("steady clock") != std::string::npos);
      }
    }
    QCOMPARE(reader.trials()[1].end.latency[0].p50_seconds, summary.trials[0].end.latency[0].p50_seconds);
    const record::RunSummary none =
        run(experiment_with("[cases]\nlatency_batches = []\n"), archive("g.db"), session::MeasureGains::Short);
    QVERIFY(none.reference.end.latency.empty() && none.reference.end.gains);
  }

  /// No machine trains a thousand million times as fast, and each at least a thousand millionth.
  void a_verdict_waits_for_its_rules_on_costs() {
    const record::RunSummary slow =
        run(experiment_with("[rules]\noutput = { max = 1e9 }\ncost = { min_speedup = 1e9 }\n"), archive("h.db"),
            session::MeasureGains::Short);
    for (const record::TrialRow& trial : slow.trials) {
      QCOMPARE(trial.end.verdict->word, record::VerdictWord::Rejected);
      QCOMPARE(trial.end.verdict->rules.back().name, std::string("cost.min_speedup"));
      QVERIFY(trial.end.gains.has_value());  // what speaks against it is shown
    }
    const archive::Reader reader(archive("h.db"));
    QCOMPARE(reader.trials()[1].end.verdict->word, record::VerdictWord::Rejected);
    const record::RunSummary fast =
        run(experiment_with("[rules]\noutput = { max = 1e9 }\ncost = { min_speedup = 1e-9 }\n"), archive("i.db"),
            session::MeasureGains::Short);
    for (const record::TrialRow& trial : fast.trials) {
      QCOMPARE(trial.end.verdict->word, record::VerdictWord::Accepted);
    }
  }

  void costs_are_undecided_where_measuring_is_off() {
    const record::RunSummary summary =
        run(experiment_with("[rules]\noutput = { max = 1e9 }\ncost = { min_speedup = 1e-9 }\n"), archive("j.db"),
            session::MeasureGains::Off);
    QCOMPARE(summary.trials[0].end.verdict->word, record::VerdictWord::Undecided);
    QVERIFY(summary.trials[0].end.verdict->reasons.front().find("switched off") != std::string::npos);
  }

  void an_observer_hears_of_no_verdict_before_its_rules_on_costs() {
    class Listener : public Quiet {
     public:
      void on_arm_end(const record::TrialRow& arm) override {
        if (arm.end.verdict) words.push_back(arm.end.verdict->word);
      }
      std::vector<record::VerdictWord> words;
    };
    Listener listener;
    session::run(experiment_with("[rules]\noutput = { max = 1e9 }\ncost = { min_speedup = 1e9 }\n"),
                 {archive("k.db"), {}, session::Probes::Standard, session::MeasureGains::Short}, listener, {});
    QCOMPARE(listener.words.size(), std::size_t{2});
    for (const record::VerdictWord word : listener.words) QCOMPARE(word, record::VerdictWord::Rejected);
  }

  void a_run_that_is_to_stop_measures_nothing() {
    session::StopToken stop;
    stop.request();
    Quiet observer;
    const record::RunSummary summary =
        session::run(experiment_with(""),
                     {archive("e.db"), {}, session::Probes::Standard, session::MeasureGains::Short}, observer, stop);
    QVERIFY(!summary.reference.end.gains);
  }
};

QTEST_GUILESS_MAIN(GainsTests)
#include "gains_tests.moc"
