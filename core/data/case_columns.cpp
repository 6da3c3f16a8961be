// SPDX-License-Identifier: Apache-2.0
#include "core/data/case_columns.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/data/setting_error.h"
#include "core/spec/expression.h"

namespace mantissa::data {
namespace {

using Value = spec::Expression::Value;
using Cell = std::function<Value(std::size_t row)>;

/// How a column of this name is read; nothing where there is none.
Cell cell_of(const Table& table, const std::string& name) {
  const auto input = std::find(table.input_names.begin(), table.input_names.end(), name);
  if (input != table.input_names.end()) {
    const auto column = static_cast<std::size_t>(input - table.input_names.begin());
    return [&table, column](std::size_t row) -> Value { return table.inputs[row * table.input_names.size() + column]; };
  }
  const auto target = std::find(table.target_names.begin(), table.target_names.end(), name);
  if (target != table.target_names.end()) {
    const TargetColumn& column = table.targets[static_cast<std::size_t>(target - table.target_names.begin())];
    return [&column](std::size_t row) -> Value {
      if (column.is_number[row]) return column.numbers[row];
      return std::string_view(column.texts[row]);
    };
  }
  if (name == "id") {
    return [&table](std::size_t row) -> Value { return std::string_view(table.ids[row]); };
  }
  if (name == "slice" && !table.slices.empty()) {
    return [&table](std::size_t row) -> Value { return std::string_view(table.slices[row]); };
  }
  return {};
}

[[noreturn]] void refuse_name(const spec::Experiment& experiment, const Table& table, const std::string& name) {
  std::vector<std::string> known = table.input_names;
  known.insert(known.end(), table.target_names.begin(), table.target_names.end());
  known.emplace_back("id");
  if (!table.slices.empty()) known.emplace_back("slice");
  ErrorFacts facts;
  facts.problem = "a name that is no column of the data";
  facts.found = '\'' + name + '\'';
  facts.expected = "an input or target column, such as " + nearest_names(name, known);
  throw setting_error(experiment, "cases.edge", std::move(facts));
}

/// The inputs of a row as bytes. They are compared as they were read: 0 and -0 are two values here.
std::string_view bytes_of_row(const Table& table, std::size_t row) {
  const std::size_t width = table.input_names.size();
  return {reinterpret_cast<const char*>(table.inputs.data() + row * width), width * sizeof(double)};
}

}  // namespace

std::vector<bool> edge_rows(const spec::Experiment& experiment, const Table& table) {
  if (experiment.cases.edge.empty()) return {};
  const spec::Expression expression(experiment.cases.edge);
  std::vector<Cell> cells;
  for (const std::string& name : expression.names()) {
    cells.push_back(cell_of(table, name));
    if (!cells.back()) refuse_name(experiment, table, name);
  }
  std::vector<bool> edges;
  for (std::size_t row = 0; row < table.ids.size(); ++row) {
    try {
      edges.push_back(expression.holds([&](std::size_t name) { return cells[name](row); }));
    } catch (const Error& error) {
      ErrorFacts facts = error.facts();
      facts.problem += ", in row " + table.ids[row] + ", column " + facts.subject;
      throw setting_error(experiment, "cases.edge", std::move(facts));
    }
  }
  return edges;
}

std::int64_t rows_in_training(const Table& cases, const Table& data, const std::vector<std::int64_t>& training_rows) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t row = 0; row < cases.ids.size(); ++row) seen.insert(bytes_of_row(cases, row));
  std::unordered_set<std::string_view> both;
  for (const std::int64_t row : training_rows) {
    const auto found = seen.find(bytes_of_row(data, static_cast<std::size_t>(row)));
    if (found != seen.end()) both.insert(*found);
  }
  std::int64_t count = 0;
  for (std::size_t row = 0; row < cases.ids.size(); ++row) {
    if (both.count(bytes_of_row(cases, row)) > 0) ++count;
  }
  return count;
}

}  // namespace mantissa::data
