// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa::memory {

/// A step whose time was measured or typed.
struct TimedStep {
  std::int64_t microbatch = 1;    ///< samples of one forward and backward
  std::int64_t accumulation = 1;  ///< microbatches of one optimizer step
  double seconds = 0.0;           ///< of the whole step
};

/// What a step of any size takes: update_seconds + accumulation * (microbatch_seconds + microbatch * sample_seconds).
///
/// The first is the optimizer's update with all that happens once a step; the second what every forward and backward
/// costs however small it is (launching kernels, reading weights); the third what every sample adds. A device that is
/// not yet full takes less for a further sample than this line says, so times far beyond the timed sizes are guesses.
struct StepTime {
  double update_seconds = 0.0;
  double microbatch_seconds = 0.0;
  double sample_seconds = 0.0;

  double at(std::int64_t microbatch, std::int64_t accumulation) const;
};

/// The least squares of relative errors, no part below zero. What the steps cannot tell apart goes to the sample first,
/// then to the microbatch: one timed step gives a time in proportion to its samples.
/// \param steps  at least one
/// \throws Error InvalidSetting  for no step, a microbatch or accumulation below 1, and seconds that are not above 0 or
///         not finite
StepTime step_time_of(const std::vector<TimedStep>& steps);

}  // namespace mantissa::memory
