// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/built_in.h"

namespace mantissa::model {

/// The kind cnn: a plain convolutional network for images [batch, channels, height, width].
///
/// For stage s, from 0, with C = channels[s], c = channels[s - 1] (the image's channels for the first) and k = kernel:
///
///     features.{3s}      Conv2d(c, C, k, padding = k / 2)      weight [C, c, k, k], bias [C]
///     features.{3s + 1}  ReLU
///     features.{3s + 2}  MaxPool2d(2)                          halves height and width, rounding down
///
/// then, with h and w what the stages have left of height and width (28 → 14 → 7):
///
///                        flatten
///     dropout            Dropout(dropout)
///     head               Linear(C·h·w, outputs)                weight [outputs, C·h·w], bias [outputs]
///
/// `features` is an nn.Sequential. Weights: PyTorch's defaults, drawn in this order. Every stage is a block that
/// backward may compute again. \throws Error ModelProblem unless the rows are [channels, height, width] and large
/// enough to be halved by each stage.
std::unique_ptr<Network> build_cnn(const spec::Model& settings, const DataShape& shape);

/// Refuses rows that are no images. \param kind  of the model, for the message
void require_images(const DataShape& shape, const std::string& kind);

}  // namespace mantissa::model
