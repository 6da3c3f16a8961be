// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "core/session/resume.h"
#include "core/spec/experiment.h"
#include "core/train/checkpoint.h"

namespace mantissa::session {

/// One arm that goes on.
struct ResumedArm {
  record::TrialRow row;  ///< the arm whose checkpoint it is: itself, or its parent
  record::ArmState state;
  train::ScalerStart scaler = train::ScalerStart::GoOn;
  std::vector<std::string> notes;  ///< for the arm, where it is a child
};

/// What a resume comes to, before anything of it is done.
struct ResumePlan {
  spec::Experiment experiment;             ///< with every override since the first run
  record::ExperimentStart archived;        ///< of the run that goes on
  std::string overrides;                   ///< JSON list of them
  bool judged = false;                     ///< it has come to its end: every arm is finished or has failed
  bool child = false;                      ///< under another policy: new arms, with those of the run as parents
  std::int64_t step = 0;                   ///< of the checkpoints
  std::vector<ResumedArm> arms;            ///< the reference, the trials in the experiment's order, the whole repeats
  std::vector<record::TrialRow> rounding;  ///< of the run that goes on: they have no state of their own
  std::vector<std::string> trials;         ///< their names in the experiment
  std::string folder;                      ///< of the experiment file when the run was begun
  std::vector<std::string> notes;          ///< for people
};

/// Reads the run and its last complete set of checkpoints, and compares the settings that are asked for with its own.
/// \throws Error as `resume` does before the data is loaded.
ResumePlan plan_resume(const ResumeOptions& options);

/// Refuses a model file that is not the one that the run was begun with, before anything in it is looked at: what does
/// not fit in another file would be a riddle. \throws Error ModelProblem.
void compare_model_file(const ResumePlan& plan);

/// Compares what locks the reference now with what locked it then: data, preparation and initial weights must be the
/// same. Returns notes on what else has changed and may move the last bits: software, hardware.
/// \param lock  `reference_lock` now.
std::vector<std::string> compare_locks(const ResumePlan& plan, const std::string& lock);

}  // namespace mantissa::session
