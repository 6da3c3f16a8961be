// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::session {

/// One row of the simulation: state around one `update()`.
struct SimulatedStep {
  std::int64_t step = 0;
  double scale_before = 0.0, scale_after = 0.0;
  std::int64_t growth_tracker = 0;
  bool skipped = false;              ///< any optimizer skipped
  std::vector<bool> skipped_of;      ///< per optimizer
  std::int64_t applied_updates = 0;  ///< steps at which all optimizers applied
  std::vector<std::int64_t> applied_updates_of;
  bool tolerated = false;  ///< an overflow that hysteresis left without effect on the scale
  bool at_floor = false;   ///< an overflow that found the scale at its floor
};

/// Plays a pattern of overflows (per step, per optimizer) through the real scaler. One scaler serves all optimizers.
/// With at_floor `stop` or `switch` the rows end with the first one that is `at_floor`: there is no trial to go on
/// with. `settings.enabled` is not looked at. \throws Error InvalidSetting as the scaler does.
std::vector<SimulatedStep> simulate_scaler(const spec::Scaler& settings,
                                           const std::vector<std::vector<bool>>& found_inf);

}  // namespace mantissa::session
