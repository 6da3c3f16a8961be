// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/model/network.h"
#include "core/observe/deviation.h"
#include "core/record/step_record.h"
#include "core/train/arm.h"

namespace mantissa::train {

/// How far the outputs and gradients of one step are from the reference's. Both sides hold true gradients: unscaled,
/// not yet clipped.
struct StepDeviation {
  observe::DeviationSums outputs;
  observe::DeviationSums gradients;  ///< of the parameters that an optimizer owns: the others stay scaled
  double loss = 0.0;                 ///< loss − reference loss
};

/// \param units  which parameters count.
StepDeviation deviation_of(const Attempt& reference_attempt, const model::Network& reference,
                           const std::vector<at::Tensor>& outputs, double loss, const model::Network& network,
                           const std::vector<OptimizerUnit>& units);

/// Into the columns deviation_* and shadow_*; without any common gradient theirs stay empty.
void fill_trajectory(const StepDeviation& deviation, record::StepRecord& step);
void fill_shadow(const StepDeviation& deviation, record::StepRecord& step);

}  // namespace mantissa::train
