// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace mantissa::observe {

/// Counts the tensor memory that the calling thread allocates and frees while the recorder lives, through LibTorch's
/// memory reporting (c10::MemoryReportingInfoBase). Bytes as the allocator hands them out, on every device together.
///
/// Memory from before the recorder that is freed within its life counts as negative. One recorder a thread at a time.
class MemoryRecorder {
 public:
  MemoryRecorder();
  ~MemoryRecorder();
  MemoryRecorder(const MemoryRecorder&) = delete;
  MemoryRecorder& operator=(const MemoryRecorder&) = delete;

  /// Bytes allocated minus bytes freed since construction.
  std::int64_t live() const;

  /// The largest `live()` since construction or the last `reset_peak()`.
  std::int64_t peak() const;

  /// The peak starts anew from the current `live()`.
  void reset_peak();

 private:
  class Guard;
  std::unique_ptr<Guard> guard_;
};

}  // namespace mantissa::observe
