// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/utility.h"

namespace mantissa::judge {

/// What the decision about one case is worth by `utility`: of the task's own decision, with the rule's ties. Several
/// binary outputs of a case are summed. Nothing where the case has no truth, or one that the matrix has no row for.
/// No class is decided for where an output is non-finite, a tie is a decision, or the matrix has no such column.
std::optional<double> utility_of_case(const record::CaseRow& row, const std::vector<double>& output,
                                      const DecisionRule& decision, const spec::Utility& utility);

/// Sums over the cases with a truth, in FP64: all of them first, then each slice by name.
record::Utility utility_of(const std::vector<record::CaseRow>& rows, const DecisionRule& decision,
                           const spec::Utility& utility);

/// The number of classes that a matrix must have: 2 where thresholds decide, else the outputs of a case.
/// \param outputs  of a case
std::int64_t classes_of_utility(const DecisionRule& decision, std::int64_t outputs);

}  // namespace mantissa::judge
