// SPDX-License-Identifier: Apache-2.0
#include "core/memory/model_ledger.h"

#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/memory/ledger.h"

namespace mantissa::memory {
namespace {

[[noreturn]] void refuse(const char* field, std::int64_t found, const char* expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, std::to_string(found), expected, ""});
}

/// Saved activations that are live after the event, by module in the order of their first allocation.
std::vector<ModuleBytes> saved_activations_at(const record::StepTrace& trace, std::int64_t last_event) {
  std::vector<std::int64_t> live(trace.blocks.size(), 0);
  for (std::int64_t i = 0; i <= last_event; ++i) {
    const record::MemoryEvent& event = trace.events[static_cast<std::size_t>(i)];
    live[static_cast<std::size_t>(event.block)] = event.bytes;  // 0 where it is freed
  }
  std::vector<ModuleBytes> modules;
  std::vector<std::size_t> places(trace.modules.size(), trace.modules.size());
  for (std::size_t block = 0; block < live.size(); ++block) {  // numbered in the order of allocation
    if (live[block] == 0 || trace.blocks[block].category != record::MemoryCategory::SavedActivations) continue;
    const auto module = static_cast<std::size_t>(trace.blocks[block].module);
    if (places[module] == trace.modules.size()) {
      places[module] = modules.size();
      modules.push_back({trace.modules[module], 0});
    }
    modules[places[module]].bytes += live[block];
  }
  return modules;
}

}  // namespace

StepUse step_use_of(const record::StepTrace& trace, const AllocatorSettings& settings) {
  StepUse use;
  use.microbatch = trace.microbatch;
  use.accumulation = trace.microbatches;
  use.peak = peak_of(trace);
  if (use.peak.event >= 0) {
    const record::MemoryEvent& event = trace.events[static_cast<std::size_t>(use.peak.event)];
    use.peak_part = event.part;
    const record::MemoryBlock& block = trace.blocks[static_cast<std::size_t>(event.block)];
    use.peak_module = trace.modules[static_cast<std::size_t>(block.module)];
    use.by_module = saved_activations_at(trace, use.peak.event);
  }
  AllocatorSettings endless = settings;
  endless.capacity_bytes = AllocatorSettings::kUnlimited;
  use.replay = replay(trace.events, endless);
  return use;
}

ModelLedger model_ledger_of(StepUse use, const Device& device,
                            const std::function<Replay(const AllocatorSettings&)>& replay_within) {
  if (device.outside_bytes.value_or(0) < 0) refuse("outside", *device.outside_bytes, "at least 0");
  ModelLedger ledger;
  static_cast<StepUse&>(ledger) = std::move(use);
  ledger.outside_bytes = device.outside_bytes;
  ledger.reserve_bytes = reserve_of(device.capacity_bytes, device.reserve_parts);
  ledger.usable_bytes = device.capacity_bytes - ledger.reserve_bytes;
  const std::int64_t outside = device.outside_bytes.value_or(0);
  if (outside > std::numeric_limits<std::int64_t>::max() - ledger.replay.peak.reserved) {
    refuse("outside", outside, "a size that stays within 64 bits with the step's");
  }
  ledger.needed_bytes = ledger.replay.peak.reserved + outside;
  // Whatever is given back, what the step itself asks for at once stays.
  const bool may_fit = outside <= ledger.usable_bytes && ledger.peak.bytes <= ledger.usable_bytes - outside;
  if (ledger.needed_bytes > ledger.usable_bytes && may_fit) {
    AllocatorSettings settings = device.allocator;
    settings.capacity_bytes = ledger.usable_bytes - outside;
    const Replay within = replay_within(settings);
    if (!within.failed_event) {
      ledger.fits_by_release = true;
      ledger.needed_bytes = within.peak.reserved + outside;
    }
  }
  ledger.headroom_bytes = ledger.usable_bytes - ledger.needed_bytes;
  ledger.fits = ledger.headroom_bytes >= 0;
  return ledger;
}

ModelLedger model_ledger_of(const record::StepTrace& trace, const Device& device) {
  return model_ledger_of(step_use_of(trace, device.allocator), device,
                         [&trace](const AllocatorSettings& settings) { return replay(trace.events, settings); });
}

}  // namespace mantissa::memory
