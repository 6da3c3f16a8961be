// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/compare/trial_columns.h"

namespace mantissa::compare {

/// Whether a key of this path is documented, indices left aside: "training.optimizer[0].lr", "rules.output.max".
bool is_setting_path(const std::string& path);

/// The value of a key path in resolved settings. An index is a place from 0 or the `name` of a table: `rules.cost[1]`,
/// `rules.cost[strict]`; a list of one needs none. Booleans are the texts "true" and "false", lists and tables their
/// JSON. monostate where it is null or not there.
Cell setting_at(const nlohmann::json& settings, const std::string& path);

}  // namespace mantissa::compare
