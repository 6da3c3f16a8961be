// SPDX-License-Identifier: Apache-2.0
#include "core/session/arm_trace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "core/memory/step_forecast.h"
#include "core/model/random_stream.h"
#include "core/session/run_arms.h"
#include "core/train/optimizer.h"
#include "core/train/step_trace.h"

namespace mantissa::session {
namespace {

std::int64_t remembered_pairs(const train::OptimizerUnit& unit) {
  for (const auto& [name, number] : unit.optimizer->state_dict().numbers) {
    if (name == "history") return static_cast<std::int64_t>(number);
  }
  return 0;
}

/// What a full history of LBFGS holds more than that of the traced step, which has just begun to fill it: a pair of
/// flat tensors for every update, and for a moment one more, as the new pair is made before the oldest goes.
class MissingHistory {
 public:
  MissingHistory(const spec::Experiment& experiment, const train::Arm& arm) {
    for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
      const train::OptimizerUnit& unit = arm.optimizers[i];
      if (unit.kind != "lbfgs") continue;
      const std::int64_t whole = experiment.training.optimizers[i].history_size;
      const std::int64_t found = remembered_pairs(unit);
      if (found >= whole) continue;
      std::int64_t bytes = 0;
      for (const std::size_t place : unit.parameters) {
        bytes += static_cast<std::int64_t>(arm.network->parameters()[place].tensor.nbytes());
      }
      parts_.push_back({bytes, 2 * (whole - found + 1)});
    }
  }

  void add_to(record::StepTrace& trace) const {
    for (const Part& part : parts_) {
      memory::CategoryBytes flat{};
      flat[static_cast<std::size_t>(record::MemoryCategory::OptimizerState)] = part.bytes;
      memory::hold_more(trace, flat, part.times);
    }
  }

 private:
  struct Part {
    std::int64_t bytes = 0;
    std::int64_t times = 0;
  };
  std::vector<Part> parts_;
};

}  // namespace

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

std::optional<record::StepTrace> trace_arm_step(const Prepared& prepared, const spec::Trial* trial,
                                                const StepSize& size, const std::function<bool()>& goes_on) {
  const model::UntouchedGenerator untouched(prepared.network->device());
  std::optional<MissingHistory> missing;
  train::TraceOptions options;
  options.device = prepared.network->device().type();
  options.goes_on = goes_on;
  options.at_end = [&](const train::Arm& arm) { missing.emplace(prepared.experiment, arm); };
  std::optional<record::StepTrace> trace =
      train::trace_step([&] { return make_arm(prepared, trial); }, [&] { return window_of(prepared, size); }, options);
  if (trace) missing->add_to(*trace);
  return trace;
}

bool history_is_full(const spec::Experiment& experiment, const train::Arm& arm) {
  for (std::size_t i = 0; i < arm.optimizers.size(); ++i) {
    const train::OptimizerUnit& unit = arm.optimizers[i];
    if (unit.kind != "lbfgs" || !unit.optimizer) continue;
    if (remembered_pairs(unit) < experiment.training.optimizers[i].history_size) return false;
  }
  return true;
}

}  // namespace mantissa::session
