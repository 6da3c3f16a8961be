// SPDX-License-Identifier: Apache-2.0
#include "core/memory/caching_allocator.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"

namespace mantissa::memory {
namespace {

using Index = std::int32_t;
constexpr Index kNone = -1;

// Where the two expandable segments begin: far beyond what plain segments reach, each with room for every device.
constexpr std::int64_t kExpandableRoom = std::int64_t{1} << 60;

std::int64_t rounded_up(std::int64_t size, std::int64_t to) { return (size + to - 1) / to * to; }
std::int64_t rounded_down(std::int64_t size, std::int64_t to) { return size / to * to; }

/// A piece of a segment: in use, free, or, in an expandable segment, address space without memory.
struct Block {
  std::int64_t size = 0;
  std::int64_t address = 0;
  std::int64_t requested = 0;
  Index previous = kNone;  ///< its neighbours in the segment
  Index next = kNone;
  bool is_used = false;
  bool is_mapped = true;
  bool is_expandable = false;

  bool is_split() const { return previous != kNone || next != kNone; }
};

/// A free block by what makes one better than another.
struct FreeBlock {
  std::int64_t size;
  std::int64_t address;
  Index index;

  bool operator<(const FreeBlock& other) const {
    return size != other.size ? size < other.size : address < other.address;
  }
};

/// Address space without memory, lowest first.
struct UnmappedBlock {
  std::int64_t address;
  Index index;

  bool operator<(const UnmappedBlock& other) const { return address < other.address; }
};

struct Pool {
  bool is_small = false;
  std::set<FreeBlock> free;
  std::set<UnmappedBlock> unmapped;
  bool has_expandable_segment = false;
};

void require(bool holds, const char* setting, std::int64_t found, const char* expected) {
  if (!holds) {
    throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, setting, std::to_string(found), expected, ""});
  }
}

}  // namespace

class CachingAllocator::State {
 public:
  explicit State(const AllocatorSettings& settings) : settings_(settings) {
    require(settings.large_segment_bytes >= caching::kMinLargeAlloc &&
                settings.large_segment_bytes % caching::kRoundLarge == 0,
            "large_segment_bytes", settings.large_segment_bytes, "at least 10 MiB, a multiple of 2 MiB");
    require(settings.max_split_bytes >= caching::kLargeSegment, "max_split_bytes", settings.max_split_bytes,
            "at least 20 MiB");
    require(settings.max_non_split_rounding_bytes >= 0, "max_non_split_rounding_bytes",
            settings.max_non_split_rounding_bytes, "at least 0");
    require(settings.capacity_bytes >= 0, "capacity_bytes", settings.capacity_bytes, "at least 0");
    small_.is_small = true;
  }

  bool allocate(std::int64_t number, std::int64_t bytes);
  void free(std::int64_t number);
  void empty_cache();
  const AllocatorUse& use() const { return use_; }
  FreeMemory free_memory() const;

 private:
  Pool& pool_of(std::int64_t size) { return size <= caching::kSmallSize ? small_ : large_; }
  Block& at(Index index) { return blocks_[static_cast<std::size_t>(index)]; }
  const Block& at(Index index) const { return blocks_[static_cast<std::size_t>(index)]; }

  Index make(const Block& block);
  void drop(Index index) { unused_.push_back(index); }
  void insert(Pool& pool, Index index);
  void erase(Pool& pool, Index index);

  Index take_free(Pool& pool, std::int64_t size);
  Index take_from_device(Pool& pool, std::int64_t size);
  Index take_expandable(Pool& pool, std::int64_t size);
  Index find_expandable(Pool& pool, std::int64_t size);
  bool has_room(Index first, std::int64_t size) const;
  bool map(Pool& pool, Index index, std::int64_t size);
  void unmap(Pool& pool, Index index);
  bool release_oversized(Pool& pool, std::int64_t size);
  void release(Pool& pool, Index index);
  void release_all(Pool& pool);
  bool should_split(const Pool& pool, Index index, std::int64_t size) const;
  void split(Pool& pool, Index index, std::int64_t size);
  void insert_after(Index before, Index index);
  void merge(Pool& pool, Index index, Index neighbour);
  std::int64_t expandable_size(Index index) const;
  std::int64_t granularity(const Pool& pool) const {
    return pool.is_small ? caching::kSmallBuffer : settings_.large_segment_bytes;
  }
  std::int64_t stuck(const Pool& pool) const;

