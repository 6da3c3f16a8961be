// SPDX-License-Identifier: Apache-2.0
#include "core/session/step_memory.h"

#include <algorithm>
#include <memory>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/session/plain_failures.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"
#include "core/train/arm.h"
#include "core/train/step_trace.h"

namespace mantissa::session {
namespace {

/// Rows from the beginning of the data, from the beginning again where there are too few, in tensors of their own.
train::Window window_of(const Prepared& prepared, std::int64_t microbatch) {
  const data::Part& part = prepared.dataset.train;
  const c10::Device device = prepared.network->device();
  train::Window window;
  for (std::int64_t i = 0; i < prepared.experiment.training.accumulate; ++i) {
    const at::Tensor rows = at::arange(i * microbatch, (i + 1) * microbatch).remainder(part.rows());
    window.microbatches.push_back(
        {part.inputs.index_select(0, rows).to(device), part.targets.index_select(0, rows).to(device)});
    window.samples += microbatch;
  }
  return window;
}

ArmMemory trace_arm(const Prepared& prepared, const spec::Trial* trial, const std::vector<std::int64_t>& microbatches,
                    const StopToken& stop) {
  ArmMemory memory;
  memory.name = trial == nullptr ? "reference" : trial->name;
  memory.autocast = trial == nullptr ? "off" : spec::to_text(trial->autocast);
  for (const std::int64_t microbatch : microbatches) {
    if (stop.requested()) break;
    try {
      memory.traces.push_back(train::trace_step(
          [&] {
            return std::make_unique<train::Arm>(memory.name, prepared.network->clone(), prepared.experiment, trial);
          },
          [&] { return window_of(prepared, microbatch); }));
    } catch (const Error& error) {
      if (error.facts().subject != memory.name) throw;
      memory.failure = error.facts().problem;  // of this arm: the others may do well
      break;
    }
  }
  return memory;
}

}  // namespace

std::vector<ArmMemory> trace_memory(const spec::Experiment& experiment, const std::vector<std::int64_t>& microbatches,
                                    const StopToken& stop) {
  for (const std::int64_t microbatch : microbatches) {
    if (microbatch < 1) {
      throw Error(ErrorKind::InvalidSetting,
                  {"", "", 0, 0, "microbatch", std::to_string(microbatch), "at least 1", ""});
    }
  }
  std::vector<ArmMemory> arms;
  with_plain_words(experiment.file, [&] {
    const Prepared prepared = prepare(experiment);
    arms.push_back(trace_arm(prepared, nullptr, microbatches, stop));
    for (const spec::Trial& trial : experiment.trials) arms.push_back(trace_arm(prepared, &trial, microbatches, stop));
  });
  return arms;
}

}  // namespace mantissa::session
