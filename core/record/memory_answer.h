// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::record {

/// What is told to a run of which an arm ran out of memory.
struct MemoryAnswer {
  std::string text;     ///< sentences: what was needed, what fits, which command goes on from here
  std::string command;  ///< the next one, for a shell; empty where there is none

  /// Samples of the largest that fits; nothing where none does, or where it is not known.
  std::optional<std::int64_t> largest_microbatch;

  /// A microbatch that fits and divides the samples of an update, the largest first.
  struct Plan {
    std::int64_t microbatch = 0;
    std::int64_t accumulation = 0;
    std::int64_t bytes = 0;  ///< about what the run needs with it
  };
  std::vector<Plan> plans;
};

}  // namespace mantissa::record
