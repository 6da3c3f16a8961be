// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/record/case_row.h"

namespace mantissa::session {

/// The frozen cases of a run that was made elsewhere, as its two CSV files have them.
///
/// Both files have a header, a column `case` (text, unique) and `output[0]`, `output[1]`, … (`output` for a single
/// one); the reference's may have `target` (or `target[0]`, …), `kind` and `slice`, the trial's
/// `output_same_weights[0]` and so on, and what it repeats of the reference's must be the same. Other columns of
/// `export cases` are not looked at; columns that are not of `export cases` are refused. NaN, Infinity and -Infinity
/// are outputs; targets are numbers, and an empty cell is a case without a target.
class ForeignCases {
 public:
  /// Reads both. \throws Error FileProblem, DataProblem with file, line and column: no case, a case twice, unknown or
  ///         missing, another number of outputs, a cell that is no number
  ForeignCases(const std::string& reference_path, const std::string& trial_path);

  /// In the order of the reference's file; outputs only, nothing is compared yet.
  std::vector<record::CaseRow> rows;
  bool has_same_weights = false;
  std::size_t outputs = 0;
  std::size_t targets = 0;  ///< columns

  /// Refuses the target of a case where it stands. \param index  of the case
  [[noreturn]] void refuse_target(std::size_t index, const std::string& problem, const std::string& expected) const;

  /// Refuses the first output beyond these bounds in either file, where it stands; NaN and infinities are no outputs
  /// beyond them, but values to be judged.
  void refuse_outputs_beyond(double least, double most, const std::string& problem, const std::string& expected) const;

 private:
  void read_reference(const std::string& path);
  void read_trial(const std::string& path);

  std::string reference_path_, trial_path_;
  std::vector<std::int64_t> lines_;        // in the reference's file, by case
  std::vector<std::int64_t> trial_lines_;  // in the trial's
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace mantissa::session
