// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/record/trial.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/spec/experiment.h"
#include "core/train/paired_run.h"

namespace mantissa::session {

/// What the archive is told of an experiment before its first step: its text, its settings and their hashes.
/// \param asked  as the file and the overrides say it.
/// \param initial_weights_sha256  `state_sha256` of the prepared network.
record::ExperimentStart experiment_start(const spec::Experiment& asked, const Prepared& prepared,
                                         const FrozenCases& cases, const std::string& initial_weights_sha256);

/// What the archive is told of an arm before its first step.
/// \param trial  nothing for the reference; `reference_id` is 0 then.
record::TrialStart trial_start(const spec::Experiment& experiment, std::int64_t experiment_id,
                               std::int64_t reference_id, const spec::Trial* trial);

/// Status, counts and notes of an arm as its training left them; quality, flips and verdict are still missing.
/// \param seconds  duration of the training.
record::TrialEnd training_end(const train::PairedRun& run, const train::Arm& arm, double seconds);

/// The notes that follow from a trial beside its reference.
void add_notes_on_trial(record::TrialEnd& end, const train::Arm& reference, const train::Arm& trial);

}  // namespace mantissa::session
