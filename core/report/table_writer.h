// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::report {

/// Where an export goes: a file, standard output, a text. Receives the bytes in order, in pieces of any size.
using Sink = std::function<void(std::string_view)>;

enum class TableFormat {
  Csv,   ///< a header line, then one line a row; cells are quoted where RFC 4180 asks for it, lines end in \n
  Json,  ///< an array of objects, one a line
};

/// Writes a table of any length row by row, in constant memory. Numbers read back equal and never depend on the locale;
/// NaN, Infinity and -Infinity are those words (strings in JSON); what was not measured is an empty cell and null.
class TableWriter {
 public:
  TableWriter(TableFormat format, std::vector<std::string> columns, Sink sink);

  // A row: every column once, in order, then `end_row`.
  void number(double value);
  void number(const std::optional<double>& value);
  void integer(std::int64_t value);
  void integer(const std::optional<std::int64_t>& value);
  void flag(bool value);  ///< 1 or 0 in CSV, true or false in JSON
  void flag(const std::optional<bool>& value);
  void text(std::string_view value);
  void missing();
  void end_row();

  /// Ends the table. Without it the last rows may be missing.
  void finish();

 private:
  void begin_cell();
  void flush();

  TableFormat format_;
  std::vector<std::string> keys_;  // JSON: the quoted name with its colon
  Sink sink_;
  std::string buffer_;
  std::size_t column_ = 0;
  bool any_row_ = false;
};

}  // namespace mantissa::report
