// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/spec/experiment.h"
#include "ui/rules/rule_words.h"

namespace mantissa::ui::rules {

/// What a rule on costs means: each limit in everyday words, at the reference's figures where they were measured, and
/// what was measured of the trials. \param run  null: none is there
ExplainedRule explainCost(const spec::CostRule& rule, const RunFacts* run);

}  // namespace mantissa::ui::rules
