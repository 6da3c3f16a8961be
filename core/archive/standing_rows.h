// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/archive/clock.h"
#include "core/archive/reader.h"
#include "core/archive/sqlite.h"

namespace mantissa::archive {

/// Every arm in short, oldest first; `running` arms of dead processes show as `interrupted`.
std::vector<Standing> read_standings(Connection& connection, UtcTime now);

}  // namespace mantissa::archive
