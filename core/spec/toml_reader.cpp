// SPDX-License-Identifier: Apache-2.0
#include "core/spec/toml_reader.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

#include <toml++/toml.h>

#include "core/base/error.h"

namespace mantissa::spec {
namespace {

Position to_position(const toml::source_position& at) {
  return {static_cast<int>(at.line), static_cast<int>(at.column)};
}

Setting to_setting(const toml::node& node);

void add_members(const toml::table& table, Setting& setting) {
  for (const auto& [key, value] : table) {
    Setting member = to_setting(value);
    member.key = std::string(key.str());
    member.position = to_position(key.source().begin);
    setting.members.push_back(std::move(member));
  }
  // toml++ sorts by name; messages go by the order of the file.
  std::stable_sort(setting.members.begin(), setting.members.end(), [](const Setting& a, const Setting& b) {
    return std::tie(a.position.line, a.position.column) < std::tie(b.position.line, b.position.column);
  });
}

Setting to_setting(const toml::node& node) {
  Setting setting;
  setting.position = to_position(node.source().begin);
  if (const auto* const table = node.as_table()) {
    add_members(*table, setting);
  } else if (const auto* const array = node.as_array()) {
    setting.kind = Setting::Kind::Array;
    for (const toml::node& item : *array) setting.items.push_back(to_setting(item));
  } else if (const auto* const text = node.as_string()) {
    setting.kind = Setting::Kind::Text;
    setting.text = text->get();
  } else if (const auto* const integer = node.as_integer()) {
    setting.kind = Setting::Kind::Integer;
    setting.integer = integer->get();
  } else if (const auto* const number = node.as_floating_point()) {
    setting.kind = Setting::Kind::Number;
    setting.number = number->get();
  } else if (const auto* const boolean = node.as_boolean()) {
    setting.kind = Setting::Kind::Boolean;
    setting.boolean = boolean->get();
  } else {
    setting.kind = Setting::Kind::Moment;
  }
  return setting;
}

}  // namespace

Setting read_toml(const std::string& text, const std::string& file) {
  try {
    return to_setting(toml::parse(std::string_view(text)));
  } catch (const toml::parse_error& error) {
    const Position at = to_position(error.source().begin);
    ErrorFacts facts;
    facts.file = file;
    facts.line = at.line;
    facts.column = at.column;
    facts.problem = "not valid TOML at column " + std::to_string(at.column) + ": " + std::string(error.description());
    throw Error(ErrorKind::InvalidSetting, std::move(facts));
  }
}

Setting read_toml_value(const std::string& text) {
  // Nothing but the value may stand there: "1\nbatch = 2" would be a second key.
  const bool one_line = text.find_first_of("\r\n") == std::string::npos;
  if (one_line) {
    try {
      const toml::table table = toml::parse("value = " + text);
      if (table.size() == 1) return to_setting(*table.get("value"));
    } catch (const toml::parse_error&) {
      // Told below: what toml++ says about "value = …" speaks of a line that nobody wrote.
    }
  }
  ErrorFacts facts;
  facts.problem = "not a TOML value";
  facts.found = text.empty() ? "nothing" : text;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

}  // namespace mantissa::spec
