// SPDX-License-Identifier: Apache-2.0
#include "core/memory/accumulated_forecast.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/error.h"

namespace mantissa::memory {
namespace {

using record::MemoryEvent;
using record::StepTrace;

[[noreturn]] void refuse(const char* field, const std::string& found, const char* expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, found, expected, ""});
}

/// Of one microbatch, as they are held before the step.
std::int64_t input_bytes_of(const StepTrace& trace) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < trace.held; ++i) {
    const MemoryEvent& event = trace.events[i];
    const auto block = static_cast<std::size_t>(event.block);
    if (trace.blocks[block].category == record::MemoryCategory::Inputs) sum += event.bytes;
  }
  return sum / trace.microbatches;
}

/// One more block, held from the beginning on. Blocks are numbered in the order of their allocations: all others move
/// up by one.
void hold_inputs(StepTrace& trace, std::int64_t bytes) {
  for (MemoryEvent& event : trace.events) ++event.block;
  MemoryEvent inputs;
  inputs.bytes = bytes;
  trace.events.insert(trace.events.begin(), inputs);
  trace.blocks.insert(trace.blocks.begin(), record::MemoryBlock{record::MemoryCategory::Inputs, 0});
  ++trace.held;
}

}  // namespace

AccumulatedForecast::AccumulatedForecast(const std::vector<StepTrace>& traces) {
  if (traces.empty()) refuse("traces", "none", "at least 2 of different microbatches");
  std::map<std::int64_t, std::vector<StepTrace>> groups;
  for (const StepTrace& trace : traces) groups[trace.microbatches].push_back(trace);
  for (auto& [accumulation, group] : groups) by_accumulation_.emplace(accumulation, StepForecast(std::move(group)));
}

StepTrace AccumulatedForecast::at(std::int64_t microbatch, std::int64_t accumulation) const {
  if (accumulation < 1) refuse("accumulation", std::to_string(accumulation), "at least 1");
  auto nearest = by_accumulation_.upper_bound(accumulation);
  if (nearest != by_accumulation_.begin()) --nearest;
  StepTrace trace = nearest->second.at(microbatch);
  const std::int64_t missing = accumulation - trace.microbatches;
  if (missing <= 0) return trace;
  const std::int64_t of_one = input_bytes_of(trace);
  trace.microbatches = accumulation;
  if (of_one > std::numeric_limits<std::int64_t>::max() / 2 / missing) {
    refuse("accumulation", std::to_string(accumulation), "one whose inputs stay within 64 bits");
  }
  if (of_one > 0) hold_inputs(trace, of_one * missing);
  return trace;
}

bool AccumulatedForecast::is_joined() const {
  return std::all_of(by_accumulation_.begin(), by_accumulation_.end(),
                     [](const auto& entry) { return entry.second.is_joined(); });
}

}  // namespace mantissa::memory
