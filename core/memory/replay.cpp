// SPDX-License-Identifier: Apache-2.0
#include "core/memory/replay.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace mantissa::memory {
namespace {

enum class BlockState : std::uint8_t { Unknown, InUse, Freed };

/// Which blocks of a trace are in use, so that a trace that makes no sense is refused and not replayed.
class Blocks {
 public:
  explicit Blocks(std::size_t events) : states_(events, BlockState::Unknown) {}

  void begin(std::int64_t event, std::int64_t block) {
    BlockState& state = at(event, block);
    if (state != BlockState::Unknown) refuse(event, block, "a block that was not allocated before");
    state = BlockState::InUse;
  }

  void end(std::int64_t event, std::int64_t block) {
    BlockState& state = at(event, block);
    if (state != BlockState::InUse) refuse(event, block, "a block that is in use");
    state = BlockState::Freed;
  }

  [[noreturn]] static void refuse(std::int64_t event, std::int64_t found, const std::string& expected) {
    throw Error(ErrorKind::InvalidSetting,
                {"", "", 0, 0, "event " + std::to_string(event), std::to_string(found), expected, ""});
  }

 private:
  BlockState& at(std::int64_t event, std::int64_t block) {
    // As many blocks as allocations, numbered in their order: fewer than events.
    if (block < 0 || block >= static_cast<std::int64_t>(states_.size())) {
      refuse(event, block, "a block from 0 to " + std::to_string(states_.size() - 1));
    }
    return states_[static_cast<std::size_t>(block)];
  }

  std::vector<BlockState> states_;
};

}  // namespace

double Replay::fragmentation() const {
  if (at_peak.reserved == 0) return 0.0;
  return static_cast<double>(at_peak.reserved - at_peak.allocated) / static_cast<double>(at_peak.reserved);
}

Replay replay(const record::MemoryTrace& trace, const AllocatorSettings& settings) {
  CachingAllocator allocator(settings);
  Blocks blocks(trace.size());
  Replay result;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const record::MemoryEvent& event = trace[i];
    const auto number = static_cast<std::int64_t>(i);
    if (event.kind == record::MemoryEvent::Kind::Free) {
      blocks.end(number, event.block);
      allocator.free(event.block);
      continue;
    }
    if (event.bytes < 0) Blocks::refuse(number, event.bytes, "a size of at least 0 bytes");
    blocks.begin(number, event.block);
    if (!allocator.allocate(event.block, event.bytes)) {
      result.failed_event = number;
      break;
    }
    const AllocatorUse& use = allocator.use();
    if (use.allocated > result.peak.allocated) {
      result.peak.allocated = use.allocated;
      result.peak_event = number;
      result.at_peak = use;
    }
    result.peak.requested = std::max(result.peak.requested, use.requested);
    result.peak.reserved = std::max(result.peak.reserved, use.reserved);
  }
  result.at_end = allocator.use();
  result.free_at_end = allocator.free_memory();
  return result;
}

}  // namespace mantissa::memory
