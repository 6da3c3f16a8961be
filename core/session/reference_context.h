// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/record/verdict_context.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// The metrics of the quality rules, each once, or the task's own.
std::vector<std::string> context_metrics(const spec::Experiment& asked, spec::Task task);

/// What a constant predictor, a linear model and, where there is one, the written rule reach on the frozen set, and
/// what its inputs are like. It depends on the data alone: no output of any arm is looked at. A part that cannot be
/// measured says why. \param asked  holds the rules
record::ReferenceContext reference_context(const spec::Experiment& asked, const Prepared& prepared,
                                           const FrozenCases& cases);

}  // namespace mantissa::session
