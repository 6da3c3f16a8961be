// SPDX-License-Identifier: Apache-2.0
#include "core/data/pair.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/file_bytes.h"
#include "core/data/idx.h"
#include "core/data/setting_error.h"

namespace mantissa::data {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : " × ") + std::to_string(size);
  return text;
}

std::vector<std::string> numbered(char letter, std::int64_t count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 1; i <= count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

/// An IDX file has no column to leave out or to call an id.
void refuse_columns_of_idx(const Roles& roles, const std::string& key, bool named, const std::string& path) {
  if (!named) return;
  ErrorFacts facts;
  facts.problem = "an IDX file has no columns to name";
  facts.found = path;
  facts.expected = "no such key beside IDX files";
  facts.remedy = "Leave the key out, or give the data as CSV";
  throw setting_error(*roles.experiment, "data.columns." + key, std::move(facts));
}

void refuse_non_finite(const IdxArray& array) {
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    if (std::isfinite(array.values[i])) continue;
    const auto row = static_cast<std::int64_t>(i) / array.row_size();
    ErrorFacts facts;
    facts.file = array.path;
    facts.subject = "row " + std::to_string(row + 1) + ", element " +
                    std::to_string(static_cast<std::int64_t>(i) % array.row_size() + 1);
    facts.problem = "a number that is not finite is already in the data";
    facts.found = to_text(array.values[i]);
    facts.expected = "a finite number";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }
}

Table idx_inputs(const std::string& path, const Roles& roles) {
  const bool repeated = roles.same_columns_as != nullptr;  // then the roles name what the first file settled
  refuse_columns_of_idx(roles, "inputs", !repeated && !roles.columns.inputs.empty(), path);
  refuse_columns_of_idx(roles, "integers", !roles.columns.integers.empty(), path);
  refuse_columns_of_idx(roles, "id", !roles.columns.id.empty(), path);
  refuse_columns_of_idx(roles, "slice", !roles.columns.slice.empty(), path);
  IdxArray array = read_idx(path);
  refuse_non_finite(array);
  Table table;
  table.file = path;
  if (array.shape.size() > 2) table.item_shape.assign(array.shape.begin() + 1, array.shape.end());
  if (repeated && (table.item_shape != roles.same_columns_as->item_shape ||
                   static_cast<std::size_t>(array.row_size()) != roles.same_columns_as->input_names.size())) {
    const std::vector<std::int64_t> found(array.shape.begin() + 1, array.shape.end());
    const auto& expected = roles.same_columns_as->item_shape;
    ErrorFacts facts;
    facts.file = path;
    facts.problem = "the rows have another shape than those of " + roles.same_columns_as->file;
    facts.found = found.empty() ? "1" : shape_text(found);
    facts.expected =
        expected.empty() ? std::to_string(roles.same_columns_as->input_names.size()) : shape_text(expected);
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }
  table.input_names = numbered('x', array.row_size());
  table.columns = table.input_names;
  table.integer_inputs.assign(table.input_names.size(), false);
  table.ids.reserve(static_cast<std::size_t>(array.rows()));
  for (std::int64_t row = 1; row <= array.rows(); ++row) table.ids.push_back(std::to_string(row));
  table.inputs = std::move(array.values);
  return table;
}

Table idx_targets(const std::string& path, const Roles& roles) {
  refuse_columns_of_idx(roles, "target", roles.same_columns_as == nullptr && !roles.columns.target.empty(), path);
  const IdxArray array = read_idx(path);
  refuse_non_finite(array);
  Table table;
  table.file = path;
  table.target_names = numbered('y', array.row_size());
  table.targets.resize(table.target_names.size());
  for (auto& column : table.targets) {
    column.any_number = true;
    column.all_written_as_whole = array.integers();
  }
  const auto width = static_cast<std::size_t>(array.row_size());
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    TargetColumn& column = table.targets[i % width];
    const double value = array.values[i];
    column.numbers.push_back(value);
    column.texts.push_back(to_text(value));
    column.is_number.push_back(true);
    column.all_whole = column.all_whole && value == std::trunc(value);
  }
  for (std::int64_t row = 1; row <= array.rows(); ++row) table.ids.push_back(std::to_string(row));
  return table;
}

}  // namespace

bool is_idx(const std::string& path) { return looks_like_idx(path, FileBytes(path).next()); }

Table read_pair(const std::string& inputs, const std::string& targets, const Roles& roles) {
  if (roles.missing == spec::Missing::Drop) {
    ErrorFacts facts;
    facts.problem = "rows cannot be left out of one of two files";
    facts.expected = "data.missing = \"refuse\" where inputs and targets are files of their own";
    facts.remedy = "Remove incomplete rows from both files, or give one file with all columns as data.path";
    throw setting_error(*roles.experiment, "data.missing", std::move(facts));
  }
  Roles of_inputs = roles;
  of_inputs.wanted = Roles::Wanted::Inputs;
  of_inputs.columns.target.clear();
  Table table = is_idx(inputs) ? idx_inputs(inputs, of_inputs) : read_table(inputs, of_inputs);

  Roles of_targets = roles;
  of_targets.wanted = Roles::Wanted::Targets;
  of_targets.columns = {};
  of_targets.columns.target = roles.columns.target;
  Table labels;
  if (is_idx(targets)) {
    labels = idx_targets(targets, of_targets);
  } else {
    of_targets.same_columns_as = nullptr;
    labels = read_table(targets, of_targets);
  }
  if (labels.rows() != table.rows()) {
    ErrorFacts facts;
    facts.file = targets;
    facts.problem = "the files of inputs and targets have other numbers of rows";
    facts.found = std::to_string(labels.rows()) + (labels.rows() == 1 ? " target" : " targets");
    facts.expected = std::to_string(table.rows()) + ", one for every row of " + inputs;
    facts.remedy = "Give the targets that belong to the inputs";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }
  table.targets_file = targets;
  table.target_names = std::move(labels.target_names);
  table.targets = std::move(labels.targets);
  table.target_lines = std::move(labels.lines);
  table.notes.insert(table.notes.end(), labels.notes.begin(), labels.notes.end());
  return table;
}

}  // namespace mantissa::data
