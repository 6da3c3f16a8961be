// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::spec {

/// One node of a TOML document, with where it came from: what the file and the `--set` texts become before anything is
/// read from them. Private to core/spec.
struct Setting {
  enum class Kind { Table, Array, Text, Integer, Number, Boolean, Moment };

  Kind kind = Kind::Table;
  std::string key;            ///< its name in the table above; empty for items of an array
  Position position;          ///< of the key or the table's header; zero where an override made it
  std::string override_text;  ///< the whole `key=value` of --set that gave this value; empty: from the file
  std::string path;           ///< "trial[0].scaler.init_scale"; see `name_paths`
  std::string label;          ///< the same for people: "trial[fp16].scaler.init_scale"

  std::string text;  ///< of a text; of a moment as it is spelled
  std::int64_t integer = 0;
  double number = 0.0;
  bool boolean = false;
  std::vector<Setting> members;  ///< of a table, in the order of the file
  std::vector<Setting> items;    ///< of an array

  const Setting* find(std::string_view name) const;
  Setting* find(std::string_view name);
  bool is_list_of_tables() const;
};

/// Fills in `path` and `label` below `root`. Items of lists of tables that have a name are labelled by it.
void name_paths(Setting& root);

/// The value as a message quotes it: `2.0`, `"abc"`, `a table`, `a list`.
std::string describe(const Setting& setting);

/// Line breaks and other control characters as TOML escapes them: a message is one line.
std::string on_one_line(const std::string& text);

/// A text on one line, cut short where it is long.
std::string shortened(const std::string& text);

/// A text as a message quotes it: on one line, shortened where it is long.
std::string quoted(const std::string& text);

/// An InvalidSetting at this place. Empty `problem`: found and expected say it all.
[[noreturn]] void refuse(const Setting& setting, const std::string& expected, const std::string& problem = {},
                         const std::string& remedy = {});

/// An InvalidSetting about a place rather than about its value: two keys that exclude each other, a key too many.
[[noreturn]] void refuse_place(const Setting& setting, const std::string& problem, const std::string& remedy = {},
                               const std::string& expected = {});

/// A NotYetAvailable at this place. `feature` names what it waits for.
[[noreturn]] void refuse_for_now(const Setting& setting, const std::string& feature, const std::string& remedy = {});

}  // namespace mantissa::spec
