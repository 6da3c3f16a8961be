// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/record/memory_trace.h"

namespace mantissa::tests {

/// Bytes of one category that the events from `begin` to before `end` allocate.
inline std::int64_t allocated_bytes(const record::StepTrace& trace, record::MemoryCategory category, std::size_t begin,
                                    std::size_t end) {
  std::int64_t bytes = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const record::MemoryEvent& event = trace.events[i];
    if (trace.blocks[static_cast<std::size_t>(event.block)].category == category) bytes += event.bytes;
  }
  return bytes;
}

/// Those that the step holds before it begins, and those that it makes.
inline std::int64_t held(const record::StepTrace& trace, record::MemoryCategory category) {
  return allocated_bytes(trace, category, 0, trace.held);
}
inline std::int64_t made(const record::StepTrace& trace, record::MemoryCategory category) {
  return allocated_bytes(trace, category, trace.held, trace.events.size());
}

}  // namespace mantissa::tests
