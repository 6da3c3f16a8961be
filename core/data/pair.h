// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/data/table.h"

namespace mantissa::data {

/// Reads inputs and targets from files of their own, row by row: each an IDX or a CSV file, found by its content.
///
/// The elements of an IDX row of inputs are called x1, x2, … in the file's order and keep its shape (`item_shape`);
/// IDX targets are y1, y2, …. An input file in CSV has no target column; a target file in CSV with several columns
/// needs data.columns.target.
/// \throws Error as read_table and read_idx, and DataProblem where the files have other numbers of rows.
Table read_pair(const std::string& inputs, const std::string& targets, const Roles& roles);

/// Whether the file is IDX by its content or by its name.
/// \throws Error FileProblem for a file that cannot be read.
bool is_idx(const std::string& path);

}  // namespace mantissa::data
