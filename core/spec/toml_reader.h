// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// A TOML text as a tree of settings. `file` is for messages.
/// \throws Error InvalidSetting with line and column where it is no TOML.
Setting read_toml(const std::string& text, const std::string& file);

/// A single TOML value: `1e-4`, `"text"`, `{ max = 2 }`.
/// \throws Error InvalidSetting; the facts hold only what is wrong with the value.
Setting read_toml_value(const std::string& text);

}  // namespace mantissa::spec
