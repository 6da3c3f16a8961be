// SPDX-License-Identifier: Apache-2.0
#include "core/spec/names.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

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

/// The characters of a name, which TOML has made sure is UTF-8.
std::vector<std::uint32_t> characters_of(const std::string& name) {
  std::vector<std::uint32_t> characters;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U && !characters.empty()) {
      characters.back() = (characters.back() << 6U) | (byte & 0x3FU);
    } else {
      characters.push_back(byte < 0x80U ? byte : byte < 0xE0U ? byte & 0x1FU : byte < 0xF0U ? byte & 0x0FU : byte & 7U);
    }
  }
  return characters;
}

bool is_in(std::uint32_t character, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [character](const auto& range) { return character >= range.first && character <= range.second; });
}

/// White_Space of the Unicode character database (PropList.txt), and the spaces without width.
bool is_blank(std::uint32_t character) {
  return is_in(character, {{0x20, 0x20},
                           {0x85, 0x85},
                           {0xA0, 0xA0},
                           {0x1680, 0x1680},
                           {0x2000, 0x200B},
                           {0x2028, 0x2029},
                           {0x202F, 0x202F},
                           {0x205F, 0x2060},
                           {0x3000, 0x3000},
                           {0xFEFF, 0xFEFF}});
}

/// Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the Braille pattern without a dot: nothing is drawn.
bool is_invisible(std::uint32_t character) {
  return is_blank(character) || is_in(character, {{0xAD, 0xAD},
                                                  {0x34F, 0x34F},
                                                  {0x61C, 0x61C},
                                                  {0x115F, 0x1160},
                                                  {0x17B4, 0x17B5},
                                                  {0x180B, 0x180F},
                                                  {0x200C, 0x200F},
                                                  {0x202A, 0x202E},
                                                  {0x2061, 0x206F},
                                                  {0x2800, 0x2800},
                                                  {0x3164, 0x3164},
                                                  {0xFE00, 0xFE0F},
                                                  {0xFFA0, 0xFFA0},
                                                  {0xFFF0, 0xFFF8},
                                                  {0x1BCA0, 0x1BCA3},
                                                  {0x1D173, 0x1D17A},
                                                  {0xE0000, 0xE0FFF}});
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
  const std::vector<std::uint32_t> characters = characters_of(name);
  if (std::all_of(characters.begin(), characters.end(), is_invisible)) {
    refuse(setting, "a name with a character that can be seen", "it would look as if there were no name");
  }
  if (std::any_of(name.begin(), name.end(), is_unfit) || is_blank(characters.front()) || is_blank(characters.back())) {
    refuse(setting, "a name without slashes, brackets, line breaks or blanks at its ends");
  }
  if (name.front() == '-')
    refuse(setting, "a name that does not begin with -", "the command line takes it for an option");
  if (name.size() > kLongestName) {
    refuse(setting, "at most " + std::to_string(kLongestName) + " bytes",
           "this name is " + std::to_string(name.size()) + " bytes long and would not fit into tables and file names",
           "Shorten it: a letter takes 1 byte, and beyond ASCII up to 4");
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
  const std::vector<std::uint32_t> characters = characters_of(name);
  return std::all_of(characters.begin(), characters.end(), is_invisible) ? "-" : name;
}

}  // namespace mantissa::spec
