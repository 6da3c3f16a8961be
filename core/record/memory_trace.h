// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa::record {

/// One call of an allocator. Blocks are numbered from 0 in the order of their allocations and never again.
struct MemoryEvent {
  enum class Kind : std::uint8_t { Allocate, Free };

  Kind kind = Kind::Allocate;
  std::int64_t block = 0;
  std::int64_t bytes = 0;  ///< as asked for, before any rounding; of a Free: 0
};

/// What one training step, or several, asked of an allocator, in order. Memory from before the first event stands at
/// its beginning as allocations that are never freed.
using MemoryTrace = std::vector<MemoryEvent>;

}  // namespace mantissa::record
