// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_costs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/session/latency.h"
#include "core/train/batch_plan.h"

namespace mantissa::session {

void RunCosts::add(const train::Arm& arm, const spec::Trial* trial, std::optional<std::int64_t> peak_bytes) {
  names_.push_back(arm.name);
  bench_.add(arm, trial, peak_bytes);
}

void RunCosts::time_inference(std::vector<record::Costs>& costs, const std::function<bool()>& stop_requested) {
  LatencyBench bench(given_.cases);
  const precision::Policy none;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    train::Arm* const arm = bench_.arm(i);
    bench.add(names_[i], arm != nullptr ? arm->network.get() : nullptr, arm != nullptr ? arm->policy : none);
  }
  const train::BatchPlan plan(given_.prepared.experiment, given_.prepared.dataset.train);
  auto latency =
      bench.measure(latency_batches_of(given_.prepared.experiment, plan.batch()),
                    latency_limits_of(given_.effort, given_.training_seconds, given_.asked.rules), stop_requested);
  for (std::size_t i = 0; i < latency.size(); ++i) costs[i].latency = std::move(latency[i]);
}

std::vector<record::Costs> RunCosts::measure(const std::function<bool()>& stop_requested) {
  constexpr double kLeastWhereJudged = 2.0;  // s: an interval that decides takes more than one that is shown
  std::vector<record::Costs> costs(names_.size());
  time_inference(costs, stop_requested);
  GainsLimits limits = limits_of(given_.effort, given_.training_seconds);
  const bool is_judged = given_.asked.rules && !given_.asked.rules->cost.empty();
  if (is_judged) limits.seconds = std::max(limits.seconds, kLeastWhereJudged);
  auto gains = bench_.measure(limits, stop_requested);
  if (stop_requested && stop_requested()) return std::vector<record::Costs>(names_.size());
  for (std::size_t i = 0; i < gains.size(); ++i) costs[i].gains = std::move(gains[i]);
  return costs;
}

}  // namespace mantissa::session
