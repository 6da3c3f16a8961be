// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/data/table.h"
#include "core/record/case_row.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// Frozen cases in a file of their own (cases.path), in raw units.
struct CaseFile {
  Table table;                          ///< inputs in the order of the data's; targets empty where the file has none
  std::vector<record::CaseKind> kinds;  ///< by row; ordinary without a column of kinds
};

/// Reads experiment.cases.path: a CSV file with a header of `id` (text, unique), the data's input columns by name and,
/// as one likes, `kind`, `slice` and the target columns (a single one may be called `target`). Cells of targets may be
/// empty: those cases have no target. Where an input column of the data is called kind or slice, it is the input.
/// \throws Error FileProblem, DataProblem with line and column for everything else that it holds.
CaseFile read_case_file(const spec::Experiment& experiment, const Table& data);

}  // namespace mantissa::data
