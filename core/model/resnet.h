// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/built_in.h"

namespace mantissa::model {

/// The kind resnet: the residual network for small images of He, Zhang, Ren and Sun (2015, section 4.2), with
/// projections on the shortcuts, for images [batch, channels, height, width].
///
/// depth = 6n + 2: three stages of n blocks; w = width, the widths of the stages are w, 2w and 4w.
///
///     stem.0                    Conv2d(channels, w, 3, padding = 1, bias = false)   weight [w, channels, 3, 3]
///     stem.1                    BatchNorm2d(w)
///     stem.2                    ReLU
///     blocks.B                  B from 0 to 3n - 1; c channels in, C out; stride s is 2 in the first block of the
///                               second and the third stage, else 1
///       .conv1                  Conv2d(c, C, 3, stride = s, padding = 1, bias = false)   weight [C, c, 3, 3]
///       .bn1                    BatchNorm2d(C)
///                               relu
///       .conv2                  Conv2d(C, C, 3, padding = 1, bias = false)               weight [C, C, 3, 3]
///       .bn2                    BatchNorm2d(C)
///       .shortcut.0             Conv2d(c, C, 1, stride = s, bias = false)                weight [C, c, 1, 1]
///       .shortcut.1             BatchNorm2d(C)
///                               the sum of bn2 and the shortcut, relu
///                               mean over height and width
///     head                      Linear(4w, outputs)                                      weight, bias
///
/// A block whose stride is 1 and whose c is C has no shortcut layers: its input is added as it is. A BatchNorm2d has
/// the parameters weight, bias [C] and the buffers running_mean, running_var [C] and num_batches_tracked (int64, no
/// dimension). `stem`, `blocks` and `shortcut` are nn.Sequential. Weights: PyTorch's defaults, drawn in this order.
/// Blocks that backward may compute again: the stem and each of `blocks`.
/// With one channel in, 10 outputs and the default sizes: 272,186 parameters.
/// \throws Error ModelProblem unless the rows are [channels, height, width].
std::unique_ptr<Network> build_resnet(const spec::Model& settings, const DataShape& shape);

}  // namespace mantissa::model
