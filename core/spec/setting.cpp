// SPDX-License-Identifier: Apache-2.0
#include "core/spec/setting.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::spec {
namespace {

constexpr std::size_t longest_quote = 60;

void name_below(Setting& setting) {
  const std::string dot = setting.path.empty() ? "" : ".";
  for (Setting& member : setting.members) {
    member.path = setting.path + dot + member.key;
    member.label = setting.label + dot + member.key;
    name_below(member);
  }
  for (std::size_t i = 0; i < setting.items.size(); ++i) {
    Setting& item = setting.items[i];
    const std::string index = std::to_string(i);
    const Setting* const name = item.find("name");
    const bool named = name != nullptr && name->kind == Setting::Kind::Text && !name->text.empty();
    item.path = setting.path + '[' + index + ']';
    item.label = setting.label + '[' + (named ? name->text : index) + ']';
    name_below(item);
  }
}

/// The key that an override gives a value to, without the tables around it.
std::string_view last_key(std::string_view override_text) {
  std::string_view path = override_text.substr(0, override_text.find('='));
  path.remove_prefix(std::min(path.size(), path.rfind('.') + 1));  // 0 where there is no dot
  const std::size_t begin = std::min(path.size(), path.find_first_not_of(" \t"));
  return path.substr(begin, path.find_last_not_of(" \t") + 1 - begin);
}

std::string subject_of(const Setting& setting) {
  if (setting.override_text.empty()) return setting.label;
  // Of a table given as a whole, the line alone does not say which key is meant.
  const bool within = !setting.key.empty() && last_key(setting.override_text) != setting.key;
  return "--set " + setting.override_text + (within ? " (" + setting.label + ')' : std::string());
}

ErrorFacts facts_at(const Setting& setting) {
  ErrorFacts facts;
  facts.subject = on_one_line(subject_of(setting));
  facts.line = setting.position.line;
  facts.column = setting.position.column;
  return facts;
}

}  // namespace

std::string on_one_line(const std::string& text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      line += std::string("\\u00") + digits[byte >> 4U] + digits[byte & 0xFU];
    } else {
      line += c;
    }
  }
  return line;
}

std::string shortened(const std::string& text) {
  if (text.size() <= longest_quote) return on_one_line(text);
  std::size_t end = longest_quote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // whole characters
  return on_one_line(text.substr(0, end)) + "…";
}

std::string quoted(const std::string& text) { return '"' + shortened(text) + '"'; }

const Setting* Setting::find(std::string_view name) const {
  const auto found = std::find_if(members.begin(), members.end(), [name](const Setting& m) { return m.key == name; });
  return found == members.end() ? nullptr : &*found;
}

Setting* Setting::find(std::string_view name) { return const_cast<Setting*>(std::as_const(*this).find(name)); }

bool Setting::is_list_of_tables() const {
  return kind == Kind::Array && !items.empty() &&
         std::all_of(items.begin(), items.end(), [](const Setting& item) { return item.kind == Kind::Table; });
}

void name_paths(Setting& root) {
  root.path.clear();
  root.label.clear();
  name_below(root);
}

std::string describe(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::Table:
      return "a table";
    case Setting::Kind::Array:
      return setting.items.empty() ? "an empty list" : "a list";
    case Setting::Kind::Text:
      return quoted(setting.text);
    case Setting::Kind::Integer:
      return std::to_string(setting.integer);
    case Setting::Kind::Number: {
      const std::string text = to_text(setting.number);
      return text.find_first_of(".eEnN") == std::string::npos ? text + ".0" : text;  // 2.0 is not the integer 2
    }
    case Setting::Kind::Boolean:
      return setting.boolean ? "true" : "false";
    case Setting::Kind::Moment:
      return "a date or time";
  }
  return {};
}

void refuse(const Setting& setting, const std::string& expected, const std::string& problem,
            const std::string& remedy) {
  ErrorFacts facts = facts_at(setting);
  facts.problem = problem;
  facts.found = describe(setting);
  facts.expected = expected;
  facts.remedy = remedy;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

void refuse_place(const Setting& setting, const std::string& problem, const std::string& remedy,
                  const std::string& expected) {
  ErrorFacts facts = facts_at(setting);
  facts.problem = problem;
  facts.expected = expected;
  facts.remedy = remedy;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

void refuse_for_now(const Setting& setting, const std::string& feature, const std::string& remedy) {
  ErrorFacts facts = facts_at(setting);
  facts.problem = "not yet available: " + feature;
  facts.remedy = remedy.empty() ? "Leave it out: this version would have to ignore it" : remedy;
  throw Error(ErrorKind::NotYetAvailable, std::move(facts));
}

}  // namespace mantissa::spec
