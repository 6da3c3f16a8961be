// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive/sqlite.h"
#include "core/record/memory_comparison.h"

namespace mantissa::archive {

/// Inside the caller's transaction; replaces what stood there.
void replace_memory(Connection& connection, std::int64_t trial, const record::MemoryComparison& memory);

std::optional<record::MemoryComparison> read_memory(Connection& connection, std::int64_t trial);

/// The arms that have both peaks, oldest first; none in an archive from before they were kept.
std::vector<record::MemoryPair> read_memory_pairs(Connection& connection);

}  // namespace mantissa::archive
