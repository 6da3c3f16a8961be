// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/step_record.h"

namespace mantissa::session {

/// The steps of a run that was made elsewhere, from a CSV file with those columns of `export steps` that there are:
/// every attempted step in order, `step` from 1 without a gap (the row's number where the column is missing). `skipped`
/// follows from `applied_updates` and the other way round where one of them is missing.
struct ForeignSteps {
  std::vector<record::StepRecord> steps;
  bool has_skips = false;  ///< `skipped` or `applied_updates` is there
};

/// \throws Error FileProblem, DataProblem with file, line and column: no step, a step that is missing or comes twice, a
///         cell of another kind, counters that contradict each other
ForeignSteps read_foreign_steps(const std::string& path);

/// Fills in what follows from the steps: counts, skips, non-finite losses and gradients that were applied, and what the
/// columns leave open (`not_looked_at`, `steps_missing`).
void add_steps(judge::Evidence& evidence, const ForeignSteps& steps);

/// The same where no file of steps was given.
void add_missing_steps(judge::Evidence& evidence);

}  // namespace mantissa::session
