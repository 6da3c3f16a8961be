// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/judge/decision.h"
#include "core/judge/judge.h"

namespace mantissa::judge {

/// What a task with a decision per position makes of one case.
struct PositionDecisions {
  std::vector<Decision> decisions;  ///< per position; not made of non-finite outputs
  bool tie = false;                 ///< at any position
  std::optional<double> margin;     ///< the smallest of all positions; nothing where one makes no decision
  std::int64_t non_finite = 0;      ///< positions with an output that is no number
  std::int64_t correct = 0;         ///< positions whose largest output is that of their target, whatever the form
  double nll = 0.0;                 ///< mean over the positions of -log P(target), natural, in FP64
};

/// Splits `output` into rule.positions equal pieces. P is the softmax of a position's outputs, or their exponential
/// where rule.log_probabilities. Without a target, or with one of another length, nothing is correct and nll is NaN.
/// \throws Error DataProblem where the output does not divide into the positions.
PositionDecisions decide_positions(const DecisionRule& rule, const std::vector<double>& output,
                                   const std::vector<double>& target);

/// Fills in everything of a row that follows from decisions per position. The reference's output must be there; what
/// follows from another one that is missing stays as it is.
void compare_positions(record::CaseRow& row, const DecisionRule& rule);

}  // namespace mantissa::judge
