// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record/trial.h"
#include "core/session/run.h"

namespace mantissa::session {

struct ResumeOptions {
  std::string archive;                 ///< path of the SQLite file
  std::int64_t trial = 0;              ///< id of an arm of the run that goes on
  std::vector<std::string> overrides;  ///< `key=value` of --set, beyond those that the run already has
  Probes probes = Probes::Standard;
  MeasureGains gains = MeasureGains::Off;
  CompareMemory memory = CompareMemory::On;
  std::int64_t stop_after = 0;                        ///< attempted steps since the very beginning; 0: none
  std::optional<std::int64_t> at = std::nullopt;      ///< the step of a checkpoint; nothing: the last one
  std::shared_ptr<archive::StepFeed> feed = nullptr;  ///< hands the records to readers in this process
};

/// Goes on with a run from its last checkpoint: its reference and all of its trials in lock step, so that every step
/// record (but for times) and the final weights equal those of a run that never stopped, bit for bit.
///
/// More steps (training.steps, training.epochs), another cadence of evaluation and checkpoints leave the trials what
/// they are: their records go on. Records that a killed run wrote after its last checkpoint are replaced, and so is
/// all that follows the checkpoint which `at` names. A trial block
/// with another policy makes a child trial: it goes on from the weights, moments and schedules of the arm's last
/// checkpoint, under the new policy, beside a reference that goes on from the same step; both are new arms with
/// their parents noted, and only they are trained. A trial that the run did not have is a child of `trial`.
///
/// Rules stay those that were fixed before the first step. Everything else may not change. Relative paths of the
/// experiment begin in the folder of its file, wherever the process stands; where that folder is gone, in the working
/// folder, with a note.
///
/// weight_change and deviation_weight_relative are measured in every tenth step and in the last step of a run. After a
/// resume with more steps the step that was the last keeps them; they are all in which its row may differ from that of
/// a run that never stopped. So it is with fewer steps: a run that ended before its verdicts may go on with
/// training.steps at the step of its checkpoint, trains nothing then, compares and judges.
/// \throws Error InvalidSetting (a setting that may not change, named; a run that still runs; nothing left to do: all
/// steps
///         made, all verdicts given; a stop_after that is past),
///         UnknownTrial (no such trial, no checkpoint), DataProblem (the data is no longer what it was), ModelProblem
///         (the checkpoint is of another model, the model file is another one), ArchiveDamaged (settings that are
///         not what was run; a damaged checkpoint, with the steps of the sound ones); whatever `run` throws. Nothing
///         in the archive has changed then.
record::RunSummary resume(const ResumeOptions& options, Observer& observer, const StopToken& stop);
record::RunSummary resume(const ResumeOptions& options, Observer& observer, RunControl& control);

}  // namespace mantissa::session
