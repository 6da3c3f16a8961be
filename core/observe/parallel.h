// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace mantissa::observe {

/// Calls `work(begin, end)` for parts of [0, count) at once on as many threads as at::set_num_threads allows, or for
/// all of it on the calling thread where count ≤ grain or an operator of ATen is already running in parallel.
/// `work` must not throw.
void in_parallel(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work);

}  // namespace mantissa::observe
