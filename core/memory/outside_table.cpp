// SPDX-License-Identifier: Apache-2.0
#include "core/memory/outside_table.h"

namespace mantissa::memory {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

constexpr std::array<OutsideFigure, 3> kFigures = {{
    {"CUDA context and kernels", 555 * kMiB,
     "one process on a device, CUDA 12.2 or later on Linux, which loads kernels when they are first used",
     "reported of bare contexts: 107 MiB (RTX 4060 Ti), 555 MiB (RTX PRO 6000), "
     "github.com/ggml-org/llama.cpp/pull/23604; "
     "with PyTorch's first kernels 287 MB, 667 MB where all are loaded at once, github.com/pytorch/pytorch/pull/86509"},
    {"workspace of cuBLAS", 32 * kMiB,
     "from the first matrix product on, in PyTorch's allocator; 8,519,680 bytes before compute capability 9.0",
     "getChosenWorkspaceSize, aten/src/ATen/cuda/CublasHandlePool.cpp; NVIDIA recommends 32 MiB for Hopper, "
     "docs.nvidia.com/cuda/cublas, cublasSetWorkspace"},
    {"workspace of cuBLASLt", 32 * kMiB,
     "from the first linear layer with a bias on, in PyTorch's allocator; 1 MiB to 4 MiB before compute capability 9.0",
     "_parseChosenWorkspaceSize, aten/src/ATen/cuda/CUDABlas.cpp, github.com/pytorch/pytorch/pull/120925"},
}};

}  // namespace

const std::array<OutsideFigure, 3>& outside_figures() { return kFigures; }

std::optional<std::int64_t> outside_from_table(std::int64_t capacity_bytes) {
  if (capacity_bytes < kSmallestCudaDevice) return std::nullopt;
  std::int64_t sum = 0;
  for (const OutsideFigure& figure : kFigures) sum += figure.bytes;
  return sum;
}

}  // namespace mantissa::memory
