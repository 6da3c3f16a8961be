// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/built_in.h"

namespace mantissa::model {

/// The kinds linear and mlp. Rows of any shape are taken as one vector of `features` elements.
///
/// linear is `nn.Linear(features, outputs, bias)`; its path is the root:
///
///     weight                      [outputs, features]
///     bias                        [outputs]
///
/// mlp is an nn.Sequential; for each width of `hidden`, in order, then the output:
///
///     0         Linear            weight [hidden[0], features], bias [hidden[0]]
///     1         activation        ReLU, GELU (by erf), Tanh, Sigmoid or SiLU
///     2         Dropout(dropout)  only where dropout > 0: without it the numbers move up
///     …
///     last      Linear            weight [outputs, hidden[last]], bias [outputs]
///
/// Weights: PyTorch's defaults, drawn layer by layer from the top. With bias = false there is no bias anywhere.
/// Blocks that backward may compute again: n hidden layers in blocks of ⌊√n⌋; the output stands outside. A linear model
/// has none.
/// \throws Error ModelProblem for characters instead of numbers.
std::unique_ptr<Network> build_mlp(const spec::Model& settings, const DataShape& shape);

}  // namespace mantissa::model
