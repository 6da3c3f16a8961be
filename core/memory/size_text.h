// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::memory {

/// Which way a size goes that is no whole number of bytes: half a byte cannot be held, and a ledger must not promise
/// what is not there. So needs are rounded up and what is available down; decimals are read exactly, without binary
/// fractions in between (0.34 GB are 340,000,000 bytes, not one more).
enum class Rounding {
  Up,    ///< what is needed: fixed state, activations of a sample
  Down,  ///< what is available: the capacity of a device
};

/// A typed size as bytes: "3.2 GB" is 3.2·10^9, "24 GiB" is 24·2^30; units as in core/spec/units.h, always required.
/// \param field  the subject of a refusal.
/// \throws Error InvalidSetting  for what is empty, negative, no finite number, without a known unit or beyond 64 bits.
std::int64_t size_from_text(const std::string& field, std::string_view text, Rounding rounding);

/// A size that is held whatever the microbatch: as above, or "25557032:float32", a count of elements and their dtype.
/// \throws Error InvalidSetting  as above, and for an unknown dtype.
std::int64_t held_size_from_text(const std::string& field, std::string_view text);

/// "0.10" or "10 %" as parts of kWholeReserve, rounded up. \throws Error InvalidSetting  unless from 0 to below 1.
std::int64_t reserve_from_text(const std::string& field, std::string_view text);

/// A count of at least 1. \throws Error InvalidSetting.
std::int64_t count_from_text(const std::string& field, std::string_view text);

}  // namespace mantissa::memory
