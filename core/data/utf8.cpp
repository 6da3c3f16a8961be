// SPDX-License-Identifier: Apache-2.0
#include "core/data/utf8.h"

#include <array>

namespace mantissa::data {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&byte](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (text.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

char32_t code_point(std::string_view text, std::size_t length) {
  // What of the first byte carries the number, by the sequence's length.
  constexpr std::array<unsigned char, 5> kFirst = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = static_cast<unsigned char>(text[0]) & kFirst[length];
  for (std::size_t i = 1; i < length; ++i) value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return value;
}

std::string to_utf8(char32_t character) {
  const auto last = [character](unsigned shift) {
    return static_cast<char>(0x80U | (static_cast<unsigned>(character >> shift) & 0x3FU));
  };
  if (character < 0x80) return {static_cast<char>(character)};
  if (character < 0x800) return {static_cast<char>(0xC0U | static_cast<unsigned>(character >> 6U)), last(0)};
  if (character < 0x10000)
    return {static_cast<char>(0xE0U | static_cast<unsigned>(character >> 12U)), last(6), last(0)};
  return {static_cast<char>(0xF0U | static_cast<unsigned>(character >> 18U)), last(12), last(6), last(0)};
}

std::string character_name(char32_t character) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string number;
  for (auto rest = static_cast<unsigned>(character); rest > 0 || number.size() < 4; rest >>= 4U) {
    number.insert(number.begin(), kDigits[rest & 0xFU]);
  }
  const bool visible = character > 0x20 && (character < 0x7F || character > 0xA0);
  return "U+" + number + (visible ? " '" + to_utf8(character) + '\'' : "");
}

}  // namespace mantissa::data
