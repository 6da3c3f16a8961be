// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/verdict_context.h"

namespace mantissa::judge {

/// Puts together what stands beside a verdict: the qualities of reference and trial with what trivial predictors reach,
/// the distributions of their outputs, and on how many cases only one of them is right. No part of it is a rule.
/// \param rows  of the trial, after `compare`; may be empty
/// \param context  kept with its reference; nothing: not measured
/// \param metric  where the context names none: that of the trial's quality; empty: there is none
record::VerdictContext verdict_context(const std::vector<record::CaseRow>& rows, const DecisionRule& decision,
                                       const TargetUnit& unit, const std::optional<record::ReferenceContext>& context,
                                       const std::string& metric);

}  // namespace mantissa::judge
