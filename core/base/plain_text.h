// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mantissa {

/// A text for people without the stack of C++ calls that LibTorch hangs on to its errors ("Exception raised from …
/// frame #0: …"): it tells a user nothing.
std::string without_stack(std::string text);

/// Control characters as what they are, `\x1b`: a name out of a file, or what a model says, could otherwise move the
/// cursor, colour or retitle a terminal. Line breaks and tabs stay. C1 controls count (U+0080 to U+009F: U+009B begins
/// a sequence, too), and so do bytes that are no UTF-8.
std::string visible(std::string_view text);

/// The same for one line: line breaks and tabs as `\n`, `\r`, `\t`.
std::string visible_line(std::string_view text);

/// A JSON text in which no control character stands as itself: DEL and C1 controls, which JSON allows in its strings,
/// as \u escapes. \param json  a valid document
std::string without_controls(std::string_view json);

}  // namespace mantissa
