// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/archive/sqlite.h"
#include "core/record/gains.h"

namespace mantissa::archive {

/// Inside the caller's transaction; replaces what stood there.
void replace_gains(Connection& connection, std::int64_t trial, const record::Gains& gains);

std::optional<record::Gains> read_gains(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
