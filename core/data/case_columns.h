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

/// By row of a table in raw units: what experiment.context.rule predicts, a class index, or a number in the target's
/// own unit. Empty where the experiment has none. The rule sees input columns, `id` and `slice`: no target.
///
/// A condition is class 1 where it holds, else class 0. A column's value is the number of the class, or its name where
/// classes have names; NaN where it is neither, or missing.
/// \param regression  the prediction is a number: a condition is refused
/// \throws Error InvalidSetting  for a name that is no such column, a comparison of a number with a text, and a
///         condition in a regression
std::vector<double> written_rule_values(const spec::Experiment& experiment, const Table& table, bool regression,
                                        const std::vector<std::string>& class_names);

/// How many rows of `cases` have exactly the inputs of one of these rows of the data.
std::int64_t rows_in_training(const Table& cases, const Table& data, const std::vector<std::int64_t>& training_rows);

}  // namespace mantissa::data
