// SPDX-License-Identifier: Apache-2.0
#include "core/session/step_memory.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/memory/step_forecast.h"
#include "core/perf/statistics.h"
#include "core/session/plain_failures.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"
#include "core/train/arm.h"
#include "core/train/batch_plan.h"
#include "core/train/lone_step.h"
#include "core/train/step_trace.h"

namespace mantissa::session {
namespace {

/// Rows from the beginning of the data, from the beginning again where there are too few, in tensors of their own.
train::Window window_of(const Prepared& prepared, const StepSize& size) {
  const data::Part& part = prepared.dataset.train;
  const c10::Device device = prepared.network->device();
  train::Window window;
  for (std::int64_t i = 0; i < size.accumulation; ++i) {
    const at::Tensor rows = at::arange(i * size.microbatch, (i + 1) * size.microbatch).remainder(part.rows());
    window.microbatches.push_back(
        {part.inputs.index_select(0, rows).to(device), part.targets.index_select(0, rows).to(device)});
    window.samples += size.microbatch;
  }
  return window;
}

/// Steps after one that warms up: a few, and no more after half a second.
double seconds_of_a_step(train::Arm& arm, const train::Window& window) {
  constexpr std::size_t kMostSteps = 7;
  constexpr double kEnoughSeconds = 0.5;
  const auto timed_step = [&] {
    const auto begin = std::chrono::steady_clock::now();
    train::lone_step(arm, window);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  timed_step();
  std::vector<double> seconds;
  double sum = 0.0;
  while (seconds.size() < kMostSteps && (seconds.empty() || sum < kEnoughSeconds)) {
    seconds.push_back(timed_step());
    sum += seconds.back();
  }
  return perf::median(seconds);
}

bool fills_history(const spec::Experiment& experiment) {
  const std::vector<spec::Optimizer>& optimizers = experiment.training.optimizers;
  return std::any_of(optimizers.begin(), optimizers.end(),
                     [](const spec::Optimizer& optimizer) { return optimizer.kind == spec::OptimizerKind::Lbfgs; });
}

/// LBFGS fills its history with a pair of flat tensors an update; the traced step, the second, finds one of them. A
/// full history holds one more for a moment: the new pair is made before the oldest goes.
void fill_history(const train::Arm& arm, const spec::Experiment& experiment, record::StepTrace& trace) {
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    if (arm.optimizers[i].kind != "lbfgs") continue;
    std::int64_t bytes = 0;
    for (const std::size_t place : arm.optimizers[i].parameters) {
      bytes += static_cast<std::int64_t>(arm.network->parameters()[place].tensor.nbytes());
    }
    memory::CategoryBytes flat{};
    flat[static_cast<std::size_t>(record::MemoryCategory::OptimizerState)] = bytes;
    memory::hold_more(trace, flat, 2 * experiment.training.optimizers[i].history_size);
  }
}

ArmMemory trace_arm(const Prepared& prepared, const spec::Trial* trial, const std::vector<StepSize>& sizes,
                    bool with_times, const StopToken& stop) {
  ArmMemory memory;
  memory.name = trial == nullptr ? "reference" : trial->name;
  memory.autocast = trial == nullptr ? "off" : spec::to_text(trial->autocast);
  const auto make_arm = [&] {
    return std::make_unique<train::Arm>(memory.name, prepared.network->clone(), prepared.experiment, trial);
  };
  for (const StepSize& size : sizes) {
    if (stop.requested()) break;
    try {
      memory.traces.push_back(train::trace_step(make_arm, [&] { return window_of(prepared, size); }));
      if (fills_history(prepared.experiment)) fill_history(*make_arm(), prepared.experiment, memory.traces.back());
      if (with_times && !stop.requested()) {
        memory.times.push_back({size, seconds_of_a_step(*make_arm(), window_of(prepared, size))});
      }
    } catch (const Error& error) {
      if (error.facts().subject != memory.name) throw;
      memory.failure = error.facts().problem;  // of this arm: the others may do well
      break;
    }
  }
  return memory;
}

void require_at_least_one(const char* field, std::int64_t found) {
  if (found >= 1) return;
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, std::to_string(found), "at least 1", ""});
}

}  // namespace

std::vector<StepSize> sizes_around(std::int64_t microbatch) {
  const std::int64_t middle = std::max<std::int64_t>(microbatch, 4);
  std::vector<StepSize> sizes;
  for (const std::int64_t accumulation : {1, 2, 3}) {
    for (const std::int64_t around : {middle / 2, middle, 2 * middle}) sizes.push_back({around, accumulation});
  }
  return sizes;
}

TracedMemory trace_memory(const spec::Experiment& experiment, const MemoryQuestion& question, const StopToken& stop) {
  for (const StepSize& size : question.sizes) {
    require_at_least_one("microbatch", size.microbatch);
    require_at_least_one("accumulation", size.accumulation);
  }
  TracedMemory traced;
  with_plain_words(experiment.file, [&] {
    const Prepared prepared = prepare(experiment);
    const train::BatchPlan plan(prepared.experiment, prepared.dataset.train);
    traced.planned = {plan.batch(), prepared.experiment.training.accumulate};
    traced.updates = plan.total_steps();
    traced.sizes = question.sizes.empty() ? sizes_around(plan.batch()) : question.sizes;
    const auto trace = [&](const spec::Trial* trial) {
      traced.arms.push_back(trace_arm(prepared, trial, traced.sizes, question.with_times, stop));
    };
    trace(nullptr);
    for (const spec::Trial& trial : experiment.trials) trace(&trial);
  });
  return traced;
}

}  // namespace mantissa::session
