// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/spec/setting.h"

namespace mantissa::spec {

/// Reads [trial.scaler] (null: absent): first the preset, then the keys that stand in the file. Private to core/spec.
/// \param trial_label  names the trial in warnings
void read_scaler(const Setting* setting, const std::string& trial_label, Autocast autocast, Scaler& scaler,
                 std::vector<std::string>& warnings);

/// Refuses an at_floor that switches to a trial that does not exist, to its own one, or in a circle.
/// \param list  the [[trial]] blocks that `trials` were read from
void check_switches(const Setting& list, const std::vector<Trial>& trials);

}  // namespace mantissa::spec
