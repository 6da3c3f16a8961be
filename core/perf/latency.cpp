// SPDX-License-Identifier: Apache-2.0
#include "core/perf/latency.h"

#include <algorithm>
#include <optional>

#include "core/perf/gains.h"
#include "core/perf/statistics.h"

namespace mantissa::perf {
namespace {

std::optional<Interval> ratio_at(double q, const CallTimes& own, const CallTimes& reference) {
  constexpr std::size_t kFewestPairs = 2;
  std::vector<double> ours;
  std::vector<double> theirs;
  for (std::size_t round = 0; round < own.size(); ++round) {
    ours.push_back(quantile(own[round], q));
    theirs.push_back(quantile(reference[round], q));
    // A clock that did not move has measured nothing.
    if (!(ours.back() > 0.0) || !(theirs.back() > 0.0)) return std::nullopt;
  }
  if (ours.size() < kFewestPairs) return std::nullopt;
  return ratio_of_pairs(ours, theirs, kConfidence);
}

std::string method_of(const CallTimes& times, const std::string& clock) {
  const std::size_t calls = times.front().size();
  return std::to_string(times.size()) + " rounds of " + std::to_string(calls) + (calls == 1 ? " call" : " calls") +
         ", arms interleaved by rounds with an untimed call before each, frozen cases in their order and from the "
         "first "
         "one again, inputs on the device, precision policy entered with each call, evaluation mode, probes off, "
         "warmed up, synchronised, " +
         clock + "; percentiles of all calls, p95 from " + std::to_string(kLeastCallsForP95) + " and p99 from " +
         std::to_string(kLeastCallsForP99) +
         " calls on; ratio: geometric mean of the rounds' ratios with the 95 % Student t interval of their logarithms";
}

}  // namespace

record::Latency latency_of(std::int64_t batch, const CallTimes& own, const CallTimes* reference,
                           const std::string& clock) {
  record::Latency latency;
  latency.batch = batch;
  std::vector<double> all;
  for (const std::vector<double>& round : own) all.insert(all.end(), round.begin(), round.end());
  latency.calls = static_cast<std::int64_t>(all.size());
  latency.method = method_of(own, clock);
  const bool has_p95 = latency.calls >= kLeastCallsForP95;
  latency.p50_seconds = quantile(all, 0.5);
  if (has_p95) latency.p95_seconds = quantile(all, 0.95);
  if (latency.calls >= kLeastCallsForP99) latency.p99_seconds = quantile(all, 0.99);
  if (reference == nullptr) return latency;
  if (const std::optional<Interval> ratio = ratio_at(0.5, own, *reference)) {
    latency.p50_ratio = ratio->estimate;
    latency.p50_ratio_low = ratio->low;
    latency.p50_ratio_high = ratio->high;
  }
  if (!has_p95) return latency;
  if (const std::optional<Interval> ratio = ratio_at(0.95, own, *reference)) {
    latency.p95_ratio = ratio->estimate;
    latency.p95_ratio_low = ratio->low;
    latency.p95_ratio_high = ratio->high;
  }
  return latency;
}

}  // namespace mantissa::perf
