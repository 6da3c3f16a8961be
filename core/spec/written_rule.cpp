// SPDX-License-Identifier: Apache-2.0
#include "core/spec/written_rule.h"

#include "core/base/error.h"

namespace mantissa::spec {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// What the language lacks: a name alone says nothing that could hold.
std::string naming(std::string_view text) { return std::string(text) + " is missing"; }

bool is_name(std::string_view text) {
  const std::string_view name = trimmed(text);
  try {
    const Expression expression(naming(name));
    if (expression.names().size() != 1) return false;
    const std::string& only = expression.names().front();
    return name == only || name == '`' + only + '`';
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

WrittenRule::WrittenRule(std::string_view text)
    : is_column_(is_name(text)), expression_(is_column_ ? naming(trimmed(text)) : std::string(text)) {}

}  // namespace mantissa::spec
