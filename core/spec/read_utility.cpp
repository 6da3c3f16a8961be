// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

const char* const kMatrix = "a row for each class, each with a number for each class: [[1, -5], [0, 2]]";

std::string size_words(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

std::vector<std::vector<double>> read_matrix(const Setting& setting) {
  if (setting.kind != Setting::Kind::Array) refuse(setting, kMatrix);
  const std::size_t classes = setting.items.size();
  std::vector<std::vector<double>> matrix;
  for (std::size_t i = 0; i < classes; ++i) {
    Setting row = setting.items[i];
    row.label = setting.label + '[' + std::to_string(i) + ']';
    if (row.kind != Setting::Kind::Array) refuse(row, kMatrix);
    if (row.items.size() != classes) {
      refuse_place(row,
                   "a row of " + std::to_string(row.items.size()) + " numbers in a matrix of " +
                       std::to_string(classes) + " rows",
                   "Give every truth a number for each decision: " + size_words(classes, classes));
    }
    std::vector<double>& values = matrix.emplace_back();
    for (std::size_t k = 0; k < classes; ++k) {
      Setting value = row.items[k];
      value.label = row.label + '[' + std::to_string(k) + ']';
      values.push_back(number_value(value, range::finite));
    }
  }
  if (classes < 2) {
    refuse_place(setting, "a matrix of " + size_words(classes, classes),
                 "There are at least two decisions to choose from", kMatrix);
  }
  return matrix;
}

}  // namespace

void read_utility(const Setting* table, Experiment& experiment) {
  if (table == nullptr) return;
  const TableReader reader(table);
  Utility utility;
  const Setting* const matrix = reader.find("matrix");
  if (matrix == nullptr) refuse_place(*table, "no matrix", "Set matrix = [[1, -5], [0, 2]]: rows are truths");
  if (task_told_by_the_file(experiment) == Task::LanguageModel) {
    refuse_place(*table, "a language model decides at every position, and has no decision of a case",
                 "Leave the table out");
  }
  utility.matrix = read_matrix(*matrix);
  reader.number("no_decision", utility.no_decision, range::finite);
  reader.text("unit", utility.unit);
  experiment.utility = std::move(utility);
}

}  // namespace mantissa::spec
