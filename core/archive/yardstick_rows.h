// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/record/trial.h"

namespace mantissa::archive {

class Connection;

/// In place of those that stood there.
void replace_yardsticks(Connection& connection, std::int64_t trial,
                        const std::vector<record::YardstickReading>& readings);

std::vector<record::YardstickReading> read_yardsticks(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
