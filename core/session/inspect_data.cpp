// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/data/csv.h"
#include "core/data/csv_summary.h"
#include "core/data/idx.h"
#include "core/data/pair.h"
#include "core/data/text.h"
#include "core/session/inspect.h"
#include "core/session/plain_failures.h"

namespace mantissa::session {
namespace {

constexpr double kLargestFloat16 = 65504.0;

InspectedData inspect_table(const std::string& path) {
  const data::CsvSummary summary = data::summarize_csv(path);
  InspectedData inspected;
  inspected.format = "table";
  inspected.rows = summary.rows;
  inspected.header = summary.header;
  inspected.problems = summary.problems;
  for (const data::CsvColumnSummary& column : summary.columns) {
    inspected.columns.push_back({column.name, column.kind, column.minimum, column.maximum, column.missing,
                                 column.non_finite, column.distinct, column.beyond_float16 > 0});
  }
  return inspected;
}

/// All elements of an IDX file as one column.
InspectedData inspect_idx(const std::string& path) {
  const data::IdxArray array = data::read_idx(path);
  InspectedData inspected;
  inspected.format = "idx";
  inspected.rows = array.rows();
  inspected.shape = array.shape;
  InspectedColumn elements;
  elements.name = array.type;
  elements.kind = array.integers() ? "integer" : "number";
  std::set<double> distinct;
  bool any = false;
  for (const double value : array.values) {
    if (!std::isfinite(value)) {
      ++elements.non_finite;
      continue;
    }
    elements.minimum = any ? std::min(elements.minimum, value) : value;
    elements.maximum = any ? std::max(elements.maximum, value) : value;
    any = true;
    elements.beyond_float16 = elements.beyond_float16 || std::abs(value) > kLargestFloat16;
    if (static_cast<std::int64_t>(distinct.size()) < data::kMostDistinct) distinct.insert(value);
  }
  elements.distinct = static_cast<std::int64_t>(distinct.size());
  if (elements.non_finite > 0) {
    inspected.problems.push_back(path + ": " + std::to_string(elements.non_finite) +
                                 " elements that are not finite are already in the data.");
  }
  inspected.columns.push_back(std::move(elements));
  return inspected;
}

/// A text as one column of characters; its lines are the rows.
InspectedData inspect_text(const std::string& path) {
  const data::Text text = data::read_text(path);
  InspectedData inspected;
  inspected.format = "text";
  inspected.shape = {static_cast<std::int64_t>(text.characters.size())};
  inspected.rows = text.line_of(text.characters.size() - 1);
  InspectedColumn characters;
  characters.name = "characters";
  characters.kind = "text";
  characters.distinct = static_cast<std::int64_t>(data::vocabulary_of(text).size());
  inspected.columns.push_back(std::move(characters));
  for (const std::string& note : text.notes) inspected.problems.push_back(note + '.');
  return inspected;
}

/// Every row has the same two or more cells: a text hardly ever looks so.
bool reads_as_table(const std::string& path) {
  try {
    data::CsvReader reader(path);
    if (reader.columns().size() < 2) return false;
    data::CsvRow row;
    while (reader.next(row)) {
    }
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::DataProblem) throw;
    return false;
  }
}

bool is_called_text(std::string path) {
  const auto ends_with = [&path](std::string_view end) {
    return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  if (ends_with(".gz")) path.resize(path.size() - 3);
  return ends_with(".txt");
}

}  // namespace

InspectedData inspect_data(const std::string& path) {
  const auto by_kind = [&path] {
    if (data::is_idx(path)) return inspect_idx(path);
    if (is_called_text(path) && !reads_as_table(path)) return inspect_text(path);
    return inspect_table(path);
  };
  return with_plain_errors(path, "while the file was read", "Look at a part of it", by_kind);
}

}  // namespace mantissa::session
