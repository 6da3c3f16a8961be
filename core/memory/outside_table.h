// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa::memory {

/// Device memory that no trace on a CPU shows.
struct OutsideFigure {
  std::string_view what;
  std::int64_t bytes = 0;
  std::string_view applies;  ///< when it is taken
  std::string_view source;
};

/// What a process takes of a CUDA device beside the tensors of its steps, where nobody has measured it: figures that
/// others have reported or that stand in a library's source, each the larger one where they differ by device. They say
/// how much is missing in a ledger without them, not what a certain device takes: type what its own tool shows.
///
/// Not in it: workspaces of cuDNN, which come from PyTorch's allocator for the length of a call and depend on the
/// algorithm that it chooses, and NCCL, for a run has one device.
const std::array<OutsideFigure, 3>& outside_figures();

/// No device that CUDA 13 supports (compute capability 7.5 and later) has less: a smaller one is no GPU, and the table
/// says nothing of it.
inline constexpr std::int64_t kSmallestCudaDevice = 2'000'000'000;

/// The sum of the table; nothing for a capacity below kSmallestCudaDevice.
std::optional<std::int64_t> outside_from_table(std::int64_t capacity_bytes);

}  // namespace mantissa::memory
