// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_trace.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <ATen/ATen.h>

#include "core/observe/memory_tracer.h"
#include "core/precision/forward_replay.h"
#include "core/precision/operator_interceptor.h"
#include "core/train/held_tensors.h"
#include "core/train/lone_step.h"

namespace mantissa::train {
namespace {

using record::MemoryCategory;
using record::MemoryEvent;
using record::StepPart;

// From PyTorch's initial scale, 2^16, down to the smallest normal of FP16, and some.
constexpr int kMostSteps = 40;

const void* storage_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().data() : nullptr;
}

using Owned = std::unordered_map<std::int64_t, MemoryCategory>;  // by block

/// The blocks in use that a tensor of the arm or of the window lies in.
Owned owned_blocks(const Arm& arm, const Window& window, const observe::MemoryTracer& tracer) {
  Owned blocks;
  const auto own = [&](const at::Tensor& tensor, MemoryCategory category) {
    if (const auto block = tracer.block_at(storage_of(tensor))) blocks.emplace(*block, category);
  };
  each_held_tensor(arm, own);
  for (const Microbatch& microbatch : window.microbatches) {
    own(microbatch.inputs, MemoryCategory::Inputs);
    own(microbatch.targets, MemoryCategory::Inputs);
  }
  return blocks;
}

/// The events from `begin` on, behind what is in use there, with blocks numbered anew.
class Cut {
 public:
  Cut(const observe::MemoryTracer& tracer, std::size_t begin) : tracer_(tracer) {
    std::map<std::int64_t, std::int64_t> held;  // by number: the order of their allocations
    const record::MemoryTrace& events = tracer.events();
    for (std::size_t i = 0; i < begin; ++i) {
      if (events[i].kind == MemoryEvent::Kind::Allocate) {
        held.emplace(events[i].block, events[i].bytes);
      } else {
        held.erase(events[i].block);
      }
    }
    for (const auto& [block, bytes] : held)
      add(block, {MemoryEvent::Kind::Allocate, StepPart::BeforeForward, 0, bytes}, false);
    trace_.held = trace_.events.size();
    for (std::size_t i = begin; i < events.size(); ++i) add(events[i].block, events[i], tracer.again()[i]);
    sort_frees();
    trace_.modules = tracer.modules();
  }

  /// \param owned  as the step began and as it ended; what it made in between and freed has no owner
  record::StepTrace classified(const Owned& owned) {
    for (const auto& [old, block] : numbers_) {
      record::MemoryBlock& facts = trace_.blocks[static_cast<std::size_t>(block)];
      const observe::MemoryTracer::Origin& origin = tracer_.origins()[static_cast<std::size_t>(old)];
      facts.module = origin.module;
      const auto owner = owned.find(old);
      if (owner != owned.end()) {
        facts.category = owner->second;
      } else if (origin.is_cast_copy) {
        facts.category = MemoryCategory::CastCopies;
      }
    }
    find_saved_activations();
    return std::move(trace_);
  }

 private:
  void add(std::int64_t old, MemoryEvent event, bool again) {
    if (event.kind == MemoryEvent::Kind::Allocate) {
      event.block = static_cast<std::int64_t>(trace_.blocks.size());
      numbers_[old] = event.block;
      trace_.blocks.emplace_back();
    } else {
      event.block = numbers_.at(old);
    }
    trace_.events.push_back(event);
    forward_.push_back(event.part == StepPart::Forward || again);
  }

  /// What is freed in one go is freed in the order of its allocations. Autocast's cache, for one, lets go of its casts
  /// in the order of their addresses, which no second run has.
  void sort_frees() {
    const auto is_older = [](const MemoryEvent& a, const MemoryEvent& b) { return a.block < b.block; };
    const record::MemoryTrace& events = trace_.events;
    for (std::size_t begin = 0; begin < events.size();) {
      std::size_t end = begin;
      while (end < events.size() && events[end].kind == MemoryEvent::Kind::Free &&
             events[end].part == events[begin].part && forward_[end] == forward_[begin]) {
        ++end;
      }
      std::sort(trace_.events.begin() + static_cast<std::ptrdiff_t>(begin),
                trace_.events.begin() + static_cast<std::ptrdiff_t>(end), is_older);
      begin = std::max(end, begin + 1);
    }
  }

