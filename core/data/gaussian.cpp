// SPDX-License-Identifier: Apache-2.0
#include "core/data/gaussian.h"

#include <cstddef>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/number_text.h"
#include "core/data/setting_error.h"

namespace mantissa::data {

namespace {

void refuse(const spec::Experiment& experiment, const std::string& key, std::string problem, std::string found,
            std::string expected) {
  ErrorFacts facts;
  facts.problem = std::move(problem);
  facts.found = std::move(found);
  facts.expected = std::move(expected);
  throw setting_error(experiment, key, std::move(facts));
}

std::vector<std::string> numbered(const char* letter, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

}  // namespace

Table gaussian_table(const spec::Experiment& experiment) {
  const spec::Data& data = experiment.data;
  const auto check = [&experiment](const char* key, std::int64_t value) {
    if (value < 1) refuse(experiment, std::string("data.") + key, "", std::to_string(value), "1 or more");
  };
  check("rows", data.rows);
  check("features", data.features);
  check("outputs", data.outputs);
  const bool columns = !data.columns.inputs.empty() || !data.columns.target.empty() || !data.columns.id.empty() ||
                       !data.columns.slice.empty();
  if (columns) refuse(experiment, "data.columns", "gaussian has no columns to choose from", "", "no such key");

  auto generator = at::detail::createCPUGenerator(data.seed);
  const auto options = at::TensorOptions(at::kFloat).device(at::kCPU);
  const at::Tensor x = at::randn({data.rows, data.features}, generator, options);
  const at::Tensor y = at::randn({data.rows, data.outputs}, generator, options);

  Table table;
  table.input_names = numbered("x", data.features);
  table.target_names = numbered("y", data.outputs);
  table.columns = table.input_names;
  table.columns.insert(table.columns.end(), table.target_names.begin(), table.target_names.end());
  const float* input = x.const_data_ptr<float>();
  table.inputs.assign(input, input + x.numel());
  const float* target = y.const_data_ptr<float>();
  const auto outputs = static_cast<std::size_t>(data.outputs);
  table.targets.resize(outputs);
  for (std::int64_t row = 0; row < data.rows; ++row) {
    table.ids.push_back(std::to_string(row + 1));
    for (auto& column : table.targets) {
      column.numbers.push_back(*target++);
      column.texts.push_back(to_text(column.numbers.back()));
      column.is_number.push_back(true);
    }
  }
  for (auto& column : table.targets) {
    column.any_number = true;
    column.all_whole = false;
    column.all_written_as_whole = false;
  }
  return table;
}

}  // namespace mantissa::data
