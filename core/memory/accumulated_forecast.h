// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/memory/step_forecast.h"
#include "core/record/memory_trace.h"

namespace mantissa::memory {

/// The memory of one arm's step at any microbatch and any accumulation, from traces with one, two and three
/// microbatches.
///
/// With one, the gradients of the step before are gone when forward begins; with two or more, those of the microbatches
/// before are there, which can make the peak higher. A third microbatch repeats the second and adds what a step keeps
/// of every microbatch until its end: its inputs, and outputs that are compared. All further ones add as much again.
class AccumulatedForecast {
 public:
  /// \param traces  at two or more different microbatches for every number of microbatches that is among them
  /// \throws Error InvalidSetting  as StepForecast, and for no trace
  explicit AccumulatedForecast(const std::vector<record::StepTrace>& traces);

  /// The step of so many microbatches. More than were traced: the most that were, and what each further one keeps: the
  /// difference of the peaks of the two largest traced numbers (of two and more microbatches), or else its inputs.
  /// Fewer than were traced: the fewest that were.
  /// \throws Error InvalidSetting  for numbers below 1, or sizes beyond 64 bits
  record::StepTrace at(std::int64_t microbatch, std::int64_t accumulation) const;

  /// Of the longest trace: what `at` copies, and a replay goes through.
  std::size_t events() const;

  /// Whether two traces at least of the number of microbatches that `at` would take agree in their events; see
  /// StepForecast.
  bool is_joined(std::int64_t accumulation) const;

 private:
  std::map<std::int64_t, StepForecast>::const_iterator nearest(std::int64_t accumulation) const;

  std::map<std::int64_t, StepForecast> by_accumulation_;
};

}  // namespace mantissa::memory
