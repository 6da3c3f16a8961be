// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/utf8.h"

namespace mantissa::data {

namespace {

constexpr int kEnd = -1;

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

std::string count_of(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

/// Refuses files that are something else, by their first bytes.
void refuse_other_kinds(const std::string& path, std::string_view start) {
  using namespace std::string_view_literals;
  std::string kind;
  if (starts_with(start, "\x93NUMPY"sv)) kind = "a NumPy .npy file";
  if (starts_with(start, "PK\x03\x04"sv)) kind = "a zip file (.npz, .pt or a packed folder)";
  if (starts_with(start, "\0\0"sv) && start.size() >= 4 && start[2] >= 0x08 && start[2] <= 0x0E && start[3] >= 1 &&
      start[3] <= 8) {
    kind = "an IDX file";
  }
  // safetensors: eight bytes of header size, then JSON.
  if (start.size() > 8 && start[8] == '{' && start.substr(0, 8).find('\0') != std::string_view::npos) {
    kind = "a safetensors file";
  }
  if (!kind.empty()) {
    ErrorFacts facts;
    facts.file = path;
    facts.problem = "this kind of data file is not yet available";
    facts.found = kind;
    facts.expected = "comma-separated text (.csv, .csv.gz)";
    facts.remedy = "Write the data as CSV";
    throw Error(ErrorKind::NotYetAvailable, std::move(facts));
  }
  if (starts_with(start, "\xFF\xFE"sv) || starts_with(start, "\xFE\xFF"sv)) {
    ErrorFacts facts;
    facts.file = path;
    facts.found = "text in UTF-16";
    facts.expected = "text in UTF-8";
    facts.remedy = "Save the file as UTF-8";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }
}

}  // namespace

CellValue value_of_cell(std::string_view cell) {
  const std::string_view text = without_blanks(cell);
  if (text.empty() || text == "NA" || text == "N/A" || text == "n/a") return {CellKind::Missing, 0.0};
  if (equal_ignoring_case(text, "nan")) return {CellKind::Nan, 0.0};
  const auto number = number_from_text(text);
  if (!number) return {CellKind::Text, 0.0};
  if (std::isnan(*number)) return {CellKind::Nan, 0.0};
  return {std::isinf(*number) ? CellKind::Infinite : CellKind::Number, *number};
}

CsvReader::CsvReader(const std::string& path) : bytes_(path) {
  piece_ = bytes_.next();
  refuse_other_kinds(path, piece_.substr(0, 16));
  if (starts_with(piece_, "\xEF\xBB\xBF")) position_ = 3;
  if (!read_record()) {
    refuse(0, 0, "the file is empty", "", "a row of column names or of numbers", "");
  }
  name_columns();
}

void CsvReader::refuse(std::int64_t line, std::size_t cell, std::string problem, std::string found,
                       std::string expected, std::string remedy) const {
  ErrorFacts facts;
  facts.file = path();
  facts.line = static_cast<int>(line);
  facts.column = static_cast<int>(cell);
  if (cell > 0) facts.subject = "column " + (cell <= columns_.size() ? columns_[cell - 1] : std::to_string(cell));
  facts.problem = std::move(problem);
  facts.found = std::move(found);
  facts.expected = std::move(expected);
  facts.remedy = std::move(remedy);
  throw Error(ErrorKind::DataProblem, std::move(facts));
}

int CsvReader::peek() {
  if (position_ == piece_.size()) {
    if (ended_) return kEnd;
    piece_ = bytes_.next();
    position_ = 0;
    if (piece_.empty()) {
      ended_ = true;
      return kEnd;
    }
  }
  return static_cast<unsigned char>(piece_[position_]);
}

bool CsvReader::read_record() {
  text_.clear();
  ends_.clear();
  quoted_ = false;
  line_ = next_line_;
  if (peek() == kEnd) return false;
  for (;;) {
    const std::size_t begin = text_.size();
    if (peek() == '"') {
      read_quoted_cell();
    } else {
      read_plain_cell();
    }
    check_text(begin);
    ends_.push_back(text_.size());
    const int end = peek();
    if (end == kEnd) return true;
    ++position_;
    if (end == ',') continue;
    if (end == '\r' && peek() == '\n') ++position_;
    ++next_line_;
    return true;
  }
}

void CsvReader::read_plain_cell() {
  while (peek() != kEnd) {
    const std::string_view rest = piece_.substr(position_);
    static constexpr std::string_view kStops(",\n\r\"\0", 5);
    const std::size_t length = std::min(rest.find_first_of(kStops), rest.size());
    text_.append(rest.data(), length);
    position_ += length;
    if (length == rest.size()) continue;
    if (rest[length] == '"') {
      refuse(line_, ends_.size() + 1, "a quote inside a cell that does not start with one", "", "",
             "Put the whole cell into quotes and write the quote twice");
    }
    if (rest[length] == '\0') {
      refuse(line_, ends_.size() + 1, "", "a NUL byte", "text in UTF-8", "Export the data as CSV again");
    }
    return;
  }
}

void CsvReader::read_quoted_cell() {
  const std::int64_t opened = next_line_;
  quoted_ = true;
  ++position_;
  for (int c = peek(); c != kEnd; c = peek()) {
    ++position_;
    if (c == '\0')
      refuse(next_line_, ends_.size() + 1, "", "a NUL byte", "text in UTF-8", "Export the data as CSV again");
    if (c == '"') {
      const int after = peek();
      if (after != '"') {
        if (after == ',' || after == '\n' || after == '\r' || after == kEnd) return;
        refuse(next_line_, ends_.size() + 1, "text after a closing quote", "", "a comma or the end of the line",
               "Write a quote inside a quoted cell twice");
      }
      ++position_;
    }
    if (c == '\n') ++next_line_;
    text_.push_back(static_cast<char>(c));
  }
  refuse(opened, ends_.size() + 1, "a quote that is never closed", "the end of the file", "a closing quote",
         "Close the quote, or write it twice where it belongs to the text");
}

void CsvReader::check_text(std::size_t begin) const {
  std::string_view cell = std::string_view(text_).substr(begin);
  const auto high = [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; };
  if (std::none_of(cell.begin(), cell.end(), high)) return;
  while (!cell.empty()) {
    const std::size_t length = utf8_length(cell);
    if (length == 0) {
      refuse(line_, ends_.size() + 1, "", "bytes that are not UTF-8", "text in UTF-8", "Save the file as UTF-8");
    }
    cell.remove_prefix(length);
  }
}

bool CsvReader::record_is_blank() const { return ends_.size() == 1 && !quoted_ && without_blanks(text_).empty(); }

void CsvReader::expose(CsvRow& row) const {
  row.line = line_;
  row.cells.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    row.cells.push_back(std::string_view(text_).substr(begin, end - begin));
    begin = end;
  }
}

void CsvReader::name_columns() {
  if (record_is_blank()) {
    refuse(line_, 0, "", "a blank line", "a row of column names or of numbers", "Remove the blank lines at the start");
  }
  CsvRow first;
  expose(first);
  bool number = false;
  bool text = false;
  for (const auto cell : first.cells) {
    const CellKind kind = value_of_cell(cell).kind;
    number = number || kind == CellKind::Number;
    text = text || kind == CellKind::Text;
  }
  has_header_ = text || !number;
  first_is_data_ = !has_header_;
  std::unordered_map<std::string, std::size_t> seen;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < first.cells.size(); ++i) {
    std::string name(has_header_ ? without_blanks(first.cells[i]) : std::string_view());
    if (name.empty()) {
      name = "column" + std::to_string(i + 1);
      if (has_header_) unnamed_.push_back(i);
    }
    const auto [other, fresh] = seen.emplace(name, i);
    if (!fresh) {
      refuse(line_, 0, "two columns have the same name",
             "'" + name + "' as columns " + std::to_string(other->second + 1) + " and " + std::to_string(i + 1),
             "a name of its own for every column", "Rename one of them");
    }
    names.push_back(std::move(name));
  }
  columns_ = std::move(names);
}

