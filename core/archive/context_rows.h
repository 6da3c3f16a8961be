// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/archive/sqlite.h"
#include "core/record/verdict_context.h"

namespace mantissa::archive {

/// Inside the caller's transaction; replaces what stood there. \param trial  a reference
void replace_context(Connection& connection, std::int64_t trial, const record::ReferenceContext& context);

/// Nothing where none was measured, also in an archive from before it was kept.
std::optional<record::ReferenceContext> read_context(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
