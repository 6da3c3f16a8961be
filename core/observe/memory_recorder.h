// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <c10/core/DeviceType.h>

namespace mantissa::observe {

/// Counts the tensor memory that the calling thread allocates and frees while the recorder lives, through LibTorch's
/// memory reporting (c10::MemoryReportingInfoBase): bytes as the allocator of one kind of device hands them out.
///
/// What it has not seen allocated does not count when it is freed within the recorder's life. One recorder a thread at
/// a time; backward threads report to the recorder of the thread that called them.
class MemoryRecorder {
 public:
  explicit MemoryRecorder(c10::DeviceType device = c10::DeviceType::CPU);
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
