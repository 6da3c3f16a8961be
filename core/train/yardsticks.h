// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/train/arm.h"
#include "core/train/batch_plan.h"

namespace mantissa::train {

/// What measures a reference against itself in a paired run. The two are never mixed: rounding repeats are the
/// yardstick of shadow deviation, whole repeats that of trajectory deviation.
struct Yardsticks {
  /// A whole repeat: trained like the reference, from weights and on windows of its own. At the steps of `every` its
  /// weights also run on the reference's window, with the reference's random numbers: that fills deviation_*, which
  /// could not be told from outputs of other samples.
  struct Repeat {
    std::unique_ptr<Arm> arm;  ///< under the reference's policy
    std::unique_ptr<BatchPlan> plan;
  };
  std::vector<Repeat> repeats;

  /// Thread counts. With each of them the step is run again from the reference's weights at the steps of `every`: that
  /// fills shadow_*.
  std::vector<int> rounding_threads;

  std::int64_t every = 10;  ///< steps
};

}  // namespace mantissa::train
