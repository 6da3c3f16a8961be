// SPDX-License-Identifier: Apache-2.0
#include "core/session/planned_memory.h"

#include <map>
#include <set>
#include <utility>

namespace mantissa::session {
namespace {

std::string policy_of(const std::string& autocast) {
  if (autocast == "float16") return "FP16 autocast";
  if (autocast == "bfloat16") return "BF16 autocast";
  return "FP32";
}

}  // namespace

std::optional<spec::Experiment> with_other_checkpointing(const spec::Experiment& experiment) {
  switch (experiment.model.kind) {
    case spec::ModelKind::Linear:
    case spec::ModelKind::Lstm:
    case spec::ModelKind::TorchScript:
      return std::nullopt;  // nothing that could be computed again block by block
    default:
      break;
  }
  using spec::ActivationCheckpointing;
  ActivationCheckpointing now = experiment.training.activation_checkpointing;
  now = now == ActivationCheckpointing::Off ? ActivationCheckpointing::Blocks : ActivationCheckpointing::Off;
  spec::Experiment other = experiment;
  other.training.activation_checkpointing = now;
  return other;
}

std::vector<ArmForecast> forecasts_of(const std::vector<ArmMemory>& arms, bool activation_checkpointing) {
  std::vector<ArmForecast> forecasts;
  for (const ArmMemory& arm : arms) {
    // Accumulations that were traced at one microbatch alone, because the arm failed after it, say nothing.
    std::map<std::int64_t, std::set<std::int64_t>> microbatches;
    for (const record::StepTrace& trace : arm.traces) microbatches[trace.microbatches].insert(trace.microbatch);
    std::vector<record::StepTrace> usable;
    for (const record::StepTrace& trace : arm.traces) {
      if (microbatches[trace.microbatches].size() >= 2) usable.push_back(trace);
    }
    if (usable.empty()) continue;
    ArmForecast forecast{
        arm.name, policy_of(arm.autocast), memory::AccumulatedForecast(usable), activation_checkpointing, {}};
    for (const StepSeconds& time : arm.times) {
      forecast.timed.push_back({time.size.microbatch, time.size.accumulation, time.seconds});
    }
    forecasts.push_back(std::move(forecast));
  }
  return forecasts;
}

std::vector<memory::PlanOption> plan_options(const std::vector<ArmForecast>& forecasts, const memory::Device& device) {
  std::vector<memory::PlanOption> options;
  for (const ArmForecast& arm : forecasts) {
    memory::PlanOption option;
    option.policy = arm.policy;
    option.activation_checkpointing = arm.activation_checkpointing;
    option.need = [&arm, device](std::int64_t microbatch, std::int64_t accumulation) {
      const memory::ModelLedger ledger = memory::model_ledger_of(arm.forecast.at(microbatch, accumulation), device);
      return memory::Need{ledger.needed_bytes, ledger.fits, ledger.could_fit()};
    };
    option.timed = arm.timed;
    options.push_back(std::move(option));
  }
  return options;
}

}  // namespace mantissa::session
