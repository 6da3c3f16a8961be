// SPDX-License-Identifier: Apache-2.0
#include "core/train/growth_watch.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/byte_words.h"
#include "core/observe/memory_tracer.h"
#include "core/precision/operator_interceptor.h"
#include "core/train/held_tensors.h"
#include "core/train/optimizer.h"

namespace mantissa::train {
namespace {

using record::MemoryEvent;
using record::StepPart;

/// What an arm holds rightly.
std::unordered_set<std::int64_t> owned_blocks(const Arm& arm, const Attempt& attempt,
                                              const observe::MemoryTracer& tracer) {
  std::unordered_set<std::int64_t> blocks;
  const auto own = [&](const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) return;
    if (const auto block = tracer.block_at(tensor.storage().data())) blocks.insert(*block);
  };
  each_held_tensor(arm, [&](const at::Tensor& tensor, record::MemoryCategory /*category*/) { own(tensor); });
  for (const at::Tensor& output : attempt.outputs) own(output);
  return blocks;
}

/// What LBFGS remembers of the steps before; 0 of others, whose state is there after one update.
std::int64_t history_bytes(const Arm& arm) {
  std::int64_t bytes = 0;
  for (const OptimizerUnit& unit : arm.optimizers) {
    if (unit.kind != "lbfgs" || !unit.optimizer) continue;
    const OptimizerState state = unit.optimizer->state_dict();
    for (const auto& [name, tensor] : state.tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  }
  return bytes;
}

struct Place {
  StepPart part = StepPart::BeforeForward;
  std::string module;
  bool operator<(const Place& other) const { return std::tie(part, module) < std::tie(other.part, other.module); }
};

std::string place_words(const Place& place) {
  const std::string part = place.part == StepPart::Forward    ? "forward"
                           : place.part == StepPart::Backward ? "backward"
                                                              : "the rest of the step";
  return place.module.empty() ? part : part + " by " + place.module;
}

}  // namespace

void GrowthWatch::within(const Arm& arm, Attempt& attempt, const std::function<void()>& work) {
  if (wants_trace_) {
    wants_trace_ = false;
    traced_steps_ = 0;
    tracer_ = std::make_unique<observe::MemoryTracer>(precision::current_module_path, std::function<bool()>(),
                                                      arm.network->device().type());
  }
  if (!tracer_) return work();
  tracer_->resume();
  attempt.on_part = [this](StepPart part) {
    if (part == StepPart::BeforeForward) last_begin_ = tracer_->origins().size();
    tracer_->enter(part);
  };
  try {
    work();
  } catch (...) {
    tracer_.reset();
    attempt.on_part = {};
    throw;
  }
  attempt.on_part = {};
  tracer_->pause();
}

void GrowthWatch::after_step(Arm& arm, const Attempt& attempt, std::int64_t step, std::int64_t live_bytes) {
  if (arm.failure || arm.tally.counts.applied == 0) return;
  detector_.add(step, live_bytes - history_bytes(arm));
  if (tracer_) {
    if (++traced_steps_ < kTracedSteps) return;
    find_origin(arm, attempt);
    tracer_.reset();
  }
  const bool over = is_over_limit();
  if (!over && (warned_ || !detector_.growth() || step < next_trace_)) return;
  if (!knows_origin_) {
    wants_trace_ = true;
    return;
  }
  if (over) {
    arm.failure = Failure{"memory", words(step), true};
    return;
  }
  if (left_ < detector_.growth()->bytes_per_step / 2) {
    constexpr std::int64_t kPatience = 500;
    next_trace_ = step + kPatience;
    knows_origin_ = false;
    return;
  }
  warned_ = true;
  arm.notes.push_back(words(step));
  arm.warnings.push_back(words(step));
}

std::string GrowthWatch::words(std::int64_t step) const {
  std::string text = "Live memory ";
  if (is_over_limit()) {
    text += "has grown by " + bytes_words(detector_.grown_bytes()) + " by step " + std::to_string(step) +
            ", beyond budget.growth_limit (" + bytes_words(*limit_) + ").";
  } else {
    text += "grows by about " + bytes_words(detector_.growth()->bytes_per_step) + " a step since step " +
            std::to_string(detector_.growth()->since_step) + ".";
  }
  if (origin_.empty()) return text + " The latest steps left nothing behind.";
  return text + origin_ +
         " Something keeps tensors of the steps alive: an output or a loss with its graph, a list that is only added "
         "to.";
}

void GrowthWatch::find_origin(const Arm& arm, const Attempt& attempt) {
  knows_origin_ = true;
  origin_.clear();
  std::vector<std::int64_t> sizes(tracer_->origins().size());
  for (const MemoryEvent& event : tracer_->events()) sizes[static_cast<std::size_t>(event.block)] = event.bytes;
  for (const std::int64_t block : owned_blocks(arm, attempt, *tracer_)) sizes[static_cast<std::size_t>(block)] = 0;
  std::map<Place, std::int64_t> left;
  std::int64_t sum = 0;
  // The latest step's are still held until the next begins.
  for (std::size_t block = 0; block < std::min(last_begin_, sizes.size()); ++block) {
    if (sizes[block] == 0) continue;
    const observe::MemoryTracer::Origin& origin = tracer_->origins()[block];
    left[{origin.part, tracer_->modules()[static_cast<std::size_t>(origin.module)]}] += sizes[block];
    sum += sizes[block];
  }
  constexpr auto kSteps = static_cast<std::int64_t>(kTracedSteps - 1);
  left_ = sum / kSteps;
  std::vector<std::pair<Place, std::int64_t>> places(left.begin(), left.end());
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kMostPlaces = 3;
  constexpr std::int64_t kWorthNaming = 20;  // one part of so many of all
  for (std::size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) {
    if (places[i].second < sum / kWorthNaming) break;
    origin_ += (i == 0 ? " What stays of a step is made in " : ", ") + place_words(places[i].first) + " (" +
               bytes_words(places[i].second / kSteps) + ")";
  }
  if (!origin_.empty()) origin_ += ".";
}

}  // namespace mantissa::train
