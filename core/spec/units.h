// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa::spec {

/// A size with its unit as bytes, or nothing: "24 GB" is 24·10^9, "24 GiB" is 24·2^30, "1.5 MiB" works, "512 B" too.
/// Units: B, kB (KB), MB, GB, TB, KiB, MiB, GiB, TiB; the unit is required. Rounded to whole bytes.
std::optional<std::int64_t> bytes_from_text(std::string_view text);

/// The bytes of one such unit: 1,000,000,000 for "GB", 1,073,741,824 for "GiB"; nothing for an unknown one.
std::optional<std::int64_t> bytes_of_unit(std::string_view unit);

/// A time with its unit as seconds, or nothing: "8 h", "30 min", "90 s", "250 ms", "2 d".
std::optional<double> seconds_from_text(std::string_view text);

}  // namespace mantissa::spec
