// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive/sqlite.h"
#include "core/record/gains.h"

namespace mantissa::archive {

/// Inside the caller's transaction; replaces what stood there.
void replace_gains(Connection& connection, std::int64_t trial, const record::Gains& gains);

std::optional<record::Gains> read_gains(Connection& connection, std::int64_t trial);

/// Inside the caller's transaction; replaces all that stood there of the trial.
void replace_latency(Connection& connection, std::int64_t trial, const std::vector<record::Latency>& latency);

/// In the order of batch sizes.
std::vector<record::Latency> read_latency(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
