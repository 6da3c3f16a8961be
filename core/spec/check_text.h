// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

namespace mantissa::spec {

/// What is wrong with a text that is still being written: `parse_experiment` ends at the first problem, an editor shows
/// all of them.
struct TextCheck {
  bool is_toml = false;               ///< false: `problems` holds one, the place where the text stops being TOML
  std::vector<Error> problems;        ///< in the order of the file; empty: parse_experiment takes the text
  std::vector<std::string> warnings;  ///< as Experiment::warnings
};

/// Holds a text against the format. Every problem is one that `parse_experiment` throws, now or once those before it
/// are solved: unknown keys and words first, then, where there are none, of every table whose meaning does not hang on
/// another problem the first wrong value, and behind it those that are wrong by themselves. `file` is the name in
/// messages.
TextCheck check_text(const std::string& text, const std::string& file);

}  // namespace mantissa::spec
