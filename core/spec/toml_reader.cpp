// SPDX-License-Identifier: Apache-2.0
#include "core/spec/toml_reader.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <toml++/toml.h>

#include "core/base/error.h"

namespace mantissa::spec {
namespace {

Position to_position(const toml::source_position& at) {
  return {static_cast<int>(at.line), static_cast<int>(at.column)};
}

constexpr int deepest = 32;  // tables in tables; the catalogue needs four
constexpr int most_dots = 16;

/// The first line with a key of more dots than any key needs, or 0. Each dot is a level of tables, and toml++ takes
/// them down recursively: a million of them would overflow the stack.
int line_of_deep_key(std::string_view text) {
  int line = 1;
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '"' || c == '\'') {  // a text: dots in it are none of ours
      const bool several_lines = text.substr(i, 3) == std::string(3, c);
      const std::string end(several_lines ? 3 : 1, c);
      for (i += end.size(); i < text.size() && text.substr(i, end.size()) != end; ++i) {
        if (text[i] == '\n') {
          ++line;
          if (!several_lines) break;  // not closed: the parser says so
        }
        if (text[i] == '\\' && c == '"') ++i;
      }
      i += end.size() - 1;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '.') {
      if (++dots > most_dots) return line;
    } else if (c == '\n' || c == ',' || c == '=' || c == '[' || c == '{') {
      dots = 0;
    }
  }
  return 0;
}

[[noreturn]] void refuse_depth(const std::string& file, int line) {
  ErrorFacts facts;
  facts.file = file;
  facts.line = line;
  facts.problem = "tables nested too deep";
  facts.remedy = "See: mantissa-cli help experiment";
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

Setting to_setting(const toml::node& node, int depth);

void add_members(const toml::table& table, Setting& setting, int depth) {
  for (const auto& [key, value] : table) {
    Setting member = to_setting(value, depth + 1);
    member.key = std::string(key.str());
    member.position = to_position(key.source().begin);
    setting.members.push_back(std::move(member));
  }
  // toml++ sorts by name; messages go by the order of the file.
  std::stable_sort(setting.members.begin(), setting.members.end(), [](const Setting& a, const Setting& b) {
    return std::tie(a.position.line, a.position.column) < std::tie(b.position.line, b.position.column);
  });
}

Setting to_setting(const toml::node& node, int depth) {
  Setting setting;
  setting.position = to_position(node.source().begin);
  if (depth > deepest) refuse_depth({}, setting.position.line);
  if (const auto* const table = node.as_table()) {
    add_members(*table, setting, depth);
  } else if (const auto* const array = node.as_array()) {
    setting.kind = Setting::Kind::Array;
    for (const toml::node& item : *array) setting.items.push_back(to_setting(item, depth + 1));
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

bool is_fraction(std::string_view number) {
  return number.find("0x") == std::string_view::npos && number.find_first_of(".eE") != std::string_view::npos;
}

/// Whether toml++ means a number that 64 bits cannot hold. It counts the digits of integers before it reads them, and
/// without from_chars it says of an infinite fraction only that it is no value; malformed ones are told apart before.
bool is_out_of_range(std::string_view text, std::string_view description) {
  const auto says = [&](std::string_view words) { return description.find(words) != std::string_view::npos; };
  if (says("not representable in 64 bits")) return true;
  return is_fraction(text) ? says("floating-point") && says("could not be interpreted as a value")
                           : says("exceeds length limit");
}

std::string expected_of_range(std::string_view text) {
  if (is_fraction(text)) return "a number of at most 1.7976931348623157e308";
  if (text.find('-') != std::string_view::npos) return "an integer of at least -9223372036854775808";
  return "an integer of at most 9223372036854775807";
}

}  // namespace

Setting read_toml(const std::string& text, const std::string& file) {
  if (const int line = line_of_deep_key(text)) refuse_depth(file, line);
  try {
    return to_setting(toml::parse(std::string_view(text)), 0);
  } catch (const Error& error) {
    throw error.in_file(file);
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
  ErrorFacts facts;
  facts.problem = "not a TOML value";
  facts.found = text.empty() ? "nothing" : quoted(text);
  if (one_line && line_of_deep_key(text) == 0) {
    try {
      const toml::table table = toml::parse("value = " + text);
      if (table.size() == 1) return to_setting(*table.get("value"), 0);
    } catch (const toml::parse_error& error) {
      // What toml++ says about "value = …" speaks of a line that nobody wrote; only what kind of error it is counts.
      if (is_out_of_range(text, error.description())) {
        facts.problem = "out of range";
        facts.found = shortened(text);
        facts.expected = expected_of_range(text);
      }
    }
  }
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

}  // namespace mantissa::spec
