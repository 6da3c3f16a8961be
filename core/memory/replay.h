// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/memory/caching_allocator.h"
#include "core/record/memory_trace.h"

namespace mantissa::memory {

/// What an allocator held while it was asked for what a trace asked for. Events are counted from 0, sizes in bytes.
struct Replay {
  AllocatorUse peak;             ///< the most of each on its own
  std::int64_t peak_event = -1;  ///< the first event with the most allocated; -1: nothing was ever
  AllocatorUse at_peak;          ///< after that event
  AllocatorUse at_end;
  FreeMemory free_at_end;
  /// The allocation that found no memory: the replay ended before it. Nothing: all were served.
  std::optional<std::int64_t> failed_event;

  /// The share of what was reserved at the peak that nothing used, from 0 to below 1.
  double fragmentation() const;
};

/// Replays a trace from an allocator that holds nothing.
/// \throws Error InvalidSetting  for settings out of range, and for a trace that frees what is not in use, allocates a
///         block twice or has a negative size; its subject is then `event N`, counted from 0
Replay replay(const record::MemoryTrace& trace, const AllocatorSettings& settings = {});

}  // namespace mantissa::memory