  /// Made in the forward of a microbatch, or where a block of it ran again, and still in use when its backward begins.
  void find_saved_activations() {
    std::vector<std::int64_t> made;
    bool before = false;
    for (std::size_t i = trace_.held; i < trace_.events.size(); ++i) {
      const MemoryEvent& event = trace_.events[i];
      if (!forward_[i] && before) settle(made);
      before = forward_[i];
      if (!forward_[i]) continue;
      if (event.kind == MemoryEvent::Kind::Allocate) {
        made.push_back(event.block);
      } else {
        made.erase(std::remove(made.begin(), made.end(), event.block), made.end());
      }
    }
  }
  void settle(std::vector<std::int64_t>& made) {
    for (const std::int64_t block : made) {
      MemoryCategory& category = trace_.blocks[static_cast<std::size_t>(block)].category;
      if (category == MemoryCategory::Temporaries) category = MemoryCategory::SavedActivations;
    }
    made.clear();
  }

  const observe::MemoryTracer& tracer_;
  record::StepTrace trace_;
  std::unordered_map<std::int64_t, std::int64_t> numbers_;
  std::vector<bool> forward_;  // by event: whether it belongs to forward, be it a second run of a block
};

std::vector<const void*> storages_of_parameters(const Arm& arm) {
  std::vector<const void*> storages;
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    storages.push_back(storage_of(parameter.tensor));
  }
  return storages;
}

}  // namespace

std::optional<record::StepTrace> trace_step(const std::function<std::unique_ptr<Arm>()>& make_arm,
                                            const std::function<Window()>& make_window, const TraceOptions& options) {
  observe::MemoryTracer tracer(precision::current_module_path, precision::ForwardReplay::active, options.device);
  const std::unique_ptr<Arm> arm = make_arm();
  const Window window = make_window();
  tracer.set_parameters(storages_of_parameters(*arm));

  bool has_state = false;
  for (int i = 1;; ++i) {
    tracer.enter(StepPart::BeforeForward);
    const std::size_t begin = tracer.events().size();
    Owned owned = owned_blocks(*arm, window, tracer);
    const bool applied = lone_step(*arm, window, [&tracer](StepPart part) { tracer.enter(part); });
    if ((applied && has_state) || i == kMostSteps) {
      owned.merge(owned_blocks(*arm, window, tracer));
      record::StepTrace trace = Cut(tracer, begin).classified(owned);
      trace.microbatch = window.microbatches.front().inputs.size(0);
      trace.microbatches = static_cast<std::int64_t>(window.microbatches.size());
      trace.has_update = applied;
      if (options.at_end) options.at_end(*arm);
      return trace;
    }
    has_state = has_state || applied;
    if (options.goes_on && !options.goes_on()) return std::nullopt;
  }
}

RunningTrace::RunningTrace(const Arm& arm, std::int64_t live_bytes)
    : arm_(arm),
      tracer_(std::make_unique<observe::MemoryTracer>(precision::current_module_path, precision::ForwardReplay::active,
                                                      arm.network->device().type())) {
  tracer_->pause();
  tracer_->set_parameters(storages_of_parameters(arm));
  std::int64_t held = 0;
  each_held_tensor(arm, [&](const at::Tensor& tensor, MemoryCategory /*category*/) {
    const void* const storage = storage_of(tensor);
    if (storage == nullptr || tracer_->block_at(storage)) return;
    const auto bytes = static_cast<std::int64_t>(tensor.storage().nbytes());
    tracer_->hold(storage, bytes);
    held += bytes;
  });
  // What else it holds: its scaler's numbers, its random stream, what was kept alive.
  if (live_bytes > held) tracer_->hold(this, live_bytes - held);
  held_ = tracer_->events().size();
  owned_ = owned_blocks(arm, {}, *tracer_);
}

RunningTrace::~RunningTrace() = default;

void RunningTrace::within(Attempt& attempt, const std::function<void()>& work) {
  const std::function<void(StepPart)> others = std::exchange(attempt.on_part, {});
  attempt.on_part = [this, &others](StepPart part) {
    tracer_->enter(part);
    if (others) others(part);
  };
  tracer_->resume();
  try {
    work();
  } catch (...) {
    tracer_->pause();
    attempt.on_part = others;
    throw;
  }
  tracer_->pause();
  attempt.on_part = others;
}

record::StepTrace RunningTrace::taken(const Window& window) {
  owned_.merge(owned_blocks(arm_, {}, *tracer_));
  record::StepTrace trace = Cut(*tracer_, held_).classified(owned_);
  trace.microbatch = window.microbatches.front().inputs.size(0);
  trace.microbatches = static_cast<std::int64_t>(window.microbatches.size());
  trace.has_update = true;
  return trace;
}

}  // namespace mantissa::train
