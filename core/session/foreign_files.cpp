// SPDX-License-Identifier: Apache-2.0
#include "core/session/foreign_files.h"

#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text_list.h"
#include "core/record/case_columns.h"
#include "core/session/foreign_table.h"

namespace mantissa::session {
namespace {

/// What `export cases` writes: its files are read, too.
std::vector<std::string> exported_columns() {
  return {
#define MANTISSA_COLUMN(member, column, type, description) column,
      MANTISSA_CASE_COLUMNS(MANTISSA_COLUMN)
#undef MANTISSA_COLUMN
  };
}

std::size_t id_column(const ForeignTable& table) {
  const std::optional<std::size_t> id = table.column("case");
  if (!id) table.refuse_row(1, "no column case", joined(table.columns()), "a column case with the ids of the cases");
  return *id;
}

std::vector<std::size_t> output_columns(const ForeignTable& table) {
  std::vector<std::size_t> outputs = table.indexed("output");
  if (outputs.empty())
    table.refuse_row(1, "no outputs", joined(table.columns()), "the columns output[0], output[1], …");
  return outputs;
}

std::string id_of(const ForeignTable& table, std::size_t column) {
  std::string id = table.text(column);
  if (id.empty()) table.refuse(column, "", "the id of a case");
  return id;
}

std::vector<double> numbers(const ForeignTable& table, const std::vector<std::size_t>& columns) {
  std::vector<double> values;
  values.reserve(columns.size());
  for (const std::size_t column : columns) values.push_back(table.number(column));
  return values;
}

/// Empty where every cell is; a case with a part of its targets has a hole in its file.
std::vector<double> target_of(const ForeignTable& table, const std::vector<std::size_t>& columns) {
  std::vector<double> values;
  for (const std::size_t column : columns) {
    if (const std::optional<double> value = table.finite_or_empty(column)) values.push_back(*value);
  }
  if (values.empty() || values.size() == columns.size()) return values;
  for (const std::size_t column : columns) {
    if (!table.finite_or_empty(column)) table.refuse(column, "a part of the targets is missing", "a finite number");
  }
  return values;
}

record::CaseKind kind_of(const ForeignTable& table, std::size_t column) {
  const std::optional<record::CaseKind> kind = record::case_kind_from_text(table.text(column));
  if (!kind) table.refuse(column, "", "ordinary, edge or boundary");
  return *kind;
}

}  // namespace

ForeignCases::ForeignCases(const std::string& reference_path, const std::string& trial_path)
    : reference_path_(reference_path), trial_path_(trial_path) {
  read_reference(reference_path);
  read_trial(trial_path);
}

void ForeignCases::refuse_target(std::size_t index, const std::string& problem, const std::string& expected) const {
  std::string found;
  for (const double value : rows[index].target) found += (found.empty() ? "" : ", ") + to_text(value);
  throw Error(ErrorKind::DataProblem, {problem, reference_path_, static_cast<int>(lines_[index]), 0,
                                       "column target, case " + rows[index].id, found, expected, ""});
}

void ForeignCases::refuse_outputs_beyond(double least, double most, const std::string& problem,
                                         const std::string& expected) const {
  const auto refuse_beyond = [&](const std::vector<double>& values, const char* name, const record::CaseRow& row,
                                 const std::string& path, std::int64_t line) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]) || (values[i] >= least && values[i] <= most)) continue;
      throw Error(ErrorKind::DataProblem, {problem, path, static_cast<int>(line), 0,
                                           "column " + (name + ('[' + std::to_string(i) + ']')) + ", case " + row.id,
                                           to_text(values[i]), expected, ""});
    }
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    refuse_beyond(rows[i].output_reference, "output", rows[i], reference_path_, lines_[i]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    refuse_beyond(rows[i].output, "output", rows[i], trial_path_, trial_lines_[i]);
    refuse_beyond(rows[i].output_same_weights, "output_same_weights", rows[i], trial_path_, trial_lines_[i]);
  }
}

void ForeignCases::read_reference(const std::string& path) {
  ForeignTable table(path);
  table.refuse_unknown(exported_columns(), "case, output[i], target, kind, slice");
  const std::size_t id = id_column(table);
  const std::vector<std::size_t> output = output_columns(table);
  const std::vector<std::size_t> target = table.indexed("target");
  const std::optional<std::size_t> kind = table.column("kind");
  const std::optional<std::size_t> slice = table.column("slice");
  outputs = output.size();
  targets = target.size();
  while (table.next()) {
    record::CaseRow row;
    row.id = id_of(table, id);
    const auto [other, fresh] = places_.emplace(row.id, rows.size());
    if (!fresh) {
      table.refuse(id, "a case twice",
                   "an id of its own for every case; line " + std::to_string(lines_[other->second]) + " has it, too");
    }
    row.output_reference = numbers(table, output);
    row.target = target_of(table, target);
    if (kind) row.kind = kind_of(table, *kind);
    if (slice) row.slice = table.text(*slice);
    rows.push_back(std::move(row));
    lines_.push_back(table.line());
  }
  if (rows.empty()) table.refuse_row(0, "no case", "a header alone", "a row for each case");
}

void ForeignCases::read_trial(const std::string& path) {
  ForeignTable table(path);
  table.refuse_unknown(exported_columns(), "case, output[i], output_same_weights[i]");
  const std::size_t id = id_column(table);
  const std::vector<std::size_t> output = output_columns(table);
  const std::vector<std::size_t> same_weights = table.indexed("output_same_weights");
  has_same_weights = !same_weights.empty();
  for (const std::vector<std::size_t>* const columns : {&output, &same_weights}) {
    if (columns->empty() || columns->size() == outputs) continue;
    table.refuse_row(
        1, "another width than the reference",
        std::to_string(columns->size()) + " columns " + without_index(table.columns()[columns->front()]) + "[i]",
        std::to_string(outputs) + ", as output[i] of " + reference_path_);
  }
  const std::vector<std::size_t> target = table.indexed("target");
  const std::optional<std::size_t> kind = table.column("kind");
  const std::optional<std::size_t> slice = table.column("slice");
  std::vector<std::int64_t>& seen = trial_lines_;
  seen.assign(rows.size(), 0);
  std::int64_t last = 1;
  while (table.next()) {
    last = table.line();
    const std::string name = id_of(table, id);
    const auto place = places_.find(name);
    if (place == places_.end()) table.refuse(id, "an unknown case", "a case of " + reference_path_);
    std::int64_t& line = seen[place->second];
    if (line != 0) {
      table.refuse(id, "a case twice",
                   "an id of its own for every case; line " + std::to_string(line) + " has it, too");
    }
    line = table.line();
    record::CaseRow& row = rows[place->second];
    row.output = numbers(table, output);
    row.output_same_weights = numbers(table, same_weights);
    const std::string as_there =
        "as line " + std::to_string(lines_[place->second]) + " of " + reference_path_ + " has it";
    if (!target.empty() && target_of(table, target) != row.target) {
      table.refuse(target.front(), "another target than the reference's", as_there);
    }
    if (kind && kind_of(table, *kind) != row.kind) {
      table.refuse(*kind, "another kind than the reference's", as_there);
    }
    if (slice && table.text(*slice) != row.slice) table.refuse(*slice, "another slice than the reference's", as_there);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (seen[i] != 0) continue;
    table.refuse_row(last, "a case is missing", "no case '" + rows[i].id + '\'',
                     "every case of " + reference_path_ + "; line " + std::to_string(lines_[i]) + " has it");
  }
}

}  // namespace mantissa::session
