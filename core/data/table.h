// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/spec/experiment.h"

namespace mantissa::data {

/// One target cell per row of one column.
struct TargetColumn {
  std::vector<double> numbers;     ///< 0 where the cell is text
  std::vector<std::string> texts;  ///< as the cells stand
  std::vector<bool> is_number;
  std::vector<bool> is_missing;  ///< only where Roles::case_file: the cell says nothing
  bool any_number = false;
  bool any_text = false;
  bool all_whole = true;             ///< every number is an integer, also written 2.0
  bool all_written_as_whole = true;  ///< … and written without a decimal point or an exponent
};

/// The rows of one source in the roles that the experiment gives to its columns, as they stand in the source.
struct Table {
  std::string file;                  ///< for messages; empty for generated data
  std::string targets_file;          ///< where the targets stand in a file of their own
  std::vector<std::string> columns;  ///< all of them
  std::vector<std::string> input_names;
  std::vector<std::string> target_names;
  std::vector<double> inputs;              ///< [rows, input_names.size()], finite
  std::vector<bool> integer_inputs;        ///< by input_names: reaches the model as an integer; its values are whole
  std::vector<std::int64_t> item_shape;    ///< of a row's inputs where the source has one (IDX), otherwise empty
  std::vector<TargetColumn> targets;       ///< by target_names
  std::vector<std::int64_t> lines;         ///< where the row starts in the file; empty for generated data
  std::vector<std::int64_t> target_lines;  ///< of targets_file; empty without one, and where it has no lines
  std::vector<std::string> ids;
  std::vector<std::string> slices;  ///< empty without a slice column
  std::vector<std::string> kinds;   ///< empty without a kind column
  std::int64_t dropped = 0;         ///< rows left out because a value was missing
  std::vector<std::string> notes;

  std::int64_t rows() const { return static_cast<std::int64_t>(ids.size()); }
  int line_of(std::int64_t row) const {
    return lines.empty() ? 0 : static_cast<int>(lines[static_cast<std::size_t>(row)]);
  }
  const std::string& file_of_targets() const { return targets_file.empty() ? file : targets_file; }
  int target_line_of(std::int64_t row) const {
    if (targets_file.empty()) return line_of(row);
    return target_lines.empty() ? 0 : static_cast<int>(target_lines[static_cast<std::size_t>(row)]);
  }
};

/// Which columns a table takes.
struct Roles {
  enum class Wanted { All, Inputs, Targets };
  Wanted wanted = Wanted::All;  ///< Inputs, Targets: the other half stands in a file of its own
  spec::Columns columns;
  std::string kind;  ///< column of the kinds of case; empty: none
  /// Frozen cases, not rows to learn from: targets may be missing row by row, and keys of [data] mend nothing.
  bool case_file = false;
  std::vector<std::string> left_out;  ///< no inputs unless columns.inputs names them
  spec::Missing missing = spec::Missing::Refuse;
  const spec::Experiment* experiment = nullptr;  ///< for messages about its keys
  const Table* same_columns_as = nullptr;        ///< another file with other columns is refused; their order may differ
};

/// Reads a CSV file.
/// \throws Error DataProblem with line and column for missing, non-finite, text and (in integer columns) fractional
///         values, InvalidSetting for columns that the file does not have or that have two roles.
Table read_table(const std::string& path, const Roles& roles);

}  // namespace mantissa::data
