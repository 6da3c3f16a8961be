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

/// How fast the arms of a run answer, a row a batch size, with the method below it; empty where nothing was asked for.
/// What could not be timed says why.
std::string latency_table(const record::RunSummary& summary);

/// "slower", "faster", "no difference shown"; empty where there is no ratio.
std::string pace_words(const record::Latency& latency);

/// The same of one arm, as lines "what: value" for its page; says so where it was not measured.
std::vector<std::pair<std::string, std::string>> latency_facts(const std::vector<record::Latency>& latency);

/// What one arm costs, as lines "what: value" for its page.
std::vector<std::pair<std::string, std::string>> gains_facts(const record::Gains& gains);

}  // namespace mantissa::report
