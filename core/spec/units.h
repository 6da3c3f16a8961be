// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa::spec {

/// A size with its unit as bytes, or nothing: "24 GB" is 24·10^9, "24 GiB" is 24·2^30, "1.5 MiB" works, "512 B" too.
/// Units: B, kB (KB), MB, GB, TB, KiB, MiB, GiB, TiB; the unit is required. Rounded to whole bytes.
std::optional<std::int64_t> bytes_from_text(std::string_view text);

/// A time with its unit as seconds, or nothing: "8 h", "30 min", "90 s", "250 ms", "2 d".
std::optional<double> seconds_from_text(std::string_view text);

}  // namespace mantissa::spec
