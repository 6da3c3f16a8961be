// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// An InvalidSetting about `key`, with the place of the key in the experiment's file (or of the table around it).
Error setting_error(const spec::Experiment& experiment, const std::string& key, ErrorFacts facts);

}  // namespace mantissa::data
