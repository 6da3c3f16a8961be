// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/session/resume.h"
#include "core/session/run.h"
#include "core/spec/parse.h"

using namespace mantissa;

namespace {

class Silence : public session::Observer {
 public:
  void on_note(const std::string&) override {}
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
};

const std::string kRepeated = "[reference]\nrepeats = 2\nrounding_repeats = 2\nfloat64 = true\n";

spec::Experiment experiment(const std::string& reference, const std::vector<std::string>& overrides = {}) {
  return spec::parse_experiment(
      R"(
mantissa = 1
[data]
source = "wine"
[model]
kind = "mlp"
hidden = [8]
dropout = 0.25
[training]
threads = 1
steps = 20
batch = 16
[[trial]]
name = "bf16"
autocast = "bfloat16"
shadow_every = 5
)" + reference,
      "test.toml", overrides);
}

record::RunSummary run(const QTemporaryDir& folder, const char* name, const spec::Experiment& experiment,
                       session::Probes probes = session::Probes::Standard) {
  Silence silence;
  return session::run(experiment, {folder.filePath(name).toStdString(), {}, probes}, silence, {});
}

std::vector<record::TensorBytes> weights(const QTemporaryDir& folder, const char* name, std::int64_t id) {
  return archive::Reader(folder.filePath(name).toStdString()).weights(id, "final");
}

bool equal(const std::vector<record::TensorBytes>& a, const std::vector<record::TensorBytes>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name && x.bytes == y.bytes; });
}

std::vector<record::StepRecord> steps_of(const archive::Reader& reader, std::int64_t id) {
  std::vector<record::StepRecord> steps;
  reader.steps(id, [&](const record::StepRecord& step) {
    steps.push_back(step);
    return true;
  });
  return steps;
}

