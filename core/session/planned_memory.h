// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/memory/accumulated_forecast.h"
#include "core/memory/model_ledger.h"
#include "core/memory/plans.h"
#include "core/session/step_memory.h"

namespace mantissa::session {

/// What is known of one arm's step: enough for any microbatch and accumulation.
struct ArmForecast {
  std::string arm;                       ///< "reference", or a trial's name
  std::string policy;                    ///< "FP32", "FP16 autocast", "BF16 autocast"
  memory::AccumulatedForecast forecast;  ///< of its traces
  std::vector<memory::TimedStep> timed;  ///< measured or typed; empty: none
};

/// Of the arms that have traces at two microbatches at least; others failed, and say why themselves.
std::vector<ArmForecast> forecasts_of(const std::vector<ArmMemory>& arms);

/// Each forecast as a way to compute a step on this device: what it needs is what PyTorch's allocator would reserve and
/// what is outside of it. The forecasts must outlive the options.
std::vector<memory::PlanOption> plan_options(const std::vector<ArmForecast>& forecasts, const memory::Device& device);

}  // namespace mantissa::session
