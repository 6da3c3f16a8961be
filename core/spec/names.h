// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// The name of an experiment or a trial: a text that TRIAL on the command line can name (`experiment/trial`).
/// \throws Error InvalidSetting
std::string name_value(const Setting& setting);

/// The stem of a file as a name: what a name may not hold becomes a hyphen.
std::string name_from_stem(const std::string& stem);

}  // namespace mantissa::spec
