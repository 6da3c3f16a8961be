// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/train/optimizer.h"

namespace mantissa::train {

/// torch.optim.LBFGS, without line search or with strong Wolfe conditions, bit for bit.
///
/// One step follows up to max_iter directions and evaluates the loss up to max_eval times, all on the same window. If
/// an evaluation throws, weights and memory are as they were before the step. Cannot step without evaluations.
std::unique_ptr<Optimizer> make_lbfgs(const spec::Optimizer& settings, std::vector<at::Tensor> parameters);

}  // namespace mantissa::train
