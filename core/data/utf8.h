// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mantissa::data {

/// The length of the UTF-8 sequence at the start of `text`, or 0 where there is none (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text);

/// The code point of the first `length` bytes, a sequence that utf8_length found.
char32_t code_point(std::string_view text, std::size_t length);

/// A code point as UTF-8.
std::string to_utf8(char32_t character);

/// "U+00E9 'é'"; without the quotes for controls and blanks.
std::string character_name(char32_t character);

}  // namespace mantissa::data
