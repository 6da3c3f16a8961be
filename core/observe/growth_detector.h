// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mantissa::observe {

/// Memory that grows step by step.
struct MemoryGrowth {
  std::int64_t since_step = 0;      ///< the first step that is part of the fit
  std::int64_t bytes_per_step = 0;  ///< the slope of the line through the smallest values of the blocks
};

/// Tells memory that grows step by step, as a retained graph makes it grow, from memory that goes up and down.
///
/// Live bytes after each step are cut into blocks of kBlockSteps. A block is worth its smallest value: a short last
/// batch, an evaluation or a longer sequence moves single steps, but what is kept alive raises all of them. Memory
/// grows where the smallest values of kBlocks blocks in a row rise, each by at least kSteadiness of what the
/// least-squares line through them says. So nothing is found before kBlocks * kBlockSteps steps, and what fills up
/// within them and then stays (optimizer state, caches) is no growth.
class GrowthDetector {
 public:
  static constexpr std::size_t kBlockSteps = 32;
  static constexpr std::size_t kBlocks = 8;
  static constexpr std::size_t kBaseSteps = 4;
  static constexpr double kSteadiness = 0.8;

  /// The memory that an arm holds after an attempted step, in bytes. Steps before the first applied update do not
  /// belong here: optimizer state is not there yet.
  void add(std::int64_t step, std::int64_t live_bytes);

  /// Whether it grows, as the latest whole blocks show.
  const std::optional<MemoryGrowth>& growth() const { return growth_; }

  /// What the latest kBaseSteps steps hold at least beyond what the first kBaseSteps held at most; 0 where that is
  /// less, and before there are so many steps.
  std::int64_t grown_bytes() const;

 private:
  struct Block {
    std::int64_t first_step = 0;
    std::int64_t least = 0;
  };
  void end_block();

  std::vector<Block> blocks_;  // the latest kBlocks whole ones
  Block current_;
  std::size_t in_current_ = 0;
  std::optional<MemoryGrowth> growth_;
  std::optional<std::int64_t> base_;  // the most of the first steps
  std::vector<std::int64_t> latest_;  // kBaseSteps of them
  std::size_t steps_ = 0;
};

}  // namespace mantissa::observe
