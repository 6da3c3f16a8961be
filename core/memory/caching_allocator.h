// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
namespace mantissa::memory {

/// The constants of PyTorch's CUDA caching allocator, as in torch 2.11.0 (git 70d99e99), c10/core/AllocatorConfig.h.
namespace caching {
inline constexpr std::int64_t kMinBlockSize = 512;          ///< every size is rounded up to a multiple of it
inline constexpr std::int64_t kSmallSize = 1'048'576;       ///< the largest size that the small pool serves
inline constexpr std::int64_t kSmallBuffer = 2'097'152;     ///< a segment of the small pool
inline constexpr std::int64_t kMinLargeAlloc = 10'485'760;  ///< from here on a segment of its own size
inline constexpr std::int64_t kRoundLarge = 2'097'152;      ///< such segments are multiples of it
inline constexpr std::int64_t kLargeSegment = 20'971'520;   ///< large_segment_size: a segment for 1 to 10 MiB
}  // namespace caching

/// What PYTORCH_CUDA_ALLOC_CONF sets, as far as it is simulated; the defaults are PyTorch's.
struct AllocatorSettings {
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  std::int64_t large_segment_bytes = caching::kLargeSegment;
  std::int64_t max_split_bytes = kUnlimited;                           ///< larger blocks are never split
  std::int64_t max_non_split_rounding_bytes = caching::kLargeSegment;  ///< what they may be too large by
  bool expandable_segments = false;
  std::int64_t capacity_bytes = kUnlimited;  ///< what all segments together may take
};

/// What an allocator holds. All in bytes.
struct AllocatorUse {
  std::int64_t requested = 0;  ///< as asked for
  std::int64_t allocated = 0;  ///< in blocks that are in use: what rounding adds and what was not split off included
  std::int64_t reserved = 0;   ///< in segments, taken from the device
};

/// What is reserved and not in use. All in bytes.
struct FreeMemory {
  std::int64_t stuck = 0;    ///< in segments that are partly in use: it cannot go back to the device
  std::int64_t largest = 0;  ///< the largest free block: what can be had without a new segment
};

/// PyTorch's CUDA caching allocator, on one stream, without a device: where each block lies is worked out, not done.
///
/// The rules are those of c10/cuda/CUDACachingAllocator.cpp (malloc, get_free_block, alloc_block,
/// try_allocate_expandable_block, free_block, release_cached_blocks): sizes are rounded up to 512 bytes; up to 1 MiB
/// are served by the small pool, in segments of 2 MiB, all others by the large pool, in segments of 20 MiB below 10 MiB
/// and of their own size, rounded up to 2 MiB, from there on. The smallest free block that is large enough is taken, of
/// equals the one at the lowest address, and what it has more is split off: 512 bytes or more in the small pool and in
/// expandable segments, more than 1 MiB in the large pool. A block that is freed merges with free neighbours. Where the
/// device is full, what is free as a whole segment goes back to it before an allocation fails.
///
/// Not simulated: other streams, graph capture and private pools, garbage_collection_threshold and
/// roundup_power2_divisions. Addresses that the device gives rise; a real device may give an address again.
class CachingAllocator {
 public:
  /// \throws Error InvalidSetting  for a segment below 10 MiB or no multiple of 2 MiB, a negative capacity, or a
  ///         max_split_bytes below 20 MiB: PyTorch refuses the same
  explicit CachingAllocator(const AllocatorSettings& settings = {});
  ~CachingAllocator();
  CachingAllocator(CachingAllocator&&) noexcept;
  CachingAllocator& operator=(CachingAllocator&&) noexcept;

  /// \param block  the caller's number for it, unique among the blocks in use. 0 bytes take nothing.
  /// \return false: out of memory; the state is as after torch.cuda.empty_cache
  bool allocate(std::int64_t block, std::int64_t bytes);

  /// A number that is not in use is our own bug.
  void free(std::int64_t block);

  /// Gives everything that is free as a whole back to the device: torch.cuda.empty_cache.
  void empty_cache();

  const AllocatorUse& use() const;
  /// Looks at every free block.
  FreeMemory free_memory() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace mantissa::memory
