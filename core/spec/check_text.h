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

/// Holds a text against the format. Every problem is one that `parse_experiment` throws, now or once others are solved:
/// wrong keys and words, and in every table the values that are wrong whatever becomes of the other problems. What may
/// be another thing, or none, once one of those is solved is left out: a key that only another kind takes while the
/// kind is wrong, what two keys say together while one of them is wrong, a key that is missing beside one that is
/// unknown. `file` is the name in messages.
TextCheck check_text(const std::string& text, const std::string& file);

}  // namespace mantissa::spec
