// SPDX-License-Identifier: Apache-2.0
#include "core/session/foreign_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/edit_distance.h"
#include "core/base/error.h"

namespace mantissa::session {
namespace {

constexpr char kNumber[] = "a number, NaN, Infinity or -Infinity";

/// A number with more digits before its point than FP64 holds is a slip, not an infinity.
bool has_digit(std::string_view text) { return text.find_first_of("0123456789") != std::string_view::npos; }

}  // namespace

std::string without_index(const std::string& column) {
  const std::size_t open = column.find('[');
  return open == std::string::npos || column.back() != ']' ? column : column.substr(0, open);
}

ForeignTable::ForeignTable(const std::string& path) : reader_(path) {
  if (reader_.has_header()) return;
  refuse_row(1, "no header", "numbers alone", "a row with the names of the columns");
}

std::optional<std::size_t> ForeignTable::column(std::string_view name) const {
  const auto found = std::find(columns().begin(), columns().end(), name);
  if (found == columns().end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns().begin());
}

std::vector<std::size_t> ForeignTable::indexed(const std::string& name) const {
  std::vector<std::size_t> places;
  while (const auto place = column(name + '[' + std::to_string(places.size()) + ']')) places.push_back(*place);
  const auto count =
      static_cast<std::size_t>(std::count_if(columns().begin(), columns().end(), [&name](const std::string& one) {
        return one != name && without_index(one) == name;
      }));
  if (count != places.size()) {
    refuse_row(1, "a column is left out", std::to_string(count) + " columns " + name + "[i]",
               name + '[' + std::to_string(places.size()) + "], because they count from 0 without a gap");
  }
  if (const auto alone = column(name)) {
    if (!places.empty()) refuse_row(1, "", name + " beside " + name + "[0]", "one of them");
    places.push_back(*alone);
  }
  return places;
}

void ForeignTable::refuse_unknown(const std::vector<std::string>& known, const std::string& expected) const {
  for (const std::string& column : columns()) {
    if (std::find(known.begin(), known.end(), without_index(column)) != known.end()) continue;
    std::string remedy = reader_.separator_advice();
    const std::string near = nearest_names(without_index(column), known);
    if (remedy.empty() && !near.empty()) remedy = "Did you mean " + near.substr(0, near.find(',')) + '?';
    refuse_row(1, "an unknown column", '\'' + column + '\'', expected, remedy);
  }
}

double ForeignTable::number(std::size_t column) const {
  const std::string_view cell = row_.cells[column];
  const data::CellValue value = data::value_of_cell(cell);
  switch (value.kind) {
    case data::CellKind::Nan:
      return std::numeric_limits<double>::quiet_NaN();
    case data::CellKind::Infinite:
      if (has_digit(cell)) refuse(column, "too large for FP64", kNumber);
      return value.number;
    case data::CellKind::Number:
      return value.number;
    default:
      refuse(column, "", kNumber);
  }
}

std::optional<double> ForeignTable::finite_or_empty(std::size_t column) const {
  if (row_.cells[column].empty()) return std::nullopt;
  const data::CellValue value = data::value_of_cell(row_.cells[column]);
  if (value.kind != data::CellKind::Number) refuse(column, "", "a finite number, or an empty cell for none");
  return value.number;
}

void ForeignTable::refuse(std::size_t column, const std::string& problem, const std::string& expected) const {
  ErrorFacts facts;
  facts.problem = problem;
  facts.file = reader_.path();
  facts.line = static_cast<int>(row_.line);
  facts.column = static_cast<int>(column) + 1;
  facts.subject = "column " + columns()[column];
  facts.found = '\'' + text(column) + '\'';
  facts.expected = expected;
  throw Error(ErrorKind::DataProblem, std::move(facts));
}

void ForeignTable::refuse_row(std::int64_t line, const std::string& problem, const std::string& found,
                              const std::string& expected, const std::string& remedy) const {
  throw Error(ErrorKind::DataProblem,
              {problem, reader_.path(), static_cast<int>(line), 0, "", found, expected, remedy});
}

}  // namespace mantissa::session
