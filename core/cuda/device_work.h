// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <c10/core/Device.h>

namespace mantissa::cuda {

/// Waits until everything that this thread gave a device to do is done. At once on the CPU.
void synchronize(c10::Device device);

/// Measures how long a device works on what stands between `start` and `stop`.
///
/// On a GPU by events in the current stream of the calling thread, so that the time in which the host runs ahead does
/// not count; on the CPU by the steady clock.
class DeviceTimer {
 public:
  explicit DeviceTimer(c10::Device device);
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  void start();

  /// Waits for the device. \return seconds since the last `start`.
  double stop();

  /// What the method is called beside a figure: "device events", "steady clock".
  const char* method() const;

 private:
  struct Events;

  c10::Device device_;
  std::unique_ptr<Events> events_;  // nothing on the CPU
  std::chrono::steady_clock::time_point begin_;
};

/// What the caching allocator of a GPU says, in bytes.
struct AllocatorStatistics {
  std::int64_t allocated = 0;
  std::int64_t peak_allocated = 0;
  std::int64_t reserved = 0;  ///< taken from the driver, in use or not
  std::int64_t peak_reserved = 0;
  std::int64_t retries = 0;        ///< allocations that had to give back cached memory first
  std::int64_t out_of_memory = 0;  ///< allocations that failed
};

/// Over all streams of a device since the process began or the last `reset_peak`. All zero on the CPU, whose allocator
/// keeps no statistics (observe/memory_recorder.h measures there).
AllocatorStatistics allocator_statistics(c10::Device device);

/// The peaks start anew from what is allocated now.
void reset_peak(c10::Device device);

}  // namespace mantissa::cuda
