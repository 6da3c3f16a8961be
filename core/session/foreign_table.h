// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/csv.h"

namespace mantissa::session {

/// A CSV file whose columns have fixed names, and what its refusals have in common.
class ForeignTable {
 public:
  /// \throws Error FileProblem; DataProblem where there is no header
  explicit ForeignTable(const std::string& path);

  const std::vector<std::string>& columns() const { return reader_.columns(); }
  std::optional<std::size_t> column(std::string_view name) const;

  /// The positions of `name[0]`, `name[1]`, … or of `name` alone. \throws Error DataProblem where an index is left out
  std::vector<std::size_t> indexed(const std::string& name) const;

  /// \param expected  names the columns that are known
  void refuse_unknown(const std::vector<std::string>& known, const std::string& expected) const;

  bool next() { return reader_.next(row_); }
  std::int64_t line() const { return row_.line; }
  std::string text(std::size_t column) const { return std::string(row_.cells[column]); }

  /// A number; NaN, Infinity and -Infinity are some.
  double number(std::size_t column) const;
  /// The same without them; nothing for an empty cell.
  std::optional<double> finite_or_empty(std::size_t column) const;

  [[noreturn]] void refuse(std::size_t column, const std::string& problem, const std::string& expected) const;
  /// About a whole row, or with line 0 about the file.
  [[noreturn]] void refuse_row(std::int64_t line, const std::string& problem, const std::string& found,
                               const std::string& expected, const std::string& remedy = {}) const;

 private:
  data::CsvReader reader_;
  data::CsvRow row_;
};

/// "output" of "output[3]"; the name itself where there is no index.
std::string without_index(const std::string& column);

}  // namespace mantissa::session
