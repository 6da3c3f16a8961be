// SPDX-License-Identifier: Apache-2.0
#include "core/data/split.h"

#include <cmath>
#include <numeric>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/base/number_text.h"
#include "core/data/dataset.h"
#include "core/data/setting_error.h"

namespace mantissa::data {

namespace {

at::Tensor permutation(std::int64_t rows, std::uint64_t seed) {
  return at::randperm(rows, at::detail::createCPUGenerator(seed), at::TensorOptions(at::kLong).device(at::kCPU));
}

[[noreturn]] void refuse_fraction(const spec::Experiment& experiment, double fraction, std::string problem,
                                  std::string expected) {
  ErrorFacts facts;
  facts.problem = std::move(problem);
  facts.found = to_text(fraction);
  facts.expected = std::move(expected);
  facts.remedy = "Choose a smaller fraction, or test = { fraction = 0 } for no test part";
  throw setting_error(experiment, "data.test.fraction", std::move(facts));
}

}  // namespace

Split split_rows(const spec::Experiment& experiment, const spec::TestPart& part, std::int64_t rows) {
  if (!(part.fraction >= 0.0 && part.fraction < 1.0)) {
    refuse_fraction(experiment, part.fraction, "", "a number from 0 to below 1");
  }
  Split split;
  if (part.fraction == 0.0) {
    split.train.resize(static_cast<std::size_t>(rows));
    std::iota(split.train.begin(), split.train.end(), 0);
    return split;
  }
  // nearbyint rounds halves to even in the default rounding mode.
  const auto tested = static_cast<std::int64_t>(std::nearbyint(part.fraction * static_cast<double>(rows)));
  if (tested >= rows) {
    refuse_fraction(experiment, part.fraction, "no row is left to train on",
                    "a fraction that leaves at least one of " + std::to_string(rows) + (rows == 1 ? " row" : " rows") +
                        " for training");
  }
  const at::Tensor order = permutation(rows, part.seed);
  const std::int64_t* row = order.const_data_ptr<std::int64_t>();
  split.test.assign(row, row + tested);
  split.train.assign(row + tested, row + rows);
  return split;
}

at::Tensor epoch_order(const spec::Experiment& experiment, std::int64_t rows, std::int64_t epoch) {
  if (experiment.data.order == spec::Order::File) return at::arange(rows, at::TensorOptions(at::kLong));
  return permutation(rows, experiment.training.seed + static_cast<std::uint64_t>(epoch));
}

}  // namespace mantissa::data