  AllocatorSettings settings_;
  std::vector<Block> blocks_;
  std::vector<Index> unused_;  ///< places of `blocks_` that can be had again
  std::unordered_map<std::int64_t, Index> used_;
  Pool small_;
  Pool large_;
  std::int64_t next_address_ = 0;
  AllocatorUse use_;
};

Index CachingAllocator::State::make(const Block& block) {
  if (unused_.empty()) {
    blocks_.push_back(block);
    return static_cast<Index>(blocks_.size() - 1);
  }
  const Index index = unused_.back();
  unused_.pop_back();
  at(index) = block;
  return index;
}

void CachingAllocator::State::insert(Pool& pool, Index index) {
  const Block& block = at(index);
  if (block.is_mapped) {
    pool.free.insert({block.size, block.address, index});
  } else {
    pool.unmapped.insert({block.address, index});
  }
}

void CachingAllocator::State::erase(Pool& pool, Index index) {
  const Block& block = at(index);
  if (block.is_mapped) {
    pool.free.erase({block.size, block.address, index});
  } else {
    pool.unmapped.erase({block.address, index});
  }
}

/// What a free block can grow to where address space follows it.
std::int64_t CachingAllocator::State::expandable_size(Index index) const {
  const Block& block = at(index);
  const bool can_grow = block.next != kNone && !at(block.next).is_mapped;
  return block.size + (can_grow ? at(block.next).size : 0);
}

/// The best fit among free blocks, taken out of its pool.
Index CachingAllocator::State::take_free(Pool& pool, std::int64_t size) {
  auto found = pool.free.lower_bound({size, 0, kNone});
  if (found == pool.free.end()) return kNone;
  if (settings_.expandable_segments) {
    // A block before address space counts as large as it can become, so that the segment is not broken up needlessly.
    for (auto after = std::next(found);
         after != pool.free.end() && expandable_size(after->index) < expandable_size(found->index); ++after) {
      found = after;
    }
  }
  const bool is_oversized = size >= settings_.max_split_bytes;
  if (!is_oversized && found->size >= settings_.max_split_bytes) return kNone;
  if (is_oversized && found->size - size >= settings_.max_non_split_rounding_bytes) return kNone;
  const Index index = found->index;
  pool.free.erase(found);
  return index;
}

Index CachingAllocator::State::take_from_device(Pool& pool, std::int64_t size) {
  if (settings_.expandable_segments) return take_expandable(pool, size);
  const std::int64_t segment = size <= caching::kSmallSize      ? caching::kSmallBuffer
                               : size < caching::kMinLargeAlloc ? settings_.large_segment_bytes
                                                                : rounded_up(size, caching::kRoundLarge);
  if (segment > settings_.capacity_bytes - use_.reserved) return kNone;
  Block block;
  block.size = segment;
  block.address = next_address_;
  next_address_ += segment;
  use_.reserved += segment;
  return make(block);
}

bool CachingAllocator::State::has_room(Index first, std::int64_t size) const {
  std::int64_t room = 0;
  for (Index index = first; index != kNone && !at(index).is_used && room < size; index = at(index).next) {
    room += at(index).size;
  }
  return room >= size;
}

/// The lowest place of an expandable segment with enough room, some of it without memory yet.
Index CachingAllocator::State::find_expandable(Pool& pool, std::int64_t size) {
  for (const UnmappedBlock& unmapped : pool.unmapped) {
    const Index before = at(unmapped.index).previous;
    const Index first = before != kNone && !at(before).is_used ? before : unmapped.index;
    if (has_room(first, size)) return first;
  }
  assert(!pool.has_expandable_segment);  // its room is larger than any device
  pool.has_expandable_segment = true;
  Block segment;
  segment.size = rounded_up(kExpandableRoom, granularity(pool));
  segment.address = (pool.is_small ? 1 : 2) * segment.size;  // parts begin at multiples of their size
  segment.is_mapped = false;
  segment.is_expandable = true;
  const Index index = make(segment);
  pool.unmapped.insert({segment.address, index});
  return index;
}

