// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/memory/accumulated_forecast.h"
#include "core/memory/model_ledger.h"
#include "core/memory/plans.h"
#include "core/session/step_memory.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// What is known of one arm's step: enough for any microbatch and accumulation.
struct ArmForecast {
  std::string arm;                       ///< "reference", or a trial's name
  std::string policy;                    ///< "FP32", "FP16 autocast", "BF16 autocast"
  memory::AccumulatedForecast forecast;  ///< of its traces
  bool activation_checkpointing = false;
  std::vector<memory::TimedStep> timed;  ///< measured or typed; empty: none
};

/// The same experiment with activation checkpointing where it has none, and without where it has; nothing where its
/// model cannot take it.
std::optional<spec::Experiment> with_other_checkpointing(const spec::Experiment& experiment);

/// Of the arms that have traces at two microbatches at least; others failed, and say why themselves.
std::vector<ArmForecast> forecasts_of(const std::vector<ArmMemory>& arms, bool activation_checkpointing);

/// Each forecast as a way to compute a step on this device: what it needs is what PyTorch's allocator would reserve and
/// what is outside of it. The forecasts must outlive the options.
std::vector<memory::PlanOption> plan_options(const std::vector<ArmForecast>& forecasts, const memory::Device& device);

}  // namespace mantissa::session
