// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mantissa::session {

/// What a process may still take.
struct MemoryThere {
  std::int64_t bytes = 0;
  std::string of;  ///< what says so: "the machine", "the limit of address space (ulimit -v)"
};

/// The least of what the machine has left (MemAvailable) and of what the limits of this process and of its control
/// group leave: address space (less what further threads reserve of it), data, memory.max. On a GPU what its driver
/// calls free. Nothing where nobody tells. \param device  "cpu", "cuda", "cuda:1"
std::optional<MemoryThere> memory_there(const std::string& device);

}  // namespace mantissa::session
