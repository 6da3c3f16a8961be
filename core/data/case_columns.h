// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/table.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// By row of a table in raw units: whether experiment.cases.edge holds. Empty where the experiment has none.
///
/// The expression sees input and target columns (text where a cell is text), `id` and `slice`; a column of the data
/// goes before these two words.
/// \throws Error InvalidSetting  for a name that is no column, and a comparison of a number with a text
std::vector<bool> edge_rows(const spec::Experiment& experiment, const Table& table);

/// How many rows of `cases` have exactly the inputs of one of these rows of the data.
std::int64_t rows_in_training(const Table& cases, const Table& data, const std::vector<std::int64_t>& training_rows);

}  // namespace mantissa::data
