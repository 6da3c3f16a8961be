// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/gains.h"

namespace mantissa::perf {

/// The confidence of every interval that is shown.
inline constexpr double kConfidence = 0.95;

/// Durations of an arm's steps: one entry a repetition, all repetitions of the same steps.
struct StepTimes {
  std::int64_t steps = 0;    ///< of one repetition, at least 1
  std::int64_t samples = 0;  ///< rows of one repetition
  std::vector<double> seconds;
};

/// What the figures are to be worth.
struct Wishes {
  std::int64_t planned_steps = 0;          ///< of the experiment
  std::optional<double> deadline_seconds;  ///< budget.deadline
  std::optional<double> price_per_hour;    ///< budget.price_per_hour
};

/// The figures of one arm.
///
/// cost_per_sample = price_per_hour / 3600 / samples_per_second, finish_seconds = planned_steps * step_seconds. The
/// speed-up is the ratio of the reference's times to the arm's, repetition by repetition (`ratio_of_pairs`). \param
/// reference  of the same repetitions; nothing for the reference itself. At least 2 repetitions. \param clock  as the
/// method names it: "steady clock", "device events".
record::Gains gains_of(const StepTimes& own, const StepTimes* reference, const Wishes& wishes,
                       const std::string& clock);

/// How many steps a repetition may have so that all of them keep within the limit; 0 where not even one step fits.
/// \param round_seconds  one step of every arm after another.
/// \param most_steps  more are not worth the time.
std::int64_t steps_that_fit(double round_seconds, double limit_seconds, std::int64_t repetitions,
                            std::int64_t most_steps);

}  // namespace mantissa::perf
