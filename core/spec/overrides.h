// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// Applies one `key=value` of --set to a document: `training.optimizer[0].lr=1e-4`,
/// `trial[fp16].scaler.init_scale=1024`. Missing tables are created; a list of tables is indexed from 0 or by name, and
/// its next free index adds a block. \throws Error InvalidSetting; its subject is the override.
void apply_override(Setting& root, const std::string& override_text);

/// Applies them in order. training.steps replaces the file's training.epochs and the other way round; both given as
/// overrides exclude each other as in a file.
void apply_overrides(Setting& root, const std::vector<std::string>& override_texts);

}  // namespace mantissa::spec
