// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// A tree of settings as a TOML text that reads back to the same values. Keys keep their order, values before
/// tables; comments and the spelling of numbers are not kept.
std::string to_toml(const Setting& root);

}  // namespace mantissa::spec
