// SPDX-License-Identifier: Apache-2.0
#include "core/data/case_columns.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/setting_error.h"
#include "core/spec/expression.h"
#include "core/spec/written_rule.h"

namespace mantissa::data {
namespace {

using Value = spec::Expression::Value;
using Cell = std::function<Value(std::size_t row)>;

enum class Targets { Seen, Hidden };

/// How a column of this name is read; nothing where there is none.
Cell cell_of(const Table& table, const std::string& name, Targets targets = Targets::Seen) {
  const auto input = std::find(table.input_names.begin(), table.input_names.end(), name);
  if (input != table.input_names.end()) {
    const auto column = static_cast<std::size_t>(input - table.input_names.begin());
    return [&table, column](std::size_t row) -> Value { return table.inputs[row * table.input_names.size() + column]; };
  }
  const auto target = std::find(table.target_names.begin(), table.target_names.end(), name);
  if (target != table.target_names.end()) {
    if (targets == Targets::Hidden) return {};
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

[[noreturn]] void refuse_name(const spec::Experiment& experiment, const Table& table, const std::string& name,
                              const std::string& key, Targets targets) {
  std::vector<std::string> known = table.input_names;
  if (targets == Targets::Seen) known.insert(known.end(), table.target_names.begin(), table.target_names.end());
  known.emplace_back("id");
  if (!table.slices.empty()) known.emplace_back("slice");
  const bool is_target =
      std::find(table.target_names.begin(), table.target_names.end(), name) != table.target_names.end();
  ErrorFacts facts;
  facts.problem = is_target ? "a rule that sees the target predicts nothing" : "a name that is no column of the data";
  facts.found = '\'' + name + '\'';
  facts.expected = std::string(targets == Targets::Seen ? "an input or target column" : "an input column") +
                   ", such as " + nearest_names(name, known);
  throw setting_error(experiment, key, std::move(facts));
}

[[noreturn]] void refuse_in_row(const spec::Experiment& experiment, const Table& table, const std::string& key,
                                const Error& error, std::size_t row) {
  ErrorFacts facts = error.facts();
  facts.problem += ", in row " + table.ids[row] + ", column " + facts.subject;
  throw setting_error(experiment, key, std::move(facts));
}

std::vector<Cell> cells_of(const spec::Experiment& experiment, const Table& table, const spec::Expression& expression,
                           const std::string& key, Targets targets) {
  std::vector<Cell> cells;
  for (const std::string& name : expression.names()) {
    cells.push_back(cell_of(table, name, targets));
    if (!cells.back()) refuse_name(experiment, table, name, key, targets);
  }
  return cells;
}

/// What a column's value predicts.
double prediction_of(const Value& value, const std::vector<std::string>& class_names) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (std::holds_alternative<std::monostate>(value)) return kNothing;
  const double* const number = std::get_if<double>(&value);
  if (class_names.empty()) return number != nullptr ? *number : kNothing;
  const std::string text = number != nullptr ? to_text(*number) : std::string(std::get<std::string_view>(value));
  const auto found = std::find(class_names.begin(), class_names.end(), text);
  return found == class_names.end() ? kNothing : static_cast<double>(found - class_names.begin());
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
  const std::vector<Cell> cells = cells_of(experiment, table, expression, "cases.edge", Targets::Seen);
  std::vector<bool> edges;
  for (std::size_t row = 0; row < table.ids.size(); ++row) {
    try {
      edges.push_back(expression.holds([&](std::size_t name) { return cells[name](row); }));
    } catch (const Error& error) {
      refuse_in_row(experiment, table, "cases.edge", error, row);
    }
  }
  return edges;
}

std::vector<double> written_rule_values(const spec::Experiment& experiment, const Table& table, bool regression,
                                        const std::vector<std::string>& class_names) {
  const std::string key = "context.rule";
  if (experiment.context.rule.empty()) return {};
  const spec::WrittenRule rule(experiment.context.rule);
  if (regression && !rule.is_column()) {
    ErrorFacts facts;
    facts.problem = "a condition holds or does not: it predicts no number";
    facts.found = '\'' + experiment.context.rule + '\'';
    facts.expected = "the name of an input column that predicts the target, in the target's own unit";
    throw setting_error(experiment, key, std::move(facts));
  }
  const std::vector<Cell> cells = cells_of(experiment, table, rule.expression(), key, Targets::Hidden);
  std::vector<double> values;
  for (std::size_t row = 0; row < table.ids.size(); ++row) {
    if (rule.is_column()) {
      values.push_back(prediction_of(cells.front()(row), class_names));
      continue;
    }
    try {
      values.push_back(rule.expression().holds([&](std::size_t name) { return cells[name](row); }) ? 1.0 : 0.0);
    } catch (const Error& error) {
      refuse_in_row(experiment, table, key, error, row);
    }
  }
  return values;
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
