// SPDX-License-Identifier: Apache-2.0
// The one file that is compiled with OpenMP: without it at::parallel_for is a loop on the calling thread.
#include "core/observe/parallel.h"

#include <ATen/Parallel.h>

namespace mantissa::observe {

void in_parallel(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work) {
  at::parallel_for(0, count, grain, [&work](std::int64_t begin, std::int64_t end) { work(begin, end); });
}

}  // namespace mantissa::observe
