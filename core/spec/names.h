// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// The name of an experiment or a trial: a text that TRIAL on the command line can name (`experiment/trial`).
/// \throws Error InvalidSetting
std::string name_value(const Setting& setting);

/// The name of a trial: also none of those that a run gives to its own arms, so that one name in the archive means one
/// thing. \throws Error InvalidSetting
std::string trial_name_value(const Setting& setting);

/// Of the reference and its repeats, as they stand in the archive beside the trials. \param number  from 1
inline constexpr char reference_name[] = "reference";
inline constexpr char float64_name[] = "rounding-float64";
std::string repeat_name(std::size_t number);
std::string rounding_name(std::size_t number);

/// The stem of a file as a name: what a name may not hold becomes a hyphen, and so does one of which nothing
/// can be seen.
std::string name_from_stem(const std::string& stem);

}  // namespace mantissa::spec
