// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/quantity.h"

namespace mantissa::ui::run {
namespace {

using Real = std::optional<double>;

/// The columns of one comparison, in the order of Measure.
using Columns = Real record::StepRecord::*const[kMeasures];

constexpr Columns kTrajectory = {
    &record::StepRecord::deviation_output_max,        &record::StepRecord::deviation_output_rmse,
    &record::StepRecord::deviation_output_relative,   &record::StepRecord::deviation_output_cosine,
    &record::StepRecord::deviation_output_ulp,        &record::StepRecord::deviation_loss,
    &record::StepRecord::deviation_gradient_relative, &record::StepRecord::deviation_gradient_cosine,
    &record::StepRecord::deviation_weight_relative,
};
constexpr Columns kShadow = {
    &record::StepRecord::shadow_output_max,        &record::StepRecord::shadow_output_rmse,
    &record::StepRecord::shadow_output_relative,   &record::StepRecord::shadow_output_cosine,
    &record::StepRecord::shadow_output_ulp,        &record::StepRecord::shadow_loss,
    &record::StepRecord::shadow_gradient_relative, &record::StepRecord::shadow_gradient_cosine,
    &record::StepRecord::shadow_weight_relative,
};

Real deviationOf(const record::StepRecord& step, Quantity quantity) {
  const bool trajectory = comparisonOf(quantity) == Comparison::Trajectory;
  const Quantity first = trajectory ? Quantity::FirstTrajectory : Quantity::FirstShadow;
  const auto measure = static_cast<std::size_t>(static_cast<int>(quantity) - static_cast<int>(first));
  const Real value = step.*(trajectory ? kTrajectory : kShadow)[measure];
  const bool cosine = measure == static_cast<std::size_t>(Measure::OutputCosine) ||
                      measure == static_cast<std::size_t>(Measure::GradientCosine);
  return cosine && value ? Real(1.0 - *value) : value;
}

Real perSecond(double count, const Real& seconds) {
  if (!seconds || !(*seconds > 0.0)) return std::nullopt;
  return count / *seconds;
}

Real real(const std::optional<std::int64_t>& count) { return count ? Real(static_cast<double>(*count)) : std::nullopt; }

}  // namespace

Quantities alwaysKept() {
  Quantities kept;
  for (const Quantity quantity : {Quantity::Loss, Quantity::Scale, Quantity::GradientNorm, kMainDeviation}) {
    kept.set(static_cast<std::size_t>(quantity));
  }
  return kept;
}

Real valueOf(const record::StepRecord& step, Quantity quantity, std::int64_t samplesBefore) {
  switch (quantity) {
    case Quantity::Loss:
      return step.loss;
    case Quantity::Scale:
      return step.scale_before;
    case Quantity::GrowthTracker:
      return step.scale_before ? Real(static_cast<double>(step.growth_tracker)) : std::nullopt;
    case Quantity::GradientNorm:
      return step.grad_norm;
    case Quantity::ScaledGradientNorm:
      return step.grad_norm_scaled;
    case Quantity::LearningRate:
      return step.lr;
    case Quantity::StepsPerSecond:
      return perSecond(1.0, step.step_seconds);
    case Quantity::SamplesPerSecond:
      return perSecond(static_cast<double>(step.samples - samplesBefore), step.step_seconds);
    case Quantity::LiveMemory:
      return real(step.live_bytes);
    case Quantity::PeakMemory:
      return real(step.peak_bytes);
    default:
      return deviationOf(step, quantity);
  }
}

}  // namespace mantissa::ui::run
