// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/spec/setting.h"

namespace mantissa::spec {

/// Holds a whole document against the key catalogue: unknown keys (with the nearest known one), tables where values
/// belong and the reverse, words outside a choice, and what is documented but not yet available.
void check_keys(const Setting& root);

/// The same without throwing: everything that `check_keys` would refuse.
std::vector<Error> key_problems(const Setting& root);

/// Known keys that a person who wrote `path` ("model.batch") may have meant, the likeliest first; at most three.
std::vector<std::string> nearest_keys(const std::string& path);

}  // namespace mantissa::spec
