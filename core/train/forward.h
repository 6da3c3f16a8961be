// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include "core/model/network.h"
#include "core/precision/policy.h"
#include "core/train/batch_plan.h"
#include "core/train/loss.h"

namespace mantissa::train {

struct ForwardResult {
  at::Tensor output;  ///< as the model returned it
  at::Tensor loss;    ///< of the microbatch, neither divided nor scaled
};

/// Forward and loss of one microbatch under a precision policy, which has been left when it returns: backward runs
/// outside. The steps of an arm and its shadow both go through here, so that they cannot differ.
///
/// A model that returns its loss (training.loss = "output") is not given another. A prediction in FP16 or BF16 that no
/// autocast made (weights stored and kept so) is widened before the loss, as one writes `loss(model(x).float(), y)`:
/// most losses have no backward for mixed dtypes.
ForwardResult forward_and_loss(model::Network& network, const precision::Policy& policy, const LossFunction& loss,
                               const Microbatch& microbatch);

}  // namespace mantissa::train
