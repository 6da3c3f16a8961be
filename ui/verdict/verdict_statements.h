// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>

#include "ui/shell/statement.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// Verdict, finite, output, decisions, quality, afterwards.
inline constexpr std::size_t kStatements = 6;

/// The verdict of the run in a glance; what was judged afterwards stands beside it and never in its place.
std::array<shell::Statement, kStatements> statementsOf(const VerdictData& data);

}  // namespace mantissa::ui::verdict
