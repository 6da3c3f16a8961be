// SPDX-License-Identifier: Apache-2.0
#include "core/memory/step_forecast.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace mantissa::memory {
namespace {

using record::MemoryEvent;
using record::StepTrace;

// Beyond it a double does not hold every whole byte; no device comes near.
constexpr double kMostBytes = 9007199254740992.0;  // 2^53

[[noreturn]] void refuse(const char* subject, std::int64_t found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, subject, std::to_string(found), expected, ""});
}

bool agree(const StepTrace& one, const StepTrace& other) {
  return one.held == other.held && one.events.size() == other.events.size() &&
         std::equal(one.events.begin(), one.events.end(), other.events.begin(),
                    [](const MemoryEvent& a, const MemoryEvent& b) {
                      return a.kind == b.kind && a.part == b.part && a.block == b.block;
                    });
}

/// On the line through two points; never below 1 byte, because every allocation has at least one.
std::int64_t on_line(std::int64_t microbatch, double x1, double y1, double x2, double y2) {
  const double y = y1 + (static_cast<double>(microbatch) - x1) * (y2 - y1) / (x2 - x1);
  if (y > kMostBytes) refuse("microbatch", microbatch, "one whose memory stays below 2^53 bytes");
  return std::max<std::int64_t>(1, std::llround(y));
}

bool grows_with_samples(record::MemoryCategory category) {
  switch (category) {
    case record::MemoryCategory::Parameters:
    case record::MemoryCategory::Buffers:
    case record::MemoryCategory::OptimizerState:
    case record::MemoryCategory::Gradients:
    case record::MemoryCategory::CastCopies:
      return false;
    case record::MemoryCategory::Inputs:
    case record::MemoryCategory::SavedActivations:
    case record::MemoryCategory::Temporaries:
      return true;
  }
  return true;
}

}  // namespace

StepPeak peak_of(const StepTrace& trace) {
  StepPeak peak;
  std::vector<std::int64_t> sizes(trace.blocks.size());
  CategoryBytes live{};
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const MemoryEvent& event = trace.events[i];
    const auto block = static_cast<std::size_t>(event.block);
    std::int64_t& of_category = live[static_cast<std::size_t>(trace.blocks[block].category)];
    if (event.kind == MemoryEvent::Kind::Free) {
      of_category -= sizes[block];
      sum -= sizes[block];
      continue;
    }
    sizes[block] = event.bytes;
    of_category += event.bytes;
    sum += event.bytes;
    if (sum > peak.bytes) peak = {sum, static_cast<std::int64_t>(i), live};
  }
  return peak;
}

void hold_more(StepTrace& trace, const CategoryBytes& of_one, std::int64_t times) {
  constexpr std::int64_t kMostPieces = 512;
  const std::int64_t pieces = std::min(times, kMostPieces);
  record::MemoryTrace held;
  std::vector<record::MemoryBlock> blocks;
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    if (of_one[i] == 0) continue;
    std::int64_t left = of_one[i] * times;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      MemoryEvent event;
      event.block = static_cast<std::int64_t>(blocks.size());
      event.bytes = left / (pieces - piece);
      left -= event.bytes;
      held.push_back(event);
      blocks.push_back({static_cast<record::MemoryCategory>(i), 0});
    }
  }
  for (MemoryEvent& event : trace.events) event.block += static_cast<std::int64_t>(blocks.size());
  trace.events.insert(trace.events.begin(), held.begin(), held.end());
  trace.blocks.insert(trace.blocks.begin(), blocks.begin(), blocks.end());
  trace.held += held.size();
}

StepForecast::StepForecast(std::vector<StepTrace> traces) : traces_(std::move(traces)) {
  std::sort(traces_.begin(), traces_.end(),
            [](const StepTrace& a, const StepTrace& b) { return a.microbatch < b.microbatch; });
  const auto same = [](const StepTrace& a, const StepTrace& b) { return a.microbatch == b.microbatch; };
  traces_.erase(std::unique(traces_.begin(), traces_.end(), same), traces_.end());
  if (traces_.size() < 2) {
    refuse("traces", static_cast<std::int64_t>(traces_.size()), "at least 2 of different microbatches");
  }
  for (const StepTrace& trace : traces_) {
    if (trace.microbatch < 1) refuse("microbatch", trace.microbatch, "at least 1");
    if (trace.microbatches != traces_.front().microbatches) {
      refuse("microbatches", trace.microbatches, "as many in every trace: " + std::to_string(traces_[0].microbatches));
    }
  }
  // The largest group that agrees; of equals the one at larger microbatches, where small special cases are gone.
  for (std::size_t first = traces_.size(); first-- > 0;) {
    std::vector<std::size_t> group;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      if (agree(traces_[i], traces_[first])) group.push_back(i);
    }
    if (group.size() > joined_.size()) joined_ = std::move(group);
  }
}

std::size_t StepForecast::events() const {
  std::size_t most = 0;
  for (const StepTrace& trace : traces_) most = std::max(most, trace.events.size());
  return most;
}

std::vector<std::int64_t> StepForecast::microbatches() const {
  std::vector<std::int64_t> all;
  for (const std::size_t place : joined_) all.push_back(traces_[place].microbatch);
  return all;
}

StepTrace StepForecast::at(std::int64_t microbatch) const {
  if (microbatch < 1) refuse("microbatch", microbatch, "at least 1");
  const auto samples = static_cast<double>(microbatch);
  if (!is_joined()) {
    const auto nearest = std::min_element(traces_.begin(), traces_.end(), [&](const StepTrace& a, const StepTrace& b) {
      return std::abs(std::log(samples / static_cast<double>(a.microbatch))) <
             std::abs(std::log(samples / static_cast<double>(b.microbatch)));
    });
    StepTrace trace = *nearest;
    trace.microbatch = microbatch;
    const auto traced = static_cast<double>(nearest->microbatch);
    for (MemoryEvent& event : trace.events) {
      const record::MemoryBlock& block = trace.blocks[static_cast<std::size_t>(event.block)];
      if (event.kind == MemoryEvent::Kind::Free || !grows_with_samples(block.category)) continue;
      event.bytes = on_line(microbatch, 0.0, 0.0, traced, static_cast<double>(event.bytes));
    }
    return trace;
  }
  // The two joined microbatches that are around it, or else the two that are nearest.
  std::size_t second = 1;
  while (second + 1 < joined_.size() && traces_[joined_[second]].microbatch < microbatch) ++second;
  const StepTrace& low = traces_[joined_[second - 1]];
  const StepTrace& high = traces_[joined_[second]];
  StepTrace trace = high;
  trace.microbatch = microbatch;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].kind == MemoryEvent::Kind::Free) continue;
    trace.events[i].bytes =
        on_line(microbatch, static_cast<double>(low.microbatch), static_cast<double>(low.events[i].bytes),
                static_cast<double>(high.microbatch), static_cast<double>(high.events[i].bytes));
  }
  return trace;
}

}  // namespace mantissa::memory
