// SPDX-License-Identifier: Apache-2.0
#include "core/session/step_memory.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/perf/statistics.h"
#include "core/session/arm_trace.h"
#include "core/session/plain_failures.h"
#include "core/session/planned_memory.h"
#include "core/session/prepared.h"
#include "core/session/run_arms.h"
#include "core/spec/parse.h"
#include "core/train/arm.h"
#include "core/train/batch_plan.h"
#include "core/train/lone_step.h"

namespace mantissa::session {
namespace {

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

ArmMemory trace_arm(const Prepared& prepared, const spec::Trial* trial, const std::vector<StepSize>& sizes,
                    bool with_times, const StopToken& stop) {
  ArmMemory memory;
  memory.name = arm_name(trial);
  memory.autocast = trial == nullptr ? "off" : spec::to_text(trial->autocast);
  for (const StepSize& size : sizes) {
    if (stop.requested()) break;
    try {
      memory.traces.push_back(trace_arm_step(prepared, trial, size).value());
      if (with_times && !stop.requested()) {
        memory.times.push_back({size, seconds_of_a_step(*make_arm(prepared, trial), window_of(prepared, size))});
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

void require_sound(const MemoryQuestion& question) {
  for (const StepSize& size : question.sizes) {
    require_at_least_one("microbatch", size.microbatch);
    require_at_least_one("accumulation", size.accumulation);
  }
}

TracedMemory trace_prepared(const Prepared& prepared, const MemoryQuestion& question, const StopToken& stop) {
  TracedMemory traced;
  const train::BatchPlan plan(prepared.experiment, prepared.dataset.train);
  traced.planned = {plan.batch(), prepared.experiment.training.accumulate};
  traced.updates = plan.total_steps();
  traced.sizes = question.sizes.empty() ? sizes_around(plan.batch()) : question.sizes;
  const auto trace = [&](const spec::Trial* trial) {
    traced.arms.push_back(trace_arm(prepared, trial, traced.sizes, question.with_times, stop));
  };
  trace(nullptr);
  for (const spec::Trial& trial : prepared.experiment.trials) trace(&trial);
  return traced;
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
  require_sound(question);
  TracedMemory traced;
  with_plain_words(experiment.file, [&] { traced = trace_prepared(prepare(experiment), question, stop); });
  return traced;
}

BothTraces trace_memory_both_ways(const spec::Experiment& experiment, const MemoryQuestion& question,
                                  const StopToken& stop, const std::function<void(bool is_other)>& tell) {
  require_sound(question);
  BothTraces both;
  with_plain_words(experiment.file, [&] {
    if (tell) tell(false);
    Prepared prepared = prepare(experiment);
    both.asked = trace_prepared(prepared, question, stop);
    std::optional<spec::Experiment> other = with_other_checkpointing(prepared.experiment);
    if (!other || stop.requested()) return;
    if (tell) tell(true);
    prepared.experiment = std::move(*other);  // every arm takes it from here; data and weights are the same
    both.other = trace_prepared(prepared, question, stop);
    if (stop.requested()) both.other.reset();
  });
  return both;
}

}  // namespace mantissa::session
