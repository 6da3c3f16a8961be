// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/case_set.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"

namespace mantissa::archive {

/// A run that was made elsewhere, with everything that is known of it.
struct ForeignRun {
  record::ExperimentStart experiment;
  record::CaseSet cases;
  record::TrialRow reference;  ///< `start` and `end` are stored
  record::TrialRow trial;      ///< the same; of kind Foreign
  std::vector<record::CaseRow> reference_cases;
  std::vector<record::CaseRow> trial_cases;
  std::vector<record::StepRecord> steps;  ///< of the trial
};

/// Stores it in one transaction: all of it or nothing. Ids, times and experiment names of the two rows are filled in.
/// \throws Error as the Writer does at opening; DiskFull
void keep_foreign_run(const std::string& path, ForeignRun& run,
                      std::chrono::milliseconds busy_timeout = std::chrono::milliseconds(5000));

}  // namespace mantissa::archive
