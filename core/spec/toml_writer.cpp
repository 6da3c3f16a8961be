// SPDX-License-Identifier: Apache-2.0
#include "core/spec/toml_writer.h"

#include <locale>
#include <sstream>

#include <toml++/toml.h>

namespace mantissa::spec {
namespace {

toml::table to_table(const Setting& setting);
toml::array to_array(const Setting& setting);

/// Calls `add` with the value as the type that toml++ has for it.
template <class Add>
void add_value(const Setting& setting, const Add& add) {
  switch (setting.kind) {
    case Setting::Kind::Table:
      return add(to_table(setting));
    case Setting::Kind::Array:
      return add(to_array(setting));
    case Setting::Kind::Integer:
      return add(setting.integer);
    case Setting::Kind::Number:
      return add(setting.number);
    case Setting::Kind::Boolean:
      return add(setting.boolean);
    case Setting::Kind::Text:
    case Setting::Kind::Moment:
      return add(setting.text);
  }
}

toml::table to_table(const Setting& setting) {
  toml::table table;
  for (const Setting& member : setting.members) {
    add_value(member, [&](auto&& value) { table.insert_or_assign(member.key, std::forward<decltype(value)>(value)); });
  }
  return table;
}

toml::array to_array(const Setting& setting) {
  toml::array array;
  for (const Setting& item : setting.items) {
    add_value(item, [&](auto&& value) { array.push_back(std::forward<decltype(value)>(value)); });
  }
  return array;
}

}  // namespace

std::string to_toml(const Setting& root) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << toml::toml_formatter(to_table(root)) << '\n';
  return text.str();
}

}  // namespace mantissa::spec
