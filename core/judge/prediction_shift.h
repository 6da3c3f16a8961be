// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/verdict_context.h"
#include "core/spec/experiment.h"

namespace mantissa::judge {

/// More outputs than these are not compared one by one.
inline constexpr std::size_t most_shifted_outputs = 1000;

/// Bars of a histogram.
inline constexpr std::size_t shift_bins = 20;

/// Why the distributions of these outputs cannot be compared, as a clause; empty where they can.
std::string shifts_missing(const std::vector<record::CaseRow>& rows, spec::Of of);

/// Each output over the frozen cases beside the reference's; empty where `shifts_missing` says why.
std::vector<record::PredictionShift> prediction_shifts(const std::vector<record::CaseRow>& rows, spec::Of of);

/// On how many cases only one side decides rightly, for each comparison in which every case with a target has both.
/// Language models decide at every position and are left out: McNemar's test is of independent cases.
std::vector<record::PairedDecisions> paired_decisions(const std::vector<record::CaseRow>& rows);

}  // namespace mantissa::judge
