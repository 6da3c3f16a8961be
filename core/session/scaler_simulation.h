// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa::session {

/// Settings of a simulated scaler; PyTorch's defaults.
struct SimulatedScaler {
  double init_scale = 65536.0;
  double growth_factor = 2.0;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
};

/// One row of the simulation: state around one `update()`.
struct SimulatedStep {
  std::int64_t step = 0;
  double scale_before = 0.0, scale_after = 0.0;
  std::int64_t growth_tracker = 0;
  bool skipped = false;              ///< any optimizer skipped
  std::vector<bool> skipped_of;      ///< per optimizer
  std::int64_t applied_updates = 0;  ///< steps at which all optimizers applied
  std::vector<std::int64_t> applied_updates_of;
};

/// Plays a pattern of overflows (per step, per optimizer) through the real scaler. One scaler serves all optimizers.
/// \throws Error InvalidSetting as the scaler does.
std::vector<SimulatedStep> simulate_scaler(const SimulatedScaler& settings,
                                           const std::vector<std::vector<bool>>& found_inf);

}  // namespace mantissa::session
