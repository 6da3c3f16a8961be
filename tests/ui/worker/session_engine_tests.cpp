// SPDX-License-Identifier: GPL-3.0-or-later
// Real runs through the window's controller.
#include <map>
#include <string>
#include <vector>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/spec/parse.h"
#include "tests/ui/worker/soon.h"
#include "ui/worker/session_engine.h"
#include "ui/worker/training_controller.h"

using namespace mantissa;
using namespace mantissa::ui::worker;

namespace {

/// Dropout draws random numbers, the scaler grows and overflows: what a pause must not touch.
constexpr char kExperiment[] = R"(
mantissa = 1
name = "tiny"
[data]
source = "gaussian"
rows = 50
features = 6
[model]
kind = "mlp"
hidden = [8]
dropout = 0.25
[training]
threads = 1
steps = 60
batch = 8
loss = "mse"
[[trial]]
name = "fp16"
autocast = "float16"
scaler = { init_scale = 16777216, growth_interval = 3 }
)";

Job runOf(const char* experiment, const std::string& archive) {
  Job job;
  auto& work = std::get<Job::Run>(job.work);
  work.experiment = spec::parse_experiment(experiment, "tiny.toml");
  work.options.archive = archive;
  return job;
}

/// Name of the arm and of the tensor -> bytes.
std::map<std::string, std::string> finalWeights(const std::string& archive) {
  std::map<std::string, std::string> weights;
  const archive::Reader reader(archive);
  for (const record::TrialRow& arm : reader.trials()) {
    for (const record::TensorBytes& tensor : reader.weights(arm.id, "final")) {
      weights[arm.start.name + '/' + tensor.name] = tensor.bytes;
    }
  }
  return weights;
}

EngineFactory realEngine() {
  return [] { return std::make_unique<SessionEngine>(); };
}

}  // namespace

class SessionEngineTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_run_paused_stepped_and_resumed_by_the_window_ends_with_the_weights_of_one_that_was_not() {
    QTemporaryDir folder;
    const std::string free = folder.filePath("free.db").toStdString();
    const std::string held = folder.filePath("held.db").toStdString();
    TrainingController controller(realEngine());
    const QSignalSpy finished(&controller, &TrainingController::jobFinished);
    controller.enqueue(runOf(kExperiment, free));
    SOON_COMPARE(finished.size(), 1);

    const QSignalSpy arms(&controller, &TrainingController::armsOpened);
    std::int64_t step = 0;
    connect(&controller, &TrainingController::progressed, this,
            [&](JobId, const session::Progress& progress) { step = progress.step; });
    // As soon as the job exists, before its first step.
    connect(&controller, &TrainingController::jobStarted, this, [&] { controller.pause(); });
    controller.enqueue(runOf(kExperiment, held));
    SOON_COMPARE(controller.state(), JobState::Paused);
    QCOMPARE(step, std::int64_t{0});
    for (std::int64_t k = 1; k <= 5; ++k) {
      controller.stepOnce();
      SOON_COMPARE(step, k);
      QCOMPARE(controller.state(), JobState::Paused);
    }
    controller.resume();
    SOON_COMPARE(finished.size(), 2);

    const auto expected = finalWeights(free);
    QCOMPARE(expected.size(), std::size_t{8});  // two layers, weight and bias, of two arms
    QCOMPARE(finalWeights(held), expected);

    std::map<std::int64_t, int> steps;
    for (const StepBatch& batch : controller.takeSteps()) {
      if (batch.job != controller.currentJob() && batch.job != 2) continue;
      for (const archive::StepChunk& chunk : batch.chunks) {
        for (const record::StepRecord& record : *chunk) ++steps[record.trial];
      }
    }
    const auto opened = arms[0][1].value<std::vector<record::TrialRow>>();
    QCOMPARE(opened.size(), std::size_t{2});
    for (const record::TrialRow& arm : opened) QCOMPARE(steps[arm.id], 60);
  }

  void a_run_stopped_by_the_window_is_gone_on_with_as_another_job() {
    QTemporaryDir folder;
    const std::string whole = folder.filePath("whole.db").toStdString();
    const std::string parts = folder.filePath("parts.db").toStdString();
    TrainingController controller(realEngine());
    const QSignalSpy finished(&controller, &TrainingController::jobFinished);
    const QSignalSpy stopped(&controller, &TrainingController::jobStopped);
    controller.enqueue(runOf(kExperiment, whole));
    SOON_COMPARE(finished.size(), 1);

    connect(&controller, &TrainingController::jobStarted, this, [&](JobId job) {
      if (job == 2) controller.pause();
    });
    controller.enqueue(runOf(kExperiment, parts));
    SOON_COMPARE(controller.state(), JobState::Paused);
    for (int k = 0; k < 7; ++k) controller.stepOnce();
    QSignalSpy progressed(&controller, &TrainingController::progressed);
    SOON_VERIFY(!progressed.isEmpty() && progressed.last()[1].value<session::Progress>().step == 7);
    controller.stop();
    SOON_COMPARE(stopped.size(), 1);
    const auto summary = stopped[0][1].value<record::RunSummary>();
    QCOMPARE(summary.reference.end.counts.attempted, std::int64_t{7});

    Job job;
    session::ResumeOptions options;
    options.archive = parts;
    options.trial = summary.trials[0].id;
    job.work = Job::Resume{options};
    controller.enqueue(job);
    SOON_COMPARE(finished.size(), 2);
    QCOMPARE(finalWeights(parts), finalWeights(whole));
  }

  void an_experiment_that_is_refused_arrives_as_a_sentence() {
    QTemporaryDir folder;
    TrainingController controller(realEngine());
    const QSignalSpy failed(&controller, &TrainingController::jobFailed);
    controller.enqueue(runOf(kExperiment, folder.filePath("no/such/folder/a.db").toStdString()));
    SOON_COMPARE(failed.size(), 1);
    const auto failure = failed[0][1].value<JobFailure>();
    QCOMPARE(failure.kind, std::optional<ErrorKind>(ErrorKind::FileProblem));
    QVERIFY2(failure.sentence.contains("no/such/folder"), qPrintable(failure.sentence));
  }
};

QTEST_GUILESS_MAIN(SessionEngineTests)
#include "session_engine_tests.moc"
