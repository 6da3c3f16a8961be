// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/spec/expression.h"
#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

/// Whether the names are columns is known once the data is read.
void read_edge(const Setting& setting, std::string& edge) {
  edge = text_value(setting);
  try {
    const Expression expression(edge);
  } catch (const Error& error) {
    const ErrorFacts& facts = error.facts();
    refuse_place(
        setting,
        "no expression: " + facts.found + " at character " + std::to_string(facts.column) + " of " + quoted(edge),
        facts.remedy, facts.expected);
  }
}

/// The rows of a text are its windows: they have no columns.
void refuse_columns_of_a_text(const Setting& setting, const Data& data) {
  if (!is_language_model(data)) return;
  refuse_place(setting, "the data is a text, which has no columns", "Leave the key out");
}

std::vector<std::int64_t> read_latency_batches(const Setting& setting) {
  const std::string expected =
      "a list of at most " + std::to_string(most_latency_batches) + " batch sizes, such as [1, 64]; [] times nothing";
  if (setting.kind != Setting::Kind::Array || setting.items.size() > most_latency_batches) refuse(setting, expected);
  std::vector<std::int64_t> batches;
  for (const Setting& item : setting.items) {
    const std::int64_t batch = integer_value(item, 1, largest_latency_batch);
    if (std::find(batches.begin(), batches.end(), batch) != batches.end()) refuse(item, "each batch size once");
    batches.push_back(batch);
  }
  return batches;
}

}  // namespace

void read_cases(const Setting* setting, const std::string& folder, Experiment& experiment) {
  const TableReader table(setting);
  Cases& cases = experiment.cases;
  table.integer("holdout", cases.holdout, 0);
  table.integer("boundary", cases.boundary, 0);
  table.integer("golden", cases.golden, 0);
  if (const Setting* const edge = table.find("edge")) {
    refuse_columns_of_a_text(*edge, experiment.data);
    read_edge(*edge, cases.edge);
  }
  if (const Setting* const batches = table.find("latency_batches")) {
    cases.latency_batches = read_latency_batches(*batches);
  }
  if (const Setting* const path = table.find("path")) {
    refuse_columns_of_a_text(*path, experiment.data);
    cases.path_as_written = text_value(*path);
    cases.path = resolved(folder, cases.path_as_written);
  }
}

}  // namespace mantissa::spec
