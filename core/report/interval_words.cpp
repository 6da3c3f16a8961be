// SPDX-License-Identifier: Apache-2.0
#include "core/report/interval_words.h"

#include <algorithm>
#include <cstddef>

#include "core/report/plain_words.h"

namespace mantissa::report {
namespace {

bool is_decimal(const std::string& words) { return words.find_first_not_of("-0123456789.,") == std::string::npos; }

std::size_t decimals_of(const std::string& words) {
  const std::size_t point = words.find('.');
  return point == std::string::npos || !is_decimal(words) ? 0 : words.size() - point - 1;
}

std::string with_decimals(std::string words, std::size_t decimals) {
  const std::size_t present = decimals_of(words);
  if (!is_decimal(words) || present >= decimals) return words;
  if (present == 0) words += '.';
  return words + std::string(decimals - present, '0');
}

}  // namespace

IntervalWords interval_words(double value, double low, double high) {
  IntervalWords words{number_words(value), number_words(low), number_words(high)};
  const std::size_t decimals = std::max({decimals_of(words.value), decimals_of(words.low), decimals_of(words.high)});
  for (std::string* const one : {&words.value, &words.low, &words.high}) *one = with_decimals(*one, decimals);
  return words;
}

}  // namespace mantissa::report
