// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/csv.h"

namespace mantissa::data {

namespace {

constexpr double kLargestFloat16 = 65504.0;

/// The first cell of some kind: the problem names it.
struct FirstCell {
  std::int64_t line = 0;
  std::string text;

  void see(const CsvRow& row, std::size_t column) {
    if (line != 0) return;
    line = row.line;
    text = row.cells[column];
  }
};

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

class ColumnFacts {
 public:
  explicit ColumnFacts(const std::string& name) { summary_.name = name; }

  void see(const CsvRow& row, std::size_t column) {
    const CellValue value = value_of_cell(row.cells[column]);
    switch (value.kind) {
      case CellKind::Missing:
        ++summary_.missing;
        first_missing_.see(row, column);
        return;
      case CellKind::Nan:
      case CellKind::Infinite:
        ++summary_.non_finite;
        first_non_finite_.see(row, column);
        return;
      case CellKind::Text:
        ++texts_;
        first_text_.see(row, column);
        count_distinct(std::hash<std::string_view>()(row.cells[column]));
        return;
      case CellKind::Number:
        see_number(value.number + 0.0);
    }
  }

  CsvColumnSummary finish(const std::string& file, std::vector<std::string>& problems) {
    summary_.kind = texts_ > 0 ? "text" : numbers_ == 0 ? "empty" : whole_ ? "integer" : "number";
    summary_.distinct = static_cast<std::int64_t>(distinct_.size());
    const auto report = [&](std::int64_t line, std::string problem) {
      ErrorFacts facts;
      facts.file = file;
      facts.line = static_cast<int>(line);
      facts.subject = "column " + summary_.name;
      facts.problem = std::move(problem);
      problems.push_back(sentence(facts));
    };
    if (texts_ > 0 && numbers_ > 0) {
      report(first_text_.line, "'" + first_text_.text + "' is the first of " + counted(texts_, "text", "texts") +
                                   " among " + counted(numbers_, "number", "numbers"));
    }
    if (summary_.missing > 0) {
      report(first_missing_.line, "the first of " + counted(summary_.missing, "missing value", "missing values") +
                                      "; data.missing = \"drop\" leaves such rows out");
    }
    if (summary_.non_finite > 0) {
      report(first_non_finite_.line, "'" + first_non_finite_.text + "' is the first of " +
                                         counted(summary_.non_finite, "non-finite value", "non-finite values") +
                                         " already in the data");
    }
    if (summary_.beyond_float16 > 0 && texts_ == 0) {
      report(0, counted(summary_.beyond_float16, "value", "values") + " beyond the range of FP16 (±65504), from " +
                    to_text(summary_.minimum) + " to " + to_text(summary_.maximum));
    }
    return summary_;
  }

 private:
  void see_number(double number) {
    summary_.minimum = numbers_ == 0 ? number : std::min(summary_.minimum, number);
    summary_.maximum = numbers_ == 0 ? number : std::max(summary_.maximum, number);
    ++numbers_;
    whole_ = whole_ && number == std::trunc(number);
    if (std::abs(number) > kLargestFloat16) ++summary_.beyond_float16;
    count_distinct(std::hash<double>()(number));
  }

  void count_distinct(std::size_t hash) {
    if (summary_.distinct_is_at_least) return;
    if (distinct_.size() < static_cast<std::size_t>(kMostDistinct)) {
      distinct_.insert(hash);
    } else if (distinct_.count(hash) == 0) {
      summary_.distinct_is_at_least = true;
    }
  }

  CsvColumnSummary summary_;
  std::int64_t numbers_ = 0;
  std::int64_t texts_ = 0;
  bool whole_ = true;
  FirstCell first_missing_;
  FirstCell first_non_finite_;
  FirstCell first_text_;
  std::unordered_set<std::size_t> distinct_;  // of hashes: 64 bits make a collision among 100,000 values unlikely
};

}  // namespace

CsvSummary summarize_csv(const std::string& path) {
  CsvSummary summary;
  std::vector<ColumnFacts> facts;
  try {
    CsvReader reader(path);
    summary.header = reader.has_header();
    for (const auto& name : reader.columns()) facts.emplace_back(name);
    CsvRow row;
    while (reader.next(row)) {
      ++summary.rows;
      for (std::size_t i = 0; i < facts.size(); ++i) facts[i].see(row, i);
    }
    if (summary.rows == 0) {
      ErrorFacts nothing;
      nothing.file = path;
      nothing.problem = "the file has a header but no rows";
      summary.problems.push_back(sentence(nothing));
    }
  } catch (const Error& error) {
    // A file that cannot be opened or is of another kind has no summary; damage further down has one up to there.
    if (error.kind() != ErrorKind::DataProblem && facts.empty()) throw;
    summary.problems.push_back(sentence(error.facts()));
  }
  for (auto& column : facts) summary.columns.push_back(column.finish(path, summary.problems));
  return summary;
}

}  // namespace mantissa::data
