// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/session/prepared.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// The outputs beside the prediction that rules name, each once, sorted: the order in which they are recorded.
std::vector<std::string> other_outputs(const spec::Experiment& experiment);

/// Asks a copy of the model for these outputs of the first frozen cases, as after the training.
/// \throws Error with the line of the rule: InvalidSetting where the model returns no such output, ModelProblem where
///         one cannot be compared case by case.
void check_other_outputs(const Prepared& prepared);

}  // namespace mantissa::session
