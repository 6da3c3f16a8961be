// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/file_bytes.h"

namespace mantissa::data {

/// What a cell holds. `nan` is its own kind: it counts as missing, but the message differs.
enum class CellKind {
  Number,    ///< a finite number
  Missing,   ///< empty, NA, N/A, n/a
  Nan,       ///< "nan" in any case
  Infinite,  ///< "inf", "Infinity" or a number beyond FP64, with either sign
  Text,
};

struct CellValue {
  CellKind kind = CellKind::Missing;
  double number = 0.0;  ///< of Number and Infinite
};

/// Blanks around a number are left out; numbers in the C locale.
CellValue value_of_cell(std::string_view cell);

/// One record of a file.
struct CsvRow {
  std::int64_t line = 0;                ///< where it starts, from 1; a quoted cell may span lines
  std::vector<std::string_view> cells;  ///< unquoted; valid until the next call of next()
};

/// Reads a comma-separated file row by row, plain or gzip, and refuses what other readers guess at.
///
/// RFC 4180 with LF, CRLF or CR line ends; a UTF-8 byte order mark and blank lines at the end are left out. The first
/// row is a header unless every cell of it is a number (or missing, beside at least one number); columns without a name
/// are called column1, column2, … by their position.
///
/// A reader of our own: of the packaged ones, libcsv gives neither line numbers nor ragged rows to its caller, Fast C++
/// CSV Parser fixes the columns at compile time and ends a quoted cell at the line's end; neither reads gzip.
class CsvReader {
 public:
  /// Opens the file and reads the header.
  /// \throws Error FileProblem for a file that cannot be read or is of another kind (NotYetAvailable for kinds that a
  ///         later version reads), DataProblem for an empty file or a bad header.
  explicit CsvReader(const std::string& path);

  const std::string& path() const { return bytes_.path(); }
  bool has_header() const { return has_header_; }
  const std::vector<std::string>& columns() const { return columns_; }

  /// Positions (from 0) of columns whose name in the header was empty.
  const std::vector<std::size_t>& unnamed_columns() const { return unnamed_; }

  /// What to do about a file that seems to have another separator; empty where it does not.
  std::string separator_advice() const;

  /// The next row, which always has as many cells as there are columns; false at the end.
  /// \throws Error DataProblem for a ragged row, a stray or unterminated quote, a NUL byte, text that is not UTF-8.
  bool next(CsvRow& row);

 private:
  [[noreturn]] void refuse(std::int64_t line, std::size_t cell, std::string problem, std::string found,
                           std::string expected, std::string remedy) const;
  int peek();
  bool read_record();
  void read_quoted_cell();
  void read_plain_cell();
  void check_text(std::size_t begin) const;
  bool record_is_blank() const;
  void name_columns();
  void check_width() const;
  void expose(CsvRow& row) const;

  FileBytes bytes_;
  std::string_view piece_;
  std::size_t position_ = 0;
  bool ended_ = false;
  std::int64_t next_line_ = 1;

  // The current record: its cells one after another, unquoted, and where each ends.
  std::string text_;
  std::vector<std::size_t> ends_;
  std::int64_t line_ = 0;
  bool quoted_ = false;  // at least one cell was

  bool has_header_ = false;
  bool first_is_data_ = false;   // the first record waits in text_ because there is no header
  std::int64_t blank_line_ = 0;  // blank lines before a row of a file with one column: rows with a missing value
  std::int64_t blanks_ = 0;
  bool after_blanks_ = false;  // the row after them waits in text_
  std::vector<std::string> columns_;
  std::vector<std::size_t> unnamed_;
};

}  // namespace mantissa::data
