// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/memory_trace.h"
#include "ui/worker/traced_experiment.h"

namespace mantissa::test {

/// What a made-up step allocates, for each of its samples.
struct StepShape {
  std::int64_t events = 4;   ///< half of them allocations in forward, freed in backward
  std::int64_t unit = 512;   ///< bytes of the first block; the next ones have 2 to 7 times as many, and so on
  std::int64_t inputs = 0;   ///< bytes held for each microbatch of the step
  std::int64_t padding = 0;  ///< blocks of 512 bytes whatever the samples, each freed at once, before all else
};

inline record::StepTrace stepOf(std::int64_t microbatch, const StepShape& shape, std::int64_t accumulation = 1) {
  using Kind = record::MemoryEvent::Kind;
  record::StepTrace step;
  step.microbatch = microbatch;
  step.microbatches = accumulation;
  step.has_update = true;
  step.modules = {"", "layers.0", "layers.1"};
  for (std::int64_t i = 0; shape.inputs > 0 && i < accumulation; ++i) {
    step.blocks.push_back({record::MemoryCategory::Inputs, 0});
    step.events.push_back({Kind::Allocate, record::StepPart::BeforeForward, i, shape.inputs * microbatch});
    ++step.held;
  }
  for (std::int64_t i = 0; i < shape.padding; ++i) {
    const auto block = static_cast<std::int64_t>(step.blocks.size());
    step.blocks.push_back({record::MemoryCategory::Temporaries, 0});
    step.events.push_back({Kind::Allocate, record::StepPart::Forward, block, 512});
    step.events.push_back({Kind::Free, record::StepPart::Forward, block, 0});
  }
  const auto first = static_cast<std::int64_t>(step.blocks.size());
  const std::int64_t blocks = shape.events / 2;
  for (std::int64_t block = 0; block < blocks; ++block) {
    step.blocks.push_back(
        {record::MemoryCategory::SavedActivations, static_cast<std::int32_t>(1 + block * 2 / blocks)});
    step.events.push_back(
        {Kind::Allocate, record::StepPart::Forward, first + block, (1 + block % 7) * shape.unit * microbatch});
  }
  for (std::int64_t block = blocks - 1; block >= 0; --block) {
    step.events.push_back({Kind::Free, record::StepPart::Backward, first + block, 0});
  }
  return step;
}

/// A reference and a trial whose steps are alike, of an effective batch of 16; a step of 16 samples takes 0.1 s.
inline ui::worker::TracedExperiment tracedOf(const spec::Experiment& experiment, const StepShape& shape) {
  ui::worker::TracedExperiment traced;
  traced.experiment = experiment;
  traced.trace.planned = {16, 1};
  traced.trace.sizes = {{8, 1}, {16, 1}};
  for (const char* const arm : {"reference", "fp16"}) {
    const std::vector<record::StepTrace> steps = {stepOf(8, shape), stepOf(16, shape)};
    traced.forecasts.push_back({arm,
                                std::string(arm) == "fp16" ? "FP16 autocast" : "FP32",
                                mantissa::memory::AccumulatedForecast(steps),
                                false,
                                {{16, 1, 0.1}}});
  }
  return traced;
}

}  // namespace mantissa::test
