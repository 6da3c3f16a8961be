// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/record/verdict.h"

namespace mantissa::archive {

class Connection;

/// A verdict with its reasons and rules, of an arm that has none yet.
void insert_verdict(Connection& connection, std::int64_t trial, const record::Verdict& verdict);

/// Nothing where the arm was not judged.
std::optional<record::Verdict> read_verdict(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
