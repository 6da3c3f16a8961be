// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/writer.h"
#include "core/session/case_comparison.h"
#include "core/session/run.h"
#include "core/spec/experiment.h"
#include "core/train/paired_run.h"

namespace mantissa::session {

/// Saves and evaluates the arms of a run while it trains, as training.checkpoint and training.evaluate_every ask, and
/// at its end. A checkpoint for which memory does not suffice is left out and said, to the observer and in the notes of
/// the reference; the run goes on. Neither changes a bit of the training. With evaluate_every, every checkpoint is
/// evaluated, too, so that the best one is known.
class Checkpointing {
 public:
  /// What it is given must outlive it. \param ids  the archive's ids of the run's arms, the reference first; more may
  /// follow.
  Checkpointing(const spec::Training& settings, archive::Writer& writer, const std::vector<std::int64_t>& ids,
                const CaseComparison& comparison, Observer& observer)
      : settings_(settings), writer_(writer), ids_(ids), comparison_(comparison), observer_(observer) {}

  /// Before the first step of a run that begins with a state of another: it can be gone on with from the beginning.
  void at_begin(train::PairedRun& run) { save(run); }

  /// After every step of the run. A model that fails in the evaluation fails its arm.
  void after_step(train::PairedRun& run);

  /// After the last step, or at a stop. Returns when the archive has the checkpoint.
  void at_end(train::PairedRun& run);

  /// The quality at the end, which is measured anyhow. \param arm  index, 0 for the reference.
  void add_final_quality(std::size_t arm, std::int64_t step, const record::TrialEnd& end);

 private:
  void evaluate(train::PairedRun& run);
  void note_quality(const record::Evaluation& evaluation);
  void save(train::PairedRun& run);
  void write(train::PairedRun& run);
  void say_what_was_lost(train::PairedRun& run, const std::optional<std::string>& why);

  const spec::Training& settings_;
  archive::Writer& writer_;
  const std::vector<std::int64_t>& ids_;
  const CaseComparison& comparison_;
  Observer& observer_;
  std::int64_t evaluated_ = -1;  // the step of the last one
  std::int64_t saved_ = -1;
};

}  // namespace mantissa::session
