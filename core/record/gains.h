// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::record {

/// What an arm costs, measured after its validation. Nothing here is shown without `method`.
struct Gains {
  std::int64_t repetitions = 0;
  std::int64_t steps = 0;    ///< attempted steps of one repetition
  std::int64_t samples = 0;  ///< rows of one repetition

  double step_seconds = 0.0;         ///< median over the repetitions of their mean duration of a step
  double step_seconds_spread = 0.0;  ///< interquartile range of the same
  double samples_per_second = 0.0;   ///< at that median

  /// How many times the reference's time a step takes less: above 1 is faster. Nothing for a reference, and never
  /// measured for a trial that another rule than those on costs rejects.
  std::optional<double> speed_up;
  std::optional<double> speed_up_low;  ///< ends of the 95 % interval
  std::optional<double> speed_up_high;

  std::optional<std::int64_t> peak_bytes;  ///< most tensor memory alive within a step of the run
  double finish_seconds = 0.0;             ///< all planned steps of the experiment, this arm alone
  std::optional<double> deadline_seconds;  ///< budget.deadline
  std::optional<double> cost_per_sample;   ///< in the unit of budget.price_per_hour
  std::optional<double> finish_cost;       ///< of all planned steps
  std::string method;                      ///< one sentence: how often, how, with which clock
};

/// How long an arm takes to answer one batch of frozen cases, measured after its validation. Nothing here is shown
/// without `method`.
struct Latency {
  std::int64_t batch = 0;  ///< cases of a call
  std::int64_t calls = 0;  ///< that were timed; 0: `missing` says why

  std::optional<double> p50_seconds;  ///< percentiles of the calls; nothing where these are too few for one
  std::optional<double> p95_seconds;
  std::optional<double> p99_seconds;

  /// This arm's by the reference's, above 1 is slower, with the ends of the 95 % interval. Nothing for a reference.
  std::optional<double> p50_ratio, p50_ratio_low, p50_ratio_high;
  std::optional<double> p95_ratio, p95_ratio_low, p95_ratio_high;

  std::string method;   ///< one sentence: how often, how, with which clock
  std::string missing;  ///< why nothing was timed, as a clause; empty otherwise
};

/// What the interval of `p50_ratio` shows.
enum class Pace { Unknown, Faster, Same, Slower };
Pace pace_of(const Latency& latency);

/// What an arm costs to train and to use.
struct Costs {
  std::optional<Gains> gains;    ///< nothing: not measured
  std::vector<Latency> latency;  ///< by batch size; empty: not measured
};

}  // namespace mantissa::record
