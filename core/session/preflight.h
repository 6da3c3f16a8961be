// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/session/run.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// What the timed steps of a pre-flight showed of one arm.
struct PreflightArm {
  std::string name;                        ///< "reference", a trial's name, "repeat-1" …
  std::optional<std::int64_t> peak_bytes;  ///< live tensors at most; nothing where it was not measured
  std::string failure;                     ///< why the arm failed within the timed steps, as a sentence; empty: not
};

/// What a run would be, found out by making its first steps for nothing.
struct Preflight {
  std::int64_t steps = 0;          ///< planned attempted steps
  std::vector<PreflightArm> arms;  ///< reference, trials, whole repeats
  std::int64_t frozen_cases = 0;   ///< compared in the end
  std::int64_t timed_steps = 0;  ///< of all arms in lock step, the first (which warms up) not counted unless it is the
                                 ///< only one; may be 0
  double step_seconds = 0.0;     ///< median of them: one step of all arms, their deviation included
  bool at_least = false;  ///< both durations are lower bounds: not even one step was made whole within the limits
  double training_seconds = 0.0;      ///< step_seconds × steps, and the evaluations on the way
  double gains_seconds = 0.0;         ///< at most, for measuring the gains afterwards
  std::int64_t archive_bytes = 0;     ///< at most: step records, cases, weights and the checkpoints that stay
  std::int64_t checkpoint_bytes = 0;  ///< of one checkpoint of all arms
  std::string rules;                  ///< canonical JSON; empty where the experiment has none
  std::string rules_sha256;           ///< as the archive and the verdict will name it
  std::vector<std::string> notes;     ///< sentences about data and model
};

/// How many steps are timed: up to 20, after one that warms up.
struct PreflightLimits {
  std::int64_t steps = 20;
  double seconds = 2.0;         ///< after them no further step is timed; of one arm's microbatch: nothing follows it
  double whole_seconds = 10.0;  ///< after them the step at work is cut off at its next microbatch
};

/// Hears which arm begins its part of a step: nothing interrupts what it calls, which may take long.
using ArmTeller = std::function<void(const std::string& arm)>;

/// Prepares the experiment as `run` does and makes its first steps: all arms with their deviation, shadows and
/// repeats, on the run's own batches. Nothing is stored and all of it is let go; a run afterwards begins at its first
/// step. A request to stop ends it after the current microbatch, with what it knows by then.
/// \throws Error as `run` does before its first step.
Preflight preflight(const spec::Experiment& experiment, const RunOptions& options, const StopToken& stop,
                    const PreflightLimits& limits = {}, const ArmTeller& tell = {});

}  // namespace mantissa::session
