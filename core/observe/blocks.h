// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/observe/parallel.h"

namespace mantissa::observe {

/// Elements that are looked at before the next ones: they stay in the first-level cache for a second look.
inline constexpr std::int64_t kBlock = 2048;

/// `of_block(begin, length)` for every block of kBlock elements, in order. Many blocks are shared between threads; as
/// each depends on its own elements alone, and whoever adds them does so in their order, the bits are the same on any
/// number of threads. `of_block` must not throw.
template <class Sums, class OfBlock>
std::vector<Sums> of_blocks(std::int64_t count, const OfBlock& of_block) {
  constexpr std::int64_t kGrain = 8;  // below that, waking a thread takes longer than its share
  const std::int64_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<Sums> sums(static_cast<std::size_t>(blocks));
  in_parallel(blocks, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t begin = block * kBlock;
      sums[static_cast<std::size_t>(block)] = of_block(begin, std::min(kBlock, count - begin));
    }
  });
  return sums;
}

}  // namespace mantissa::observe
