// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/built_in.h"

namespace mantissa::model {

/// The kind lstm, for sequences of numbers and for characters.
///
/// Numbers, [batch, time, features] → [batch, outputs]: the mean over time of the last layer's states goes to the head.
/// Characters (a language model), [batch, time] int64 → [batch, time, characters]: the state at each position does.
/// H = cells, V = characters of the vocabulary, I = features for numbers, H for characters.
///
///     embedding      Embedding(V, H)                     weight [V, H]; characters only
///     lstm           LSTM(I, H, layers, batch_first = true, dropout = dropout, bidirectional = bidirectional); for
///     each
///                    layer L from 0, inputs i = I for L = 0, else H, or 2H where bidirectional:
///       .weight_ih_lL                                    [4H, i]; gates in the order input, forget, cell, output
///       .weight_hh_lL                                    [4H, H]
///       .bias_ih_lL, .bias_hh_lL                         [4H]
///       the same four with _reverse                      where bidirectional
///     head           Linear(H, or 2H where bidirectional, outputs)    weight, bias
///
/// Dropout acts on the states between two layers. Weights: PyTorch's defaults, drawn in this order.
/// \throws Error ModelProblem unless the rows are [time, features] or characters; for characters in both directions,
///         which would show the model what it has to predict.
std::unique_ptr<Network> build_lstm(const spec::Model& settings, const DataShape& shape);

}  // namespace mantissa::model