/// Gives memory to the beginning of address space; it becomes free, merged with its free neighbours.
bool CachingAllocator::State::map(Pool& pool, Index index, std::int64_t size) {
  const std::int64_t mapped = rounded_up(size, granularity(pool));
  if (mapped > settings_.capacity_bytes - use_.reserved) return false;
  erase(pool, index);
  at(index).is_mapped = true;
  if (mapped < at(index).size) {
    Block rest = at(index);
    rest.is_mapped = false;
    rest.size -= mapped;
    rest.address += mapped;
    at(index).size = mapped;
    const Index rest_index = make(rest);
    insert_after(index, rest_index);
    insert(pool, rest_index);
  }
  merge(pool, index, at(index).previous);
  merge(pool, index, at(index).next);
  insert(pool, index);
  use_.reserved += mapped;
  return true;
}

Index CachingAllocator::State::take_expandable(Pool& pool, std::int64_t size) {
  Index candidate = find_expandable(pool, size);
  if (!at(candidate).is_mapped && !map(pool, candidate, std::min(at(candidate).size, size))) return kNone;
  while (at(candidate).size < size) {
    // Free memory, then address space: the latter swallows the former as it is mapped.
    const Index after = at(candidate).next;
    if (!map(pool, after, std::min(size - at(candidate).size, at(after).size))) return kNone;
    candidate = after;
  }
  erase(pool, candidate);
  return candidate;
}

void CachingAllocator::State::insert_after(Index before, Index index) {
  const Index after = at(before).next;
  at(index).previous = before;
  at(index).next = after;
  at(before).next = index;
  if (after != kNone) at(after).previous = index;
}

bool CachingAllocator::State::should_split(const Pool& pool, Index index, std::int64_t size) const {
  const std::int64_t rest = at(index).size - size;
  if (pool.is_small || settings_.expandable_segments) return rest >= caching::kMinBlockSize;
  return size < settings_.max_split_bytes && rest > caching::kSmallSize;
}

/// Leaves `size` to the block; what it has more becomes a free block behind it.
void CachingAllocator::State::split(Pool& pool, Index index, std::int64_t size) {
  Block rest = at(index);
  rest.size -= size;
  rest.address += size;
  at(index).size = size;
  const Index rest_index = make(rest);
  insert_after(index, rest_index);
  insert(pool, rest_index);
}

/// Adds a neighbour that is free, and of the same kind, to a block that is in no pool.
void CachingAllocator::State::merge(Pool& pool, Index index, Index neighbour) {
  if (neighbour == kNone || at(neighbour).is_used || at(neighbour).is_mapped != at(index).is_mapped) return;
  erase(pool, neighbour);
  Block& block = at(index);
  const Block& other = at(neighbour);
  block.size += other.size;
  if (block.previous == neighbour) {
    block.address = other.address;
    block.previous = other.previous;
    if (block.previous != kNone) at(block.previous).next = index;
  } else {
    block.next = other.next;
    if (block.next != kNone) at(block.next).previous = index;
  }
  drop(neighbour);
}

/// Before everything is given back: with a limit for splitting, only blocks above it, until there is room.
bool CachingAllocator::State::release_oversized(Pool& pool, std::int64_t size) {
  if (settings_.max_split_bytes == AllocatorSettings::kUnlimited) return false;
  const std::int64_t wanted = std::max(size, settings_.max_split_bytes);
  const auto found = pool.free.lower_bound({wanted, 0, kNone});
  if (found != pool.free.end() && !at(found->index).is_expandable) {
    release(pool, found->index);
    return true;
  }
  std::int64_t released = 0;
  for (auto largest = found; largest != pool.free.begin() && released < wanted;) {
    const Index index = std::prev(largest)->index;
    if (at(index).size < settings_.max_split_bytes) break;
    if (at(index).is_expandable) {
      --largest;
      continue;
    }
    released += at(index).size;
    release(pool, index);
  }
  return released >= wanted;
}

/// Gives the segment of a free block that is the whole of it back to the device.
void CachingAllocator::State::release(Pool& pool, Index index) {
  assert(!at(index).is_split());
  erase(pool, index);
  use_.reserved -= at(index).size;
  drop(index);
}

/// Gives back the memory of those parts of an expandable segment that lie within a free block as a whole.
void CachingAllocator::State::unmap(Pool& pool, Index index) {
  const std::int64_t from = rounded_up(at(index).address, granularity(pool));
  const std::int64_t to = rounded_down(at(index).address + at(index).size, granularity(pool));
  if (to <= from) return;
  erase(pool, index);
  if (from > at(index).address) {
    Block before = at(index);
    before.size = from - before.address;
    const Index before_index = make(before);
    at(before_index).next = index;
    if (before.previous != kNone) at(before.previous).next = before_index;
    at(index).previous = before_index;
    insert(pool, before_index);
  }
  const std::int64_t end = at(index).address + at(index).size;
  if (end > to) {
    Block after = at(index);
    after.address = to;
    after.size = end - to;
    const Index after_index = make(after);
    insert_after(index, after_index);
    insert(pool, after_index);
  }
  at(index).address = from;
  at(index).size = to - from;
  at(index).is_mapped = false;
  merge(pool, index, at(index).previous);
  merge(pool, index, at(index).next);
  insert(pool, index);
  use_.reserved -= to - from;
}

