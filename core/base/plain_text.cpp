// SPDX-License-Identifier: Apache-2.0
#include "core/base/plain_text.h"

#include <cstddef>

namespace mantissa {
namespace {

constexpr char kDigits[] = "0123456789abcdef";
constexpr unsigned char kDelete = 0x7f;

/// The length of the UTF-8 sequence that begins at `place`; 0: none does. Overlong forms and surrogates pass: they move
/// no cursor.
std::size_t sequence_at(std::string_view text, std::size_t place) {
  const auto first = static_cast<unsigned char>(text[place]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size() - place) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[place + i]) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

/// How many bytes at `place` must not stand as themselves, and which code they are shown as; 0: none.
std::size_t control_at(std::string_view text, std::size_t place, unsigned char& code) {
  code = static_cast<unsigned char>(text[place]);
  const std::size_t length = sequence_at(text, place);
  if (length == 0 || code < 0x20 || code == kDelete) return 1;
  if (code != 0xc2) return 0;
  code = static_cast<unsigned char>(text[place + 1]);  // U+0080 to U+009F are C2 80 to C2 9F
  return code < 0xa0 ? 2 : 0;
}

template <class Write>
std::string with_controls(std::string_view text, const Write& write) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    unsigned char code = 0;
    const std::size_t bytes = control_at(text, i, code);
    if (bytes == 0) {
      const std::size_t length = sequence_at(text, i);
      plain += text.substr(i, length);
      i += length;
      continue;
    }
    write(plain, code);
    i += bytes;
  }
  return plain;
}

void add_hexadecimal(std::string& text, const char* prefix, unsigned char code) {
  text += prefix;
  text += kDigits[code >> 4U];
  text += kDigits[code & 0xfU];
}

}  // namespace

std::string without_stack(std::string text) {
  for (const char* const begin : {"Exception raised from ", "\nframe #0: "}) {
    const std::size_t at = text.find(begin);
    if (at != std::string::npos) text.resize(at);
  }
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text;
}

std::string visible(std::string_view text) {
  return with_controls(text, [](std::string& plain, unsigned char code) {
    if (code == '\n' || code == '\t') {
      plain += static_cast<char>(code);
    } else {
      add_hexadecimal(plain, "\\x", code);
    }
  });
}

std::string visible_line(std::string_view text) {
  return with_controls(text, [](std::string& plain, unsigned char code) {
    switch (code) {
      case '\n':
        plain += "\\n";
        break;
      case '\r':
        plain += "\\r";
        break;
      case '\t':
        plain += "\\t";
        break;
      default:
        add_hexadecimal(plain, "\\x", code);
    }
  });
}

std::string without_controls(std::string_view json) {
  return with_controls(json, [](std::string& plain, unsigned char code) {
    if (code < 0x20) {  // between the values: inside of them, JSON has no such bytes
      plain += static_cast<char>(code);
    } else {
      add_hexadecimal(plain, "\\u00", code);
    }
  });
}

}  // namespace mantissa
