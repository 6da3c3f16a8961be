// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/program.h"
#include "core/record/trial.h"
#include "core/session/run.h"

namespace mantissa::cli {

// What `run` and `resume` have in common.

/// \throws Error InvalidSetting for an unknown word.
session::Probes probes_from_text(const std::string& text);

/// \throws Error InvalidSetting for an unknown word.
session::MeasureGains gains_from_text(const std::string& text);

/// \throws Error InvalidSetting for an unknown word.
session::CompareMemory memory_from_text(const std::string& text);

/// \throws Error InvalidSetting below 1.
std::int64_t stop_after_from(const std::optional<std::int64_t>& option);

using ObservedRun = std::function<record::RunSummary(session::Observer&, const session::StopToken&)>;

/// Runs with its progress on the console and Ctrl-C as a request to stop, prints what it came to and returns the exit
/// code. \param required  names of the trials that decide it; empty: all
int run_and_show(Program& program, const std::vector<std::string>& required, const ObservedRun& run);

}  // namespace mantissa::cli
