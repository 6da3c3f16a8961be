// SPDX-License-Identifier: Apache-2.0
#include "core/memory/model_ledger.h"

#include <limits>

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

ModelLedger model_ledger_of(const record::StepTrace& trace, const Device& device) {
  if (device.outside_bytes.value_or(0) < 0) refuse("outside", *device.outside_bytes, "at least 0");
  ModelLedger ledger;
  ledger.microbatch = trace.microbatch;
  ledger.accumulation = trace.microbatches;
  ledger.reserve_bytes = reserve_of(device.capacity_bytes, device.reserve_parts);
  ledger.usable_bytes = device.capacity_bytes - ledger.reserve_bytes;
  ledger.outside_bytes = device.outside_bytes;
  ledger.peak = peak_of(trace);
  if (ledger.peak.event >= 0) {
    const record::MemoryEvent& event = trace.events[static_cast<std::size_t>(ledger.peak.event)];
    ledger.peak_part = event.part;
    const record::MemoryBlock& block = trace.blocks[static_cast<std::size_t>(event.block)];
    ledger.peak_module = trace.modules[static_cast<std::size_t>(block.module)];
    ledger.by_module = saved_activations_at(trace, ledger.peak.event);
  }
  AllocatorSettings settings = device.allocator;
  settings.capacity_bytes = AllocatorSettings::kUnlimited;
  ledger.replay = replay(trace.events, settings);
  const std::int64_t outside = device.outside_bytes.value_or(0);
  if (outside > std::numeric_limits<std::int64_t>::max() - ledger.replay.peak.reserved) {
    refuse("outside", outside, "a size that stays within 64 bits with the step's");
  }
  ledger.needed_bytes = ledger.replay.peak.reserved + outside;
  if (ledger.needed_bytes > ledger.usable_bytes && outside <= ledger.usable_bytes) {
    settings.capacity_bytes = ledger.usable_bytes - outside;
    const Replay within = replay(trace.events, settings);
    if (!within.failed_event) {
      ledger.fits_by_release = true;
      ledger.needed_bytes = within.peak.reserved + outside;
    }
  }
  ledger.headroom_bytes = ledger.usable_bytes - ledger.needed_bytes;
  ledger.fits = ledger.headroom_bytes >= 0;
  return ledger;
}

}  // namespace mantissa::memory
