// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace mantissa::archive {

using UtcTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

UtcTime utc_now();

/// ISO 8601 with milliseconds, "2026-02-03T04:05:06.789Z": sorts as text.
std::string utc_text(UtcTime time);

}  // namespace mantissa::archive
