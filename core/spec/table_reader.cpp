// SPDX-License-Identifier: Apache-2.0
#include "core/spec/table_reader.h"

namespace mantissa::spec {

double number_value(const Setting& setting, const NumberRange& range) {
  double value = 0.0;
  if (setting.kind == Setting::Kind::Integer) {
    value = static_cast<double>(setting.integer);
  } else if (setting.kind == Setting::Kind::Number) {
    value = setting.number;
  } else {
    refuse(setting, range.expected);
  }
  if (!range.holds(value)) refuse(setting, range.expected);
  return value;
}

std::int64_t integer_value(const Setting& setting, std::int64_t least, std::int64_t most) {
  const bool fits = setting.kind == Setting::Kind::Integer && setting.integer >= least && setting.integer <= most;
  if (fits) return setting.integer;
  std::string expected = "an integer";
  if (least != std::numeric_limits<std::int64_t>::min()) expected += " of at least " + std::to_string(least);
  if (most != std::numeric_limits<std::int64_t>::max()) expected += " and at most " + std::to_string(most);
  refuse(setting, expected);
}

bool boolean_value(const Setting& setting) {
  if (setting.kind != Setting::Kind::Boolean) refuse(setting, "true or false");
  return setting.boolean;
}

std::string text_value(const Setting& setting) {
  if (setting.kind != Setting::Kind::Text || setting.text.empty()) refuse(setting, "a text in quotes, not empty");
  return setting.text;
}

std::vector<std::string> texts_value(const Setting& setting) {
  if (setting.kind != Setting::Kind::Array) refuse(setting, "a list of texts");
  std::vector<std::string> texts;
  for (const Setting& item : setting.items) texts.push_back(text_value(item));
  return texts;
}

}  // namespace mantissa::spec
