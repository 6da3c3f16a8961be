// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

/// \throws Error InvalidSetting below 1.
std::int64_t stop_after_from(const std::optional<std::int64_t>& option);

/// Prints what a run came to and returns the exit code. \param required  names of the trials that decide it; empty: all
int show_result(Program& program, const record::RunSummary& summary, const std::vector<std::string>& required);

}  // namespace mantissa::cli
