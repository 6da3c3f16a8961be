// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/step_time.h"

namespace mantissa::memory {

/// Of the plans: divisors are found by trying all up to its root.
inline constexpr std::int64_t kMostEffectiveBatch = 1'000'000'000'000;

/// What the memory of a step is worth against a device.
struct Need {
  std::int64_t bytes = 0;  ///< at its peak
  bool fits = false;       ///< into what is usable
  /// Whether what is live and rounded would fit, if nothing were lost between segments. Unlike `fits` it never comes
  /// back at a larger microbatch.
  bool could_fit = false;
};

/// One way to compute a step, whatever its sizes.
struct PlanOption {
  std::string policy;                     ///< "FP32", "FP16 autocast"
  bool activation_checkpointing = false;  ///< activations of a block are computed again in backward
  /// What a step of these sizes needs.
  std::function<Need(std::int64_t microbatch, std::int64_t accumulation)> need;
  std::vector<TimedStep> timed;  ///< measured or typed; empty: nobody knows how long it takes
};

struct PlanQuestion {
  std::int64_t effective_batch = 1;  ///< samples of one update, which every plan keeps
  std::int64_t updates = 0;          ///< to be made; 0: not said, and no plan has a finish
  std::int64_t usable_bytes = 0;     ///< capacity less reserve
  std::optional<double> deadline_seconds;
  std::optional<double> price_per_hour;  ///< in any currency
  std::vector<PlanOption> options;
};

/// Microbatch × accumulation × policy × checkpointing, and what comes of it.
struct Plan {
  std::size_t option = 0;  ///< its place in PlanQuestion::options
  std::int64_t microbatch = 1;
  std::int64_t accumulation = 1;
  std::int64_t peak_bytes = 0;
  std::int64_t headroom_bytes = 0;  ///< usable less peak; below 0: over by so much
  bool fits = false;
  std::optional<double> update_seconds;  ///< of one update; nothing: the option has no times
  bool timed = false;                    ///< update_seconds is a time that was given; false: worked out from others
  /// update_seconds is worked out from steps of one size alone: the same time for each sample is assumed.
  bool assumed = false;
  std::optional<double> finish_seconds;
  std::optional<double> spare_seconds;  ///< deadline less finish; below 0: missed by so much
  std::optional<double> cost;           ///< finish_seconds / 3600 * price_per_hour
};

struct Plans {
  /// Those that fit first, the fastest of them first, of equal ones a time that was given; without times the fewest
  /// microbatches first, as each costs some time of its own. Then those that do not fit, the least over first.
  std::vector<Plan> plans;
  /// The one that fits and finishes soonest; nothing where none fits or none that fits has a time. A deadline does not
  /// choose: the soonest meets it if any does.
  std::optional<std::size_t> best;
};

/// Every plan of every option whose microbatch divides the effective batch.
/// \throws Error InvalidSetting  for an effective batch that is not from 1 to kMostEffectiveBatch, updates below 0, no
///         option, a deadline or price that is negative or not finite, and timed steps as step_time_of
Plans plans_of(const PlanQuestion& question);

/// The largest microbatch that was found to fit; nothing where none was. An allocator's segments can make a step fit
/// that is larger than one that does not: from the largest that could fit it is looked for downwards, in strides of one
/// part in 16, and between the strides by bisection. Asks `need` some hundred times at most.
///
/// \param most  larger ones are not tried, and none above kMostEffectiveBatch
std::optional<std::int64_t> largest_microbatch(const PlanOption& option, std::int64_t accumulation, std::int64_t most);

}  // namespace mantissa::memory
