// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/table.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// The generated set `gaussian`: with a generator g seeded by data.seed, x = torch.randn(rows, features, generator=g),
/// then y = torch.randn(rows, outputs, generator=g), bit for bit. Columns are called x1, x2, … and y1, y2, …
/// \throws Error InvalidSetting for sizes below 1 and for keys that choose columns of a file.
Table gaussian_table(const spec::Experiment& experiment);

}  // namespace mantissa::data
