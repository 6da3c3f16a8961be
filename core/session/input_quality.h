// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/dataset.h"
#include "core/record/verdict_context.h"
#include "core/session/frozen_cases.h"

namespace mantissa::session {

/// Looks at the inputs of the frozen set beside those of the training part, as the model gets them: which values are
/// non-finite, which columns have one value over the whole set, which values lie outside the training part's range.
/// Rows of the training part itself lie within it. A text has characters, not columns: not measured.
record::InputQuality input_quality(const data::Dataset& dataset, const FrozenCases& cases);

}  // namespace mantissa::session
