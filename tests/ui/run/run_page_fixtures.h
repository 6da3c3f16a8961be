// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QString>
#include <QTest>

#include <cstdint>
#include <vector>

#include "core/archive/writer.h"
#include "tests/ui/worker/stub_engine.h"

namespace mantissa::test {

inline constexpr std::int64_t kSteps = 200;

/// Steps without an end, slowly enough that a test sees them.
inline record::RunSummary slowSteps(const ui::worker::Job& job, session::Observer& observer,
                                    session::RunControl& control) {
  record::RunSummary summary;
  summary.reference.id = 1;
  summary.reference.experiment_id = 1;
  summary.reference.experiment = "digits";
  summary.reference.start.kind = record::TrialKind::Reference;
  summary.reference.start.name = "reference";
  observer.on_arms({summary.reference});
  StubControlPoint point(observer, control);
  session::Progress progress;
  progress.steps = 1'000'000;
  while (point.before_step(progress)) {
    record::StepRecord step;
    step.trial = 1;
    step.step = step.iteration = step.applied_updates = ++progress.step;
    step.loss = 1.0 / static_cast<double>(progress.step);
    feed_of(job).publish(&step, 1);
    QTest::qSleep(1);
  }
  summary.reference.end.status = record::Status::Stopped;
  observer.on_arm_end(summary.reference);
  return summary;
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

/// An experiment with two trials whose fp16 has skipped its first step.
inline void makeArchive(const QString& file, record::Status status = record::Status::Finished) {
  archive::Writer writer(file.toStdString());
  record::ExperimentStart experiment;
  experiment.name = "digits";
  record::TrialStart start;
  start.experiment = writer.begin_experiment(experiment);
  start.kind = record::TrialKind::Reference;
  start.name = "reference";
  std::vector<std::int64_t> arms = {writer.begin_trial(start)};
  start.reference = arms[0];
  start.kind = record::TrialKind::Trial;
  for (const char* const name : {"fp16", "bf16"}) {
    start.name = name;
    arms.push_back(writer.begin_trial(start));
  }
  for (std::int64_t number = 1; number <= kSteps; ++number) {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      record::StepRecord step;
      step.trial = arms[i];
      step.step = step.iteration = number;
      step.applied_updates = number - (i == 1 ? 1 : 0);
      step.samples = 64 * number;
      step.wall_seconds = 0.01 * static_cast<double>(number);
      const double level = static_cast<double>(i + 1) * (1.0 + 10.0 / static_cast<double>(number));
      step.loss = level;
      step.grad_norm = 2 * level;
      if (i > 0) step.deviation_output_rmse = 0.01 * level;
      if (i == 1) {
        step.scale_before = step.scale_after = number == 1 ? 131072.0 : 65536.0;
        step.skipped = number == 1;
        step.skip_cause = number == 1 ? record::SkipCause::Calibration : record::SkipCause::None;
      }
      writer.append(step);
    }
  }
  if (status != record::Status::Finished) {
    record::CheckpointSet set;
    set.step = kSteps / 2;
    for (const std::int64_t arm : arms) set.arms.push_back({arm, {}});
    writer.write_checkpoint(std::move(set));
  }
  record::TrialEnd end;
  end.status = status;
  for (const std::int64_t arm : arms) writer.finish_trial(arm, end);
  writer.close();
}

}  // namespace mantissa::test