bool any_note(const record::TrialEnd& end, const std::string& part) {
  return std::any_of(end.notes.begin(), end.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

class ReferenceYardstickTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_whole_repeat_is_the_reference_of_its_seed() {
    QTemporaryDir folder;
    const record::RunSummary with = run(folder, "with.db", experiment(kRepeated));
    QCOMPARE(with.yardsticks.size(), std::size_t{5});
    for (int r : {1, 2}) {
      const std::string seed = "training.seed=" + std::to_string(1 + 1000 * r);  // the contract's seeds
      const std::string name = "seed" + std::to_string(r) + ".db";
      const record::RunSummary alone = run(folder, name.c_str(), experiment("", {seed}));
      const record::TrialRow& repeat = with.yardsticks[static_cast<std::size_t>(r - 1)];
      QCOMPARE(repeat.start.kind, record::TrialKind::Repeat);
      QVERIFY(equal(weights(folder, "with.db", repeat.id), weights(folder, name.c_str(), alone.reference.id)));
      QCOMPARE(*repeat.end.quality, *alone.reference.end.quality);
      QCOMPARE(*repeat.end.final_loss, *alone.reference.end.final_loss);
    }
  }

  void yardsticks_change_no_bit_of_reference_and_trial() {
    QTemporaryDir folder;
    const record::RunSummary with = run(folder, "with.db", experiment(kRepeated));
    const record::RunSummary without = run(folder, "without.db", experiment(""));
    const record::RunSummary bare = run(folder, "bare.db", experiment(kRepeated), session::Probes::Off);
    QVERIFY(bare.yardsticks.empty());
    for (const auto& [name, other] : {std::pair("without.db", &without), std::pair("bare.db", &bare)}) {
      QVERIFY(equal(weights(folder, "with.db", with.reference.id), weights(folder, name, other->reference.id)));
      QVERIFY(equal(weights(folder, "with.db", with.trials[0].id), weights(folder, name, other->trials[0].id)));
    }
  }

  void another_order_keeps_the_initial_weights() {
    QTemporaryDir folder;
    // Nothing is trained: what the repeat ends with is what it began with.
    const spec::Experiment untrained =
        experiment("[reference]\nrepeats = 1\nvary = [\"order\"]\n", {"training.steps=0"});
    const record::RunSummary summary = run(folder, "a.db", untrained);
    QVERIFY(equal(weights(folder, "a.db", summary.yardsticks[0].id), weights(folder, "a.db", summary.reference.id)));
    const record::RunSummary trained =
        run(folder, "b.db", experiment("[reference]\nrepeats = 1\nvary = [\"order\"]\n"));
    QVERIFY(!equal(weights(folder, "b.db", trained.yardsticks[0].id), weights(folder, "b.db", trained.reference.id)));
  }

  void each_yardstick_fills_the_columns_of_its_own_comparison() {
    QTemporaryDir folder;
    const record::RunSummary summary = run(folder, "a.db", experiment(kRepeated));
    const archive::Reader reader(folder.filePath("a.db").toStdString());
    const std::vector<record::StepRecord> repeat = steps_of(reader, summary.yardsticks[0].id);
    QCOMPARE(repeat.size(), std::size_t{20});
    for (const record::StepRecord& step : repeat) {
      QCOMPARE(step.deviation_output_rmse.has_value(), step.step % 5 == 0);  // the trial's shadow_every
      QVERIFY(!step.shadow_output_rmse && !step.loss_reference);
    }
    QVERIFY(*repeat[4].deviation_output_rmse > 0.0);  // other weights
    const std::vector<record::StepRecord> rounding = steps_of(reader, summary.yardsticks[2].id);
    QCOMPARE(rounding.size(), std::size_t{4});
    for (std::size_t i = 0; i < rounding.size(); ++i) {
      QCOMPARE(rounding[i].step, static_cast<std::int64_t>(5 * (i + 1)));
      QVERIFY(rounding[i].shadow_output_rmse && rounding[i].shadow_gradient_relative);
      QVERIFY(*rounding[i].shadow_output_relative < 1e-5);  // rounding of FP32, not more
      QVERIFY(!rounding[i].deviation_output_rmse);
    }
    QVERIFY(reader.cases(summary.yardsticks[0].id)[0].output_same_weights.empty());
    QVERIFY(!reader.cases(summary.yardsticks[0].id)[0].output.empty());
    QVERIFY(reader.cases(summary.yardsticks[2].id)[0].output.empty());
    QVERIFY(!reader.cases(summary.yardsticks[2].id)[0].output_same_weights.empty());
    QCOMPARE(reader.find("last").start.name, std::string("bf16"));
  }

  void fp64_differs_from_fp32_by_rounding_alone() {
    QTemporaryDir folder;
    const record::RunSummary summary = run(folder, "a.db", experiment("[reference]\nfloat64 = true\n"));
    const archive::Reader reader(folder.filePath("a.db").toStdString());
    double largest = 0.0;
    for (const record::CaseRow& row : reader.cases(summary.yardsticks[0].id)) {
      largest = std::max(largest, row.case_relative_same_weights);
    }
    QVERIFY(largest > 0.0 && largest < 1e-5);  // FP32 keeps 24 bits: 6e-8 an operation
    QVERIFY(any_note(summary.reference.end, "Rounding floor"));
    const std::vector<record::YardstickReading>& readings = summary.trials[0].end.yardsticks;
    QCOMPARE(readings.size(), std::size_t{1});  // nothing was measured that shadow, trajectory or quality belong to
    QCOMPARE(readings[0].of, std::string("same_weights"));
    QVERIFY(readings[0].size > 0.0 && readings[0].size <= largest);
  }

  void each_deviation_stands_beside_its_own_yardstick() {
    QTemporaryDir folder;
    const record::RunSummary summary = run(folder, "a.db", experiment(kRepeated));
    QVERIFY(any_note(summary.reference.end, "Run-to-run spread"));
    const archive::Reader reader(folder.filePath("a.db").toStdString());
    const std::vector<record::YardstickReading> readings = reader.trial(summary.trials[0].id).end.yardsticks;
    const std::vector<std::pair<std::string, std::string>> expected = {{"same_weights", "rounding-floor"},
                                                                       {"shadow", "rounding-floor"},
                                                                       {"trained", "run-to-run-spread"},
                                                                       {"trajectory", "run-to-run-spread"},
                                                                       {"trained", "run-to-run-spread"}};
    QCOMPARE(readings.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      QCOMPARE(readings[i].of, expected[i].first);
      QCOMPARE(readings[i].yardstick, expected[i].second);
      QVERIFY(readings[i].value.has_value());
    }
    // BF16 keeps 8 bits of FP32's 24, so it is far above rounding; seeds differ by more than BF16 does.
    QVERIFY(*readings[0].multiple() > 100.0);
    QVERIFY(*readings[2].multiple() < 1.0 && *readings[3].multiple() < 1.0);
    // The mean over the steps 5, 10, 15 and 20, read from the archive.
    const std::vector<record::StepRecord> steps = steps_of(reader, summary.trials[0].id);
    double sum = 0.0;
    for (const std::size_t i : {4, 9, 14, 19}) sum += *steps[i].deviation_output_relative;
    QCOMPARE(*readings[3].value, sum / 4);
    for (const record::YardstickReading& reading : reader.trial(summary.reference.id).end.yardsticks) {
      QVERIFY(!reading.value && !reading.multiple());
    }
  }

  void a_resumed_run_goes_on_with_its_yardsticks() {
    QTemporaryDir folder;
    const record::RunSummary whole = run(folder, "whole.db", experiment(kRepeated));
    const std::string path = folder.filePath("parts.db").toStdString();
    Silence silence;
    session::RunOptions first;
    first.archive = path;
    first.stop_after = 7;
    const record::RunSummary stopped = session::run(experiment(kRepeated), first, silence, {});
    session::ResumeOptions rest;
    rest.archive = path;
    rest.trial = stopped.yardsticks[0].id;
    QVERIFY_EXCEPTION_THROWN(session::resume(rest, silence, {}), Error);  // a yardstick goes on with its run only
    rest.trial = stopped.trials[0].id;
    rest.probes = session::Probes::Off;
    QVERIFY_EXCEPTION_THROWN(session::resume(rest, silence, {}), Error);
    rest.probes = session::Probes::Standard;
    const record::RunSummary resumed = session::resume(rest, silence, {});
    QCOMPARE(resumed.yardsticks.size(), whole.yardsticks.size());
    for (std::size_t i = 0; i < whole.yardsticks.size(); ++i) {
      const std::int64_t id = resumed.yardsticks[i].id;
      QCOMPARE(id, stopped.yardsticks[i].id);
      if (resumed.yardsticks[i].start.kind == record::TrialKind::Repeat) {
        QVERIFY(equal(weights(folder, "parts.db", id), weights(folder, "whole.db", whole.yardsticks[i].id)));
      }
      QCOMPARE(steps_of(archive::Reader(path), id).size(),
               steps_of(archive::Reader(folder.filePath("whole.db").toStdString()), whole.yardsticks[i].id).size());
    }
    const std::vector<record::YardstickReading>& readings = resumed.trials[0].end.yardsticks;
    QCOMPARE(readings.size(), whole.trials[0].end.yardsticks.size());
    for (std::size_t i = 0; i < readings.size(); ++i) {
      QCOMPARE(*readings[i].value, *whole.trials[0].end.yardsticks[i].value);
      QCOMPARE(readings[i].size, whole.trials[0].end.yardsticks[i].size);
    }
  }

  void a_child_of_a_run_without_repeats_measures_no_yardstick() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Silence silence;
    session::RunOptions first;
    first.archive = path;
    first.stop_after = 7;
    first.probes = session::Probes::Off;
    const record::RunSummary stopped = session::run(experiment(kRepeated), first, silence, {});
    QVERIFY(stopped.yardsticks.empty());
    session::ResumeOptions other;
    other.archive = path;
    other.trial = stopped.trials[0].id;
    other.overrides = {"trial[bf16].autocast=\"off\""};
    QVERIFY(session::resume(other, silence, {}).yardsticks.empty());
  }

  void a_child_goes_on_beside_children_of_the_repeats() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Silence silence;
    session::RunOptions first;
    first.archive = path;
    first.stop_after = 7;
    const record::RunSummary stopped = session::run(experiment(kRepeated), first, silence, {});
    session::ResumeOptions other;
    other.archive = path;
    other.trial = stopped.trials[0].id;
    other.overrides = {"trial[bf16].autocast=\"off\""};
    const record::RunSummary child = session::resume(other, silence, {});
    QCOMPARE(child.yardsticks.size(), stopped.yardsticks.size());
    QCOMPARE(child.yardsticks[1].start.parent, stopped.yardsticks[1].id);
    QCOMPARE(child.yardsticks[2].start.parent, std::int64_t{0});  // a rounding repeat has no state to go on from
    const record::RunSummary whole = run(folder, "whole.db", experiment(kRepeated));
    QVERIFY(
        equal(weights(folder, "a.db", child.yardsticks[1].id), weights(folder, "whole.db", whole.yardsticks[1].id)));
  }
};

QTEST_GUILESS_MAIN(ReferenceYardstickTests)
#include "reference_yardstick_tests.moc"
