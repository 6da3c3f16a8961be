// SPDX-License-Identifier: Apache-2.0
#include "core/spec/output_selector.h"

#include <algorithm>

#include "core/base/number_text.h"

namespace mantissa::spec {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The step that `rest` begins with, taken off it.
std::optional<OutputStep> take_step(std::string_view& rest) {
  if (rest.front() == '.') {
    const auto end = std::find_if_not(rest.begin() + 1, rest.end(), is_name_character);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    if (length == 1) return std::nullopt;
    const std::string name(rest.substr(1, length - 1));
    rest.remove_prefix(length);
    return name;
  }
  if (rest.front() != '[' || rest.size() < 3) return std::nullopt;
  const char quote = rest[1];
  if (quote == '"' || quote == '\'') {
    const std::size_t end = rest.find(quote, 2);
    if (end == std::string_view::npos || end + 1 >= rest.size() || rest[end + 1] != ']') return std::nullopt;
    const std::string name(rest.substr(2, end - 2));
    rest.remove_prefix(end + 2);
    return name;
  }
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos) return std::nullopt;
  const auto index = integer_from_text(rest.substr(1, end - 1));
  if (!index || *index < 0) return std::nullopt;
  rest.remove_prefix(end + 1);
  return *index;
}

}  // namespace

std::optional<std::vector<OutputStep>> parse_output_selector(std::string_view text) {
  constexpr std::string_view start = "output";
  if (text.substr(0, start.size()) != start) return std::nullopt;
  text.remove_prefix(start.size());
  std::vector<OutputStep> steps;
  while (!text.empty()) {
    const auto step = take_step(text);
    if (!step) return std::nullopt;
    steps.push_back(*step);
  }
  return steps;
}

}  // namespace mantissa::spec
