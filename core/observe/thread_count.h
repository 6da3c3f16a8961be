// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/Parallel.h>

namespace mantissa::observe {

/// Lets operators run on another number of threads for as long as the object lives. Sums are split differently then:
/// what that changes is rounding alone.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(at::get_num_threads()) { at::set_num_threads(threads); }
  ~ThreadCount() { at::set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace mantissa::observe
