// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/record/gains.h"
#include "core/record/trial.h"

namespace mantissa::report {

/// What the arms of a run cost, with the method below it; empty where nothing was measured. Peak memory, deadline and
/// costs have columns where any arm has them.
std::string gains_table(const record::RunSummary& summary);

/// The same of one arm, as lines "what: value" for its page.
std::vector<std::pair<std::string, std::string>> gains_facts(const record::Gains& gains);

}  // namespace mantissa::report
