// SPDX-License-Identifier: Apache-2.0
#include "core/archive/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace mantissa::archive {

UtcTime utc_now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

std::string utc_text(UtcTime time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(second);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                                   parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                                   parts.tm_sec, static_cast<int>((time - second).count()));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace mantissa::archive
