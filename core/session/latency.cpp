// SPDX-License-Identifier: Apache-2.0
#include "core/session/latency.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/perf/gains.h"
#include "core/precision/forward_scope.h"
#include "core/session/evaluation_mode.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

constexpr std::int64_t kMostBatches = 16;  // different ones that the calls go through in turn

bool judges_latency(const std::optional<spec::Rules>& rules) {
  if (!rules) return false;
  return std::any_of(rules->cost.begin(), rules->cost.end(),
                     [](const spec::CostRule& rule) { return rule.max_latency_p95_ratio.has_value(); });
}

record::Latency not_timed(std::int64_t batch, const std::string& why) {
  record::Latency latency;
  latency.batch = batch;
  latency.missing = why;
  return latency;
}

/// A clause: sentences of failures end with a full stop.
std::string clause(std::string sentence) {
  while (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

}  // namespace

LatencyLimits latency_limits_of(MeasureGains effort, double training_seconds, const std::optional<spec::Rules>& rules) {
  constexpr double kLong = 15.0;
  constexpr double kMost = 3.0;
  constexpr double kLeast = 0.2;
  LatencyLimits limits;
  limits.seconds = std::clamp(0.05 * training_seconds, kLeast, kMost);
  if (judges_latency(rules)) limits.seconds = kMost;
  if (effort == MeasureGains::Long) limits.seconds = kLong;
  return limits;
}

std::vector<std::int64_t> latency_batches_of(const spec::Experiment& experiment, std::int64_t training_batch) {
  std::vector<std::int64_t> batches{1, training_batch};
  if (experiment.cases.latency_batches) batches = *experiment.cases.latency_batches;
  std::sort(batches.begin(), batches.end());
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  return batches;
}

void LatencyBench::add(const std::string& name, model::Network* network, const precision::Policy& policy) {
  lanes_.push_back({name, network, policy, {}, {}});
}

void LatencyBench::use(Stopwatch stopwatch, std::string method) {
  stopwatch_ = std::move(stopwatch);
  clock_ = std::move(method);
}

std::vector<LatencyBench::Batch> LatencyBench::batches_of(std::int64_t size, const c10::Device& device) const {
  const std::int64_t cases = cases_.inputs.size(0);
  const std::int64_t count = std::clamp((cases + size - 1) / size, std::int64_t{1}, kMostBatches);
  std::vector<Batch> batches;
  for (std::int64_t number = 0; number < count; ++number) {
    const at::Tensor rows = at::arange(number * size, (number + 1) * size, at::kLong).remainder(cases);
    batches.push_back(
        {cases_.inputs.index_select(0, rows).to(device), cases_.targets.index_select(0, rows).to(device)});
  }
  return batches;
}

void LatencyBench::answer(Lane& lane, const Batch& batch) const {
  const precision::ForwardScope scope(lane.policy, lane.network->device().type());
  const at::Tensor output = lane.network->compute(batch.inputs, batch.targets).prediction;
}

void LatencyBench::attempt(Lane& lane, const std::function<void()>& work) const {
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    lane.missing = clause(train::failure_of(error, "while its inference was timed").text);
  }
}

/// Seconds of one call of every arm that is left.
double LatencyBench::warm_up(const std::vector<Batch>& batches, const LatencyLimits& limits) {
  double round_seconds = 0.0;
  for (Lane& lane : lanes_) {
    double seconds = 0.0;
    for (int call = 0; lane.missing.empty() && call < 3; ++call) {
      attempt(lane, [&] { seconds = stopwatch_([&] { answer(lane, batches.front()); }); });
      if (seconds > limits.seconds) break;  // it cannot be timed within the limit, so no more of it
    }
    if (lane.missing.empty()) round_seconds += seconds;
  }
  return round_seconds;
}

bool LatencyBench::repeat(const std::vector<Batch>& batches, std::int64_t rounds, std::int64_t calls,
                          const std::function<bool()>& stop_requested) {
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < lanes_.size(); ++turn) {
      Lane& lane = lanes_[round % 2 == 0 ? turn : lanes_.size() - 1 - turn];
      if (!lane.missing.empty()) continue;
      std::vector<double>& times = lane.times.emplace_back();
      attempt(lane, [&] { answer(lane, batches.front()); });
      for (std::int64_t call = 0; lane.missing.empty() && call < calls; ++call) {
        if (stop_requested && stop_requested()) return false;
        const Batch& batch = batches[static_cast<std::size_t>(call) % batches.size()];
        attempt(lane, [&] { times.push_back(stopwatch_([&] { answer(lane, batch); })); });
      }
    }
  }
  return true;
}

bool LatencyBench::measure_at(std::int64_t size, const LatencyLimits& limits,
                              const std::function<bool()>& stop_requested) {
  std::vector<Batch> batches;
  Lane& reference = lanes_.front();
  attempt(reference, [&] { batches = batches_of(size, reference.network->device()); });
  if (!reference.missing.empty()) return true;
  const double round_seconds = warm_up(batches, limits);
  const std::int64_t calls = perf::steps_that_fit(round_seconds, limits.seconds, limits.rounds, limits.most_calls);
  if (calls > 0) return repeat(batches, limits.rounds, calls, stop_requested);
  for (Lane& lane : lanes_) {
    if (!lane.missing.empty()) continue;
    lane.missing = std::to_string(limits.rounds) + " calls of all arms take longer than the time set aside for them";
  }
  return true;
}

record::Latency LatencyBench::figures_of(const Lane& lane, std::int64_t size) const {
  const Lane& reference = lanes_.front();
  if (!reference.missing.empty()) return not_timed(size, reference.missing);
  if (!lane.missing.empty()) return not_timed(size, lane.missing);
  return perf::latency_of(size, lane.times, &lane == &reference ? nullptr : &reference.times, clock_);
}

std::vector<std::vector<record::Latency>> LatencyBench::measure(const std::vector<std::int64_t>& batches,
                                                                const LatencyLimits& limits,
                                                                const std::function<bool()>& stop_requested) {
  std::vector<std::vector<record::Latency>> latency(lanes_.size());
  if (lanes_.empty() || lanes_.front().network == nullptr || batches.empty() || cases_.inputs.size(0) == 0) {
    return latency;
  }
  const at::NoGradGuard no_grad;
  std::vector<std::unique_ptr<EvaluationMode>> evaluations;
  for (Lane& lane : lanes_) {
    if (lane.network != nullptr) evaluations.push_back(std::make_unique<EvaluationMode>(*lane.network));
  }
  if (!stopwatch_) {
    timer_ = std::make_unique<cuda::DeviceTimer>(lanes_.front().network->device());
    use(
        [this](const std::function<void()>& work) {
          timer_->start();
          work();
          return timer_->stop();
        },
        timer_->method());
  }
  LatencyLimits share = limits;
  share.seconds /= static_cast<double>(batches.size());
  for (const std::int64_t size : batches) {
    for (Lane& lane : lanes_) {
      lane.times.clear();
      lane.missing = lane.network == nullptr ? "it does not fit into memory beside the others" : "";
    }
    if (!measure_at(size, share, stop_requested)) {
      return std::vector<std::vector<record::Latency>>(lanes_.size());
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) latency[i].push_back(figures_of(lanes_[i], size));
  }
  return latency;
}

}  // namespace mantissa::session
