// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>

#include "core/record/step_record.h"

namespace mantissa::ui::run {

/// How far an arm is from the reference in one step, by what is compared and how.
enum class Measure {
  OutputMax,
  OutputRmse,
  OutputRelative,
  OutputCosine,  ///< 1 − cosine: a distance, as the others are
  OutputUlp,
  Loss,  ///< with its sign
  GradientRelative,
  GradientCosine,  ///< 1 − cosine
  WeightRelative,
};
inline constexpr std::size_t kMeasures = 9;

/// Trajectory: both runs as they went. Shadow: the reference's weights under the trial's policy.
enum class Comparison { Trajectory, Shadow };

/// What the page keeps of a step.
enum class Quantity {
  Loss,
  Scale,
  GrowthTracker,
  GradientNorm,        ///< unscaled, before clipping
  ScaledGradientNorm,  ///< before unscaling
  LearningRate,
  StepsPerSecond,
  SamplesPerSecond,
  LiveMemory,       ///< bytes
  PeakMemory,       ///< bytes
  FirstTrajectory,  ///< from here kMeasures of the trajectory, then kMeasures of the shadow
  FirstShadow = FirstTrajectory + static_cast<int>(kMeasures),
};
inline constexpr std::size_t kQuantities = static_cast<std::size_t>(Quantity::FirstShadow) + kMeasures;

using Quantities = std::bitset<kQuantities>;

constexpr Quantity deviation(Measure measure, Comparison comparison) {
  const auto first = comparison == Comparison::Trajectory ? Quantity::FirstTrajectory : Quantity::FirstShadow;
  return static_cast<Quantity>(static_cast<int>(first) + static_cast<int>(measure));
}

/// Outputs, root mean square, trajectory: the deviation that glance and counters tell.
inline constexpr Quantity kMainDeviation = deviation(Measure::OutputRmse, Comparison::Trajectory);

constexpr bool isDeviation(Quantity quantity) { return quantity >= Quantity::FirstTrajectory; }
constexpr Comparison comparisonOf(Quantity quantity) {
  return quantity < Quantity::FirstShadow ? Comparison::Trajectory : Comparison::Shadow;
}

/// What is always kept of an arm that is shown, beside what its charts need: glance, counters and step records tell it.
Quantities alwaysKept();

/// Nothing where the step does not have it. \param samplesBefore  that the arm had seen before this step
std::optional<double> valueOf(const record::StepRecord& step, Quantity quantity, std::int64_t samplesBefore);

}  // namespace mantissa::ui::run