void CachingAllocator::State::release_all(Pool& pool) {
  std::vector<Index> whole;
  std::vector<Index> expandable;
  for (const FreeBlock& block : pool.free) {
    if (at(block.index).is_expandable) {
      expandable.push_back(block.index);
    } else if (!at(block.index).is_split()) {
      whole.push_back(block.index);
    }
  }
  for (const Index index : whole) release(pool, index);
  for (const Index index : expandable) unmap(pool, index);
}

void CachingAllocator::State::empty_cache() {
  release_all(large_);
  release_all(small_);
}

bool CachingAllocator::State::allocate(std::int64_t number, std::int64_t bytes) {
  assert(bytes >= 0);
  assert(used_.find(number) == used_.end());
  if (bytes == 0) {
    used_.emplace(number, kNone);
    return true;
  }
  const std::int64_t size = rounded_up(bytes, caching::kMinBlockSize);
  Pool& pool = pool_of(size);
  Index index = take_free(pool, size);
  if (index == kNone) index = take_from_device(pool, size);
  if (index == kNone && release_oversized(pool, size)) index = take_from_device(pool, size);
  if (index == kNone) {
    empty_cache();
    index = take_from_device(pool, size);
  }
  if (index == kNone) return false;
  if (should_split(pool, index, size)) split(pool, index, size);
  Block& block = at(index);
  block.is_used = true;
  block.requested = bytes;
  use_.requested += bytes;
  use_.allocated += block.size;
  used_.emplace(number, index);
  return true;
}

void CachingAllocator::State::free(std::int64_t number) {
  const auto found = used_.find(number);
  assert(found != used_.end());
  const Index index = found->second;
  used_.erase(found);
  if (index == kNone) return;
  Block& block = at(index);
  use_.requested -= block.requested;
  use_.allocated -= block.size;
  // What stands in the small pool was cut to at most 1 MiB there: its size tells its pool as long as it is in use.
  Pool& pool = pool_of(block.size);
  block.is_used = false;
  merge(pool, index, block.previous);
  merge(pool, index, block.next);
  insert(pool, index);
}

/// Free memory in segments that are partly in use, or, of an expandable segment, in parts that are.
std::int64_t CachingAllocator::State::stuck(const Pool& pool) const {
  std::int64_t bytes = 0;
  for (const FreeBlock& free : pool.free) {
    const Block& block = at(free.index);
    if (block.is_expandable) {
      const std::int64_t from = rounded_up(block.address, granularity(pool));
      const std::int64_t to = rounded_down(block.address + block.size, granularity(pool));
      bytes += block.size - std::max<std::int64_t>(to - from, 0);
    } else if (block.is_split()) {
      bytes += block.size;
    }
  }
  return bytes;
}

FreeMemory CachingAllocator::State::free_memory() const {
  FreeMemory memory;
  for (const Pool* const pool : {&small_, &large_}) {
    memory.stuck += stuck(*pool);
    if (!pool->free.empty()) memory.largest = std::max(memory.largest, pool->free.rbegin()->size);
  }
  return memory;
}

CachingAllocator::CachingAllocator(const AllocatorSettings& settings) : state_(std::make_unique<State>(settings)) {}
CachingAllocator::~CachingAllocator() = default;
CachingAllocator::CachingAllocator(CachingAllocator&&) noexcept = default;
CachingAllocator& CachingAllocator::operator=(CachingAllocator&&) noexcept = default;

bool CachingAllocator::allocate(std::int64_t block, std::int64_t bytes) { return state_->allocate(block, bytes); }
void CachingAllocator::free(std::int64_t block) { state_->free(block); }
void CachingAllocator::empty_cache() { state_->empty_cache(); }
const AllocatorUse& CachingAllocator::use() const { return state_->use(); }
FreeMemory CachingAllocator::free_memory() const { return state_->free_memory(); }

}  // namespace mantissa::memory
