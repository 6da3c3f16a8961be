// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QString>
#include <QTest>

#include <cstdint>

#include "tests/ui/shell/example_archive.h"
#include "tests/ui/worker/stub_engine.h"

namespace mantissa::test {

inline constexpr std::int64_t kSteps = 200;

/// Steps without an end, slowly enough that a test sees them. \param checkpointEvery  steps between two checkpoints
/// \param arm  the number of the only arm, and of its experiment
inline record::RunSummary slowStepsWithCheckpoints(const ui::worker::Job& job, session::Observer& observer,
                                                   session::RunControl& control, std::int64_t checkpointEvery,
                                                   std::int64_t arm = 1) {
  record::RunSummary summary;
  summary.experiment = "digits";
  summary.experiment_id = arm;
  summary.reference.id = arm;
  summary.reference.experiment_id = arm;
  summary.reference.experiment = "digits";
  summary.reference.start.kind = record::TrialKind::Reference;
  summary.reference.start.name = "reference";
  observer.on_arms({summary.reference});
  StubControlPoint point(observer, control, checkpointEvery);
  session::Progress progress;
  progress.steps = 1'000'000;
  record::Evaluation evaluation;
  evaluation.trial = arm;
  evaluation.step = 1;
  evaluation.metric = "accuracy";
  evaluation.value = 0.5;
  observer.on_evaluation(evaluation);
  while (point.before_step(progress)) {
    record::StepRecord step;
    step.trial = arm;
    step.step = step.iteration = step.applied_updates = ++progress.step;
    step.loss = 1.0 / static_cast<double>(progress.step);
    feed_of(job).publish(&step, 1);
    observer.on_progress(progress);
    QTest::qSleep(1);
  }
  summary.reference.end.status = record::Status::Stopped;
  observer.on_arm_end(summary.reference);
  return summary;
}

/// The same with a checkpoint after every step.
inline record::RunSummary slowSteps(const ui::worker::Job& job, session::Observer& observer,
                                    session::RunControl& control) {
  return slowStepsWithCheckpoints(job, observer, control, 1);
}

/// \return its path; empty where it could not be written
inline QString writeExperiment(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(
      "mantissa = 1\nname = \"digits\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\nsteps = "
      "100\n"
      "[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n");
  return file.fileName();
}

}  // namespace mantissa::test
