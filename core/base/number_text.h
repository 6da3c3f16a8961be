// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa {

/// Numbers as text, always in the C locale: a German desktop must not turn 9.8e-2 into 9.

/// The shortest text that reads back to the same double; `NaN`, `Infinity`, `-Infinity` for non-finite values.
std::string to_text(double value);

/// The value rounded to so many significant digits, for people: `0.01203`, `1.235e+06`; non-finite values as above.
std::string to_text(double value, int significant_digits);

/// A whole text as a number, or nothing. Accepts what `to_text` writes, and `nan`, `inf` in any case; surrounding
/// blanks are not part of a number.
std::optional<double> number_from_text(std::string_view text);

/// A whole text as a decimal integer that fits 64 bits, or nothing.
std::optional<std::int64_t> integer_from_text(std::string_view text);

}  // namespace mantissa
