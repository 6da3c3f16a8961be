// SPDX-License-Identifier: Apache-2.0
#include "core/memory/accumulated_forecast.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace mantissa::memory {
namespace {

using record::MemoryEvent;
using record::StepTrace;

// As for one microbatch: beyond it a double does not hold every whole byte.
constexpr std::int64_t kMost = std::int64_t{1} << 53;

[[noreturn]] void refuse(const char* field, const std::string& found, const char* expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, found, expected, ""});
}

/// Of one microbatch, as they are held before the step.
CategoryBytes inputs_of(const StepTrace& trace) {
  CategoryBytes bytes{};
  constexpr auto kInputs = static_cast<std::size_t>(record::MemoryCategory::Inputs);
  for (std::size_t i = 0; i < trace.held; ++i) {
    const MemoryEvent& event = trace.events[i];
    const auto block = static_cast<std::size_t>(event.block);
    if (trace.blocks[block].category == record::MemoryCategory::Inputs) bytes[kInputs] += event.bytes;
  }
  bytes[kInputs] /= trace.microbatches;
  return bytes;
}

/// What one more microbatch makes the peak higher by.
CategoryBytes growth_between(const StepTrace& fewer, const StepTrace& more) {
  const CategoryBytes before = peak_of(fewer).by_category;
  CategoryBytes growth = peak_of(more).by_category;
  for (std::size_t i = 0; i < growth.size(); ++i) {
    growth[i] = std::max<std::int64_t>(0, growth[i] - before[i]) / (more.microbatches - fewer.microbatches);
  }
  return growth;
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
  const auto place = nearest(accumulation);
  StepTrace trace = place->second.at(microbatch);
  const std::int64_t missing = accumulation - trace.microbatches;
  if (missing <= 0) return trace;
  const auto fewer = place == by_accumulation_.begin() ? place : std::prev(place);
  const bool repeats = fewer != place && fewer->first >= 2;  // one microbatch alone is another step
  const CategoryBytes of_one = repeats ? growth_between(fewer->second.at(microbatch), trace) : inputs_of(trace);
  for (const std::int64_t bytes : of_one) {
    if (bytes <= kMost / missing) continue;
    refuse("accumulation", std::to_string(accumulation), "one whose step stays below 2^53 bytes");
  }
  hold_more(trace, of_one, missing);
  trace.microbatches = accumulation;
  return trace;
}

std::size_t AccumulatedForecast::events() const {
  std::size_t most = 0;
  for (const auto& [accumulation, forecast] : by_accumulation_) most = std::max(most, forecast.events());
  return most;
}

bool AccumulatedForecast::is_joined(std::int64_t accumulation) const {
  return nearest(accumulation)->second.is_joined();
}

/// The most microbatches that were traced and are not more, or else the fewest.
std::map<std::int64_t, StepForecast>::const_iterator AccumulatedForecast::nearest(std::int64_t accumulation) const {
  auto place = by_accumulation_.upper_bound(accumulation);
  if (place != by_accumulation_.begin()) --place;
  return place;
}

}  // namespace mantissa::memory
