// SPDX-License-Identifier: Apache-2.0
#include "core/session/checkpointing.h"

#include <exception>
#include <optional>
#include <utility>

#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

bool is_due(std::int64_t step, const std::optional<std::int64_t>& every) { return every && step % *every == 0; }

}  // namespace

void Checkpointing::after_step(train::PairedRun& run) {
  const std::int64_t step = run.steps_done();
  if (is_due(step, settings_.evaluate_every)) evaluate(run);
  if (is_due(step, settings_.checkpoint.every)) save(run);
}

void Checkpointing::at_end(train::PairedRun& run) {
  save(run);
  writer_.wait_for_checkpoint();
  say_what_was_lost(run, writer_.take_lost_checkpoint());
}

void Checkpointing::add_final_quality(std::size_t arm, std::int64_t step, const record::TrialEnd& end) {
  if (end.quality_metric.empty()) return;
  note_quality({ids_[arm], step, end.quality_metric, comparison_.direction(), end.quality});
}

void Checkpointing::evaluate(train::PairedRun& run) {
  const std::int64_t step = run.steps_done();
  if (evaluated_ == step) return;
  evaluated_ = step;
  for (std::size_t i = 0; i < run.arm_count(); ++i) {
    train::Arm& arm = run.arm(i);
    if (arm.failure) continue;
    const std::optional<double> quality = comparison_.quality_now(arm);
    if (!quality) continue;
    note_quality({ids_[i], step, comparison_.metric(), comparison_.direction(), quality});
  }
}

void Checkpointing::note_quality(const record::Evaluation& evaluation) {
  writer_.write_evaluation(evaluation);
  observer_.on_evaluation(evaluation);
}

void Checkpointing::save(train::PairedRun& run) {
  const std::int64_t step = run.steps_done();
  if (saved_ == step) return;
  saved_ = step;
  if (settings_.evaluate_every) evaluate(run);
  writer_.wait_for_checkpoint();
  say_what_was_lost(run, writer_.take_lost_checkpoint());
  try {
    write(run);
  } catch (const std::exception& error) {
    const std::optional<std::string> words = train::out_of_memory(error, "while the arms' states were copied");
    if (!words) throw;
    say_what_was_lost(run, "The checkpoint at step " + std::to_string(step) + " is not kept. " + *words);
  }
}

void Checkpointing::write(train::PairedRun& run) {
  const std::int64_t step = run.steps_done();
  record::CheckpointSet set;
  set.step = step;
  set.keep = settings_.checkpoint.keep.value_or(0);
  for (std::size_t i = 0; i < run.arm_count(); ++i) set.arms.push_back({ids_[i], run.state_of(i)});
  writer_.write_checkpoint(std::move(set));
  observer_.on_checkpoint(step);
}

void Checkpointing::say_what_was_lost(train::PairedRun& run, const std::optional<std::string>& why) {
  if (!why) return;
  run.arm(0).notes.push_back(*why + " A resume goes on from an earlier one, if there is any.");
  observer_.on_note(run.arm(0).notes.back());
}

}  // namespace mantissa::session
