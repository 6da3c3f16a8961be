// SPDX-License-Identifier: Apache-2.0
#include "core/session/input_quality.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/judge/wording.h"

namespace mantissa::session {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kChunkRows = 4096;  // so that no second copy of a large set is made

/// Calls `use` with the first row of each chunk and the chunk as FP64 [rows, columns].
template <class Use>
void by_chunks(const at::Tensor& inputs, const Use& use) {
  for (std::int64_t first = 0; first < inputs.size(0); first += kChunkRows) {
    const std::int64_t length = std::min(kChunkRows, inputs.size(0) - first);
    use(first, inputs.narrow(0, first, length).to(at::kDouble).reshape({length, -1}));
  }
}

/// Smallest and largest finite value by column; infinities the other way round where there is none.
struct Range {
  at::Tensor low, high;
};

Range range_of(const at::Tensor& inputs, std::int64_t columns) {
  Range range{at::full({columns}, kInfinity, at::TensorOptions(at::kDouble)),
              at::full({columns}, -kInfinity, at::TensorOptions(at::kDouble))};
  by_chunks(inputs, [&](std::int64_t, const at::Tensor& chunk) {
    const at::Tensor finite = chunk.isfinite();
    range.low = at::minimum(range.low, chunk.masked_fill(finite.logical_not(), kInfinity).amin(0));
    range.high = at::maximum(range.high, chunk.masked_fill(finite.logical_not(), -kInfinity).amax(0));
  });
  return range;
}

std::vector<std::int64_t> integers_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.to(at::kLong).contiguous();
  const auto* const data = whole.const_data_ptr<std::int64_t>();
  return {data, data + whole.numel()};
}

std::vector<double> numbers_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.to(at::kDouble).contiguous();
  const auto* const data = whole.const_data_ptr<double>();
  return {data, data + whole.numel()};
}

std::string name_of(const data::Dataset& dataset, std::int64_t column) {
  const auto place = static_cast<std::size_t>(column);
  return place < dataset.input_names.size() ? dataset.input_names[place] : "input " + std::to_string(column);
}

std::string names_of(const data::Dataset& dataset, const at::Tensor& marks) {
  std::vector<std::string> names;
  for (const std::int64_t column : integers_of(at::nonzero(marks).flatten())) names.push_back(name_of(dataset, column));
  return judge::first_three(names);
}

}  // namespace

record::InputQuality input_quality(const data::Dataset& dataset, const FrozenCases& cases) {
  const at::NoGradGuard no_grad;
  record::InputQuality quality;
  if (dataset.task == spec::Task::LanguageModel) {
    quality.missing = "the inputs are characters of one vocabulary, not columns";
    return quality;
  }
  quality.cases = cases.inputs.size(0);
  if (quality.cases == 0 || dataset.train.rows() == 0) {
    quality.missing = quality.cases == 0 ? "there are no frozen cases" : "the training part is empty";
    return quality;
  }
  quality.columns = cases.inputs.numel() / quality.cases;
  const Range training = range_of(dataset.train.inputs, quality.columns);
  const Range frozen = range_of(cases.inputs, quality.columns);
  at::Tensor non_finite = at::zeros({quality.columns}, at::TensorOptions(at::kLong));
  at::Tensor outside = at::zeros({quality.columns}, at::TensorOptions(at::kLong));
  by_chunks(cases.inputs, [&](std::int64_t first, const at::Tensor& chunk) {
    const at::Tensor bad = chunk.isfinite().logical_not();
    const at::Tensor beyond = (chunk < training.low).logical_or(chunk > training.high).logical_and(bad.logical_not());
    non_finite += bad.sum(0);
    outside += beyond.sum(0);
    const std::vector<std::int64_t> bad_of_case = integers_of(bad.sum(1));
    const std::vector<std::int64_t> beyond_of_case = integers_of(beyond.sum(1));
    for (std::size_t i = 0; i < bad_of_case.size(); ++i) {
      if (bad_of_case[i] == 0 && beyond_of_case[i] == 0) continue;
      record::InputCase& one = quality.of_cases.emplace_back();
      one.position = first + static_cast<std::int64_t>(i);
      const record::CaseRow& row = cases.rows[static_cast<std::size_t>(one.position)];
      one.id = row.id;
      one.slice = row.slice;
      one.non_finite = bad_of_case[i];
      one.outside = beyond_of_case[i];
      const auto index = static_cast<std::int64_t>(i);
      one.columns = names_of(dataset, bad[index].logical_or(beyond[index]));
    }
  });
  const std::vector<std::int64_t> bad_of_column = integers_of(non_finite);
  const std::vector<std::int64_t> beyond_of_column = integers_of(outside);
  const std::vector<std::int64_t> constant = integers_of(frozen.low == frozen.high);
  const std::vector<double> low = numbers_of(training.low);
  const std::vector<double> high = numbers_of(training.high);
  for (std::size_t column = 0; column < bad_of_column.size(); ++column) {
    const bool is_constant = quality.cases > 1 && constant[column] != 0 && bad_of_column[column] == 0;
    if (!is_constant && bad_of_column[column] == 0 && beyond_of_column[column] == 0) continue;
    record::InputColumn& noted = quality.noted.emplace_back();
    noted.position = static_cast<std::int64_t>(column);
    noted.name = name_of(dataset, noted.position);
    if (low[column] <= high[column]) {
      noted.training_minimum = low[column];
      noted.training_maximum = high[column];
    }
    noted.constant = is_constant;
    noted.non_finite = bad_of_column[column];
    noted.outside = beyond_of_column[column];
  }
  return quality;
}

}  // namespace mantissa::session
