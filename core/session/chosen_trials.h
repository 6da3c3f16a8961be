// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::session {

/// The trials of the experiment that a run asks for, in the file's order; they live as long as the experiment.
/// \param names  empty: all. \throws Error InvalidSetting for a name that is none of the experiment's.
std::vector<const spec::Trial*> chosen_trials(const spec::Experiment& experiment,
                                              const std::vector<std::string>& names);

}  // namespace mantissa::session
