// SPDX-License-Identifier: Apache-2.0
#include "core/perf/gains.h"

#include <algorithm>
#include <cmath>

#include "core/perf/statistics.h"

namespace mantissa::perf {
namespace {

std::string method_of(const StepTimes& times, const std::string& clock) {
  return std::to_string(times.seconds.size()) + " repetitions of " + std::to_string(times.steps) +
         (times.steps == 1 ? " step" : " steps") +
         ", arms interleaved, on batches made before, probes off, warmed up, synchronised, " + clock +
         "; median and interquartile range; speed-up: geometric mean of the paired ratios with the 95 % Student t "
         "interval of their logarithms";
}

}  // namespace

record::Gains gains_of(const StepTimes& own, const StepTimes* reference, const Wishes& wishes,
                       const std::string& clock) {
  record::Gains gains;
  gains.repetitions = static_cast<std::int64_t>(own.seconds.size());
  gains.steps = own.steps;
  gains.samples = own.samples;
  std::vector<double> step_seconds;
  for (const double seconds : own.seconds) step_seconds.push_back(seconds / static_cast<double>(own.steps));
  gains.step_seconds = median(step_seconds);
  gains.step_seconds_spread = interquartile_range(step_seconds);
  gains.samples_per_second = static_cast<double>(own.samples) / static_cast<double>(own.steps) / gains.step_seconds;
  if (reference != nullptr) {
    const Interval ratio = ratio_of_pairs(reference->seconds, own.seconds, kConfidence);
    gains.speed_up = ratio.estimate;
    gains.speed_up_low = ratio.low;
    gains.speed_up_high = ratio.high;
  }
  gains.finish_seconds = static_cast<double>(wishes.planned_steps) * gains.step_seconds;
  gains.deadline_seconds = wishes.deadline_seconds;
  if (wishes.price_per_hour) {
    const double price_per_second = *wishes.price_per_hour / 3600.0;
    gains.cost_per_sample = price_per_second / gains.samples_per_second;
    gains.finish_cost = price_per_second * gains.finish_seconds;
  }
  gains.method = method_of(own, clock);
  return gains;
}

std::int64_t steps_that_fit(double round_seconds, double limit_seconds, std::int64_t repetitions,
                            std::int64_t most_steps) {
  const double fits = std::floor(limit_seconds / (round_seconds * static_cast<double>(repetitions)));
  if (!(fits >= 1.0)) return 0;
  return static_cast<std::int64_t>(std::min(fits, static_cast<double>(most_steps)));
}

}  // namespace mantissa::perf
