// SPDX-License-Identifier: Apache-2.0
#include "core/spec/names.h"

#include <algorithm>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

bool is_unfit(char c) { return c == '/' || c == '[' || c == ']' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr std::size_t kLongestName = 100;  // bytes: tables and file names hold it

/// Characters that turn the direction of text around and would show one name as another: U+200E, U+200F, U+202A to
/// U+202E, U+2066 to U+2069, as UTF-8.
bool turns_text_around(const std::string& name) {
  for (const char* const mark :
       {"\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    if (name.find(mark) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string name_value(const Setting& setting) {
  std::string name = text_value(setting);
  if (name == reference_name || name == "last") {
    refuse(setting, "another name", "the word stands for something else on the command line");
  }
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    refuse(setting, "a name with a letter", "a name of digits alone looks like the id of a trial");
  }
  if (std::any_of(name.begin(), name.end(), is_unfit) || name.front() == ' ' || name.back() == ' ') {
    refuse(setting, "a name without slashes, brackets, line breaks or blanks at its ends");
  }
  if (name.front() == '-')
    refuse(setting, "a name that does not begin with -", "the command line takes it for an option");
  if (name.size() > kLongestName) {
    refuse(setting, "a name of at most " + std::to_string(kLongestName) + " bytes", "tables and file names hold it");
  }
  if (turns_text_around(name)) {
    refuse(setting, "a name without marks that turn the direction of text", "it would look like another name");
  }
  return name;
}

std::string trial_name_value(const Setting& setting) {
  std::string name = name_value(setting);
  const auto numbered = [&name](const std::string& first) {
    const std::string prefix = first.substr(0, first.size() - 1);  // without the 1
    return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
           name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
  };
  if (name == float64_name || numbered(repeat_name(1)) || numbered(rounding_name(1))) {
    refuse(setting,
           std::string("another name than those that a run gives to its own arms: ") + reference_name + ", last, " +
               repeat_name(1) + ", " + repeat_name(2) + " and so on, " + rounding_name(1) + ", " + rounding_name(2) +
               " and so on, " + float64_name,
           "a measurement of the reference has this name");
  }
  return name;
}

std::string repeat_name(std::size_t number) { return "repeat-" + std::to_string(number); }
std::string rounding_name(std::size_t number) { return "rounding-" + std::to_string(number); }

std::string name_from_stem(const std::string& stem) {
  std::string name = stem;
  std::replace_if(name.begin(), name.end(), is_unfit, '-');
  return name;
}

}  // namespace mantissa::spec
