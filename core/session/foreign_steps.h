// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/step_record.h"

namespace mantissa::session {

/// The steps of a run that was made elsewhere, from a CSV file with those columns of `export steps` that there are:
/// every attempted step in order, `step` from 1 without a gap (the row's number where the column is missing). `skipped`
/// follows from `applied_updates` and the other way round where one of them is missing, of the whole step and of each
/// optimizer; where both are missing of the whole step, it follows from those of all optimizers.
struct ForeignSteps {
  std::vector<record::StepRecord> steps;
  bool has_skips = false;           ///< whether each step was skipped is told
  std::string file;                 ///< its name without the folder
  std::vector<std::int64_t> lines;  ///< where each step stands
  std::set<std::string> columns;    ///< as the header has them, "lr[1]" too
};

/// \throws Error FileProblem, DataProblem with file, line and column: no step, a step that is missing or comes twice, a
///         cell of another kind, columns that contradict each other (foreign_step_checks.h)
ForeignSteps read_foreign_steps(const std::string& path);

/// Fills in what follows from the steps: counts, skips, how the trial ended, what is non-finite other than gradients of
/// skipped steps, whether gradients and weights moved, and what the columns leave open (`not_looked_at`, `holes`,
/// `steps_missing`).
void add_steps(judge::Evidence& evidence, const ForeignSteps& steps);

/// The same where no file of steps was given.
void add_missing_steps(judge::Evidence& evidence);

}  // namespace mantissa::session
