// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::data {

/// Rows (from 0) of one source that belong to each part, in the part's order.
struct Split {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
};

/// perm = torch.randperm(rows) with a generator seeded by `part.seed`; the first
/// round(fraction · rows) rows of it (halves to even, as Python's round) are the test part, the rest is the training
/// part. Both keep the permutation's order, which is what `order = "file"` then repeats in every epoch. With
/// fraction = 0 nothing is permuted: the training part is the file as it stands.
/// \throws Error InvalidSetting for a fraction outside [0, 1) or one that leaves no training row.
Split split_rows(const spec::Experiment& experiment, const spec::TestPart& part, std::int64_t rows);

}  // namespace mantissa::data
