// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/judge/judge.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// What the rule on flips says of the decision: its form, its ties. Does nothing without one.
void take_flips(judge::DecisionRule& decision, const spec::Rules& rules);

/// Refuses a decision that the task does not have, and gains and losses that do not fit its classes.
/// \param classes  of one arg-max; means nothing where thresholds decide
/// \throws Error InvalidSetting with file, line, what was found and what was expected
void check_decision(const spec::Experiment& experiment, const judge::DecisionRule& decision, std::int64_t classes);

}  // namespace mantissa::session
