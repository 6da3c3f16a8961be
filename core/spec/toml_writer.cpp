// SPDX-License-Identifier: Apache-2.0
#include "core/spec/toml_writer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/base/number_text.h"

namespace mantissa::spec {
namespace {

std::string basic_string(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return '"' + on_one_line(escaped) + '"';
}

/// A key bare where TOML allows it.
std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : basic_string(key);
}

/// The shortest text that reads back, and as a number with a fraction: 2.0 is not the integer 2.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const std::string text = mantissa::to_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string value_text(const Setting& setting);

/// "a, b", with `before` and `after` around it.
template <class Text>
std::string list_text(const std::vector<Setting>& settings, std::string_view before, std::string_view after,
                      const Text& text_of) {
  std::string text(before);
  for (std::size_t i = 0; i < settings.size(); ++i) text += (i == 0 ? "" : ", ") + text_of(settings[i]);
  return text + std::string(after);
}

std::string entry_text(const Setting& member) { return key_text(member.key) + " = " + value_text(member); }

/// A value on its line.
std::string value_text(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::Table:
      return setting.members.empty() ? "{}" : list_text(setting.members, "{ ", " }", entry_text);
    case Setting::Kind::Array:
      return list_text(setting.items, "[", "]", value_text);
    case Setting::Kind::Integer:
      return std::to_string(setting.integer);
    case Setting::Kind::Number:
      return real_text(setting.number);
    case Setting::Kind::Boolean:
      return setting.boolean ? "true" : "false";
    case Setting::Kind::Text:
      return basic_string(setting.text);
    case Setting::Kind::Moment:
      return setting.text;
  }
  return {};
}

bool has_a_header(const Setting& setting) {
  return setting.kind == Setting::Kind::Table || setting.is_list_of_tables();
}

/// `path` ends with a dot where there is one.
void add_members(const Setting& table, const std::string& path, std::string& text) {
  for (const Setting& member : table.members) {  // first: what follows a header belongs to it
    if (!has_a_header(member)) text += entry_text(member) + '\n';
  }
  for (const Setting& member : table.members) {
    if (!has_a_header(member)) continue;
    const std::string name = path + key_text(member.key);
    if (member.kind == Setting::Kind::Table) {
      text += "\n[" + name + "]\n";
      add_members(member, name + '.', text);
    }
    for (const Setting& item : member.items) {
      text += "\n[[" + name + "]]\n";
      add_members(item, name + '.', text);
    }
  }
}

}  // namespace

std::string to_toml(const Setting& root) {
  std::string text;
  add_members(root, "", text);
  return text;
}

}  // namespace mantissa::spec
