// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive/writer.h"

namespace mantissa::test {

/// An archive with one experiment, "digits": a reference and the trials "fp16" and "bf16" of `steps` steps each, every
/// quantity measured that pages draw, the first step of fp16 skipped. \param status  of all arms; where it is not
/// Finished, they have a checkpoint half-way if `hasCheckpoint`
inline void makeExampleArchive(const QString& file, std::int64_t steps = 200,
                               record::Status status = record::Status::Finished, bool hasCheckpoint = true) {
  archive::Writer writer(file.toStdString());
  record::ExperimentStart experiment;
  experiment.name = "digits";
  experiment.file = "digits.toml";
  record::TrialStart start;
  start.experiment = writer.begin_experiment(experiment);
  start.kind = record::TrialKind::Reference;
  start.name = "reference";
  start.autocast = "off";
  start.device = "cpu";
  std::vector<std::int64_t> arms = {writer.begin_trial(start)};
  start.reference = arms[0];
  start.kind = record::TrialKind::Trial;
  for (const char* const name : {"fp16", "bf16"}) {
    start.name = name;
    start.autocast = start.name == "fp16" ? "float16" : "bfloat16";
    start.policy = start.name == "fp16" ? "{\"scaler\":{\"enabled\":true}}" : "{}";
    arms.push_back(writer.begin_trial(start));
  }
  for (std::int64_t number = 1; number <= steps; ++number) {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      record::StepRecord step;
      step.trial = arms[i];
      step.step = step.iteration = number;
      step.applied_updates = number - (i == 1 ? 1 : 0);
      step.samples = 64 * number;
      step.wall_seconds = 0.01 * static_cast<double>(number);
      step.lr = 1e-3;
      const double level = static_cast<double>(i + 1) * (1.0 + 10.0 / static_cast<double>(number));
      step.loss = level;
      step.grad_norm = 2 * level;
      if (i > 0) {
        step.deviation_output_rmse = 0.01 * level;
        step.shadow_output_rmse = 0.001 * level;
      }
      if (i == 1) {
        step.scale_before = step.scale_after = number == 1 ? 131072.0 : 65536.0;
        step.skipped = number == 1;
        step.skip_cause = number == 1 ? record::SkipCause::Calibration : record::SkipCause::None;
        if (step.skipped) step.overflow_parameter = "layers.0.weight";
      }
      writer.append(step);
    }
  }
  const bool isFinished = status == record::Status::Finished;
  if (!isFinished && hasCheckpoint) {
    record::CheckpointSet set;
    set.step = steps / 2;
    for (const std::int64_t arm : arms) set.arms.push_back({arm, {}});
    writer.write_checkpoint(std::move(set));
  }
  for (std::size_t i = 0; i < arms.size(); ++i) {
    record::TrialEnd end;
    end.status = status;
    end.counts.attempted = end.counts.iterations = steps;
    end.counts.skipped = i == 1 ? 1 : 0;
    end.counts.applied = steps - end.counts.skipped;
    end.counts.samples = 64 * steps;
    end.final_loss = static_cast<double>(i + 1);
    end.seconds = 0.01 * static_cast<double>(steps);
    if (i > 0 && isFinished) {
      record::Verdict verdict;
      verdict.word = i == 1 ? record::VerdictWord::Rejected : record::VerdictWord::Accepted;
      verdict.scope_device = "cpu";
      verdict.reasons = {"progress: 1 of 200 steps skipped."};
      verdict.rules.emplace_back();
      verdict.rules.back().name = "progress.min_applied_fraction";
      verdict.rules.back().verdict = verdict.word;
      end.verdict = verdict;
    }
    writer.finish_trial(arms[i], end);
  }
  writer.close();
}

}  // namespace mantissa::test