std::string CsvReader::separator_advice() const {
  if (columns_.size() != 1) return {};
  if (columns_[0].find(';') != std::string::npos) {
    return "The file seems to be separated by semicolons: save it with commas, and numbers with a decimal point";
  }
  if (columns_[0].find('\t') != std::string::npos) {
    return "The file seems to be separated by tabs: save it with commas";
  }
  return {};
}

void CsvReader::check_width() const {
  if (ends_.size() == columns_.size()) return;
  std::string remedy = separator_advice();
  if (remedy.empty()) remedy = "Put cells that hold a comma into quotes";
  refuse(line_, 0, "a row of another length", record_is_blank() ? "a blank line" : count_of(ends_.size(), "cell"),
         count_of(columns_.size(), "cell") + " as in line 1", remedy);
}

bool CsvReader::next(CsvRow& row) {
  if (first_is_data_) {
    first_is_data_ = false;
    expose(row);
    return true;
  }
  if (blanks_ == 0 && !after_blanks_) {
    bool found = false;
    while ((found = read_record()) && record_is_blank()) {
      if (blanks_++ == 0) blank_line_ = line_;
    }
    if (!found) {
      blanks_ = 0;  // blank lines at the end are no rows
      return false;
    }
    after_blanks_ = true;
  }
  if (blanks_ > 0) {
    if (columns_.size() > 1) {
      refuse(blank_line_, 0, "a blank line between rows", "", count_of(columns_.size(), "cell"), "Remove the line");
    }
    --blanks_;
    row.line = blank_line_++;
    row.cells.assign(1, std::string_view());
    return true;
  }
  after_blanks_ = false;
  check_width();
  expose(row);
  return true;
}

}  // namespace mantissa::data
