// SPDX-License-Identifier: Apache-2.0
#include "core/observe/memory_recorder.h"

#include <atomic>
#include <cstddef>

#include "core/observe/memory_reporting.h"

namespace mantissa::observe {
namespace {

/// Atomic because autograd hands the recorder on to threads of its own.
class Counter : public c10::MemoryReportingInfoBase {
 public:
  explicit Counter(c10::DeviceType device) : device_(device) {}

  void reportMemoryUsage(void* /*ptr*/, std::int64_t size, std::size_t /*allocated*/, std::size_t /*reserved*/,
                         c10::Device device) override {
    if (device.type() != device_) return;
    const std::int64_t now = live_.fetch_add(size, std::memory_order_relaxed) + size;
    std::int64_t highest = peak_.load(std::memory_order_relaxed);
    while (now > highest && !peak_.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
    }
  }

  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t live() const { return live_.load(std::memory_order_relaxed); }
  std::int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  void reset_peak() { peak_.store(live(), std::memory_order_relaxed); }

 private:
  const c10::DeviceType device_;
  std::atomic<std::int64_t> live_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
};

}  // namespace

class MemoryRecorder::Guard {
 public:
  explicit Guard(c10::DeviceType device) : counter_(std::make_shared<Counter>(device)), reporting_(counter_) {}

  Counter& counter() { return *counter_; }

 private:
  std::shared_ptr<Counter> counter_;
  MemoryReporting reporting_;
};

MemoryRecorder::MemoryRecorder(c10::DeviceType device) : guard_(std::make_unique<Guard>(device)) {}
MemoryRecorder::~MemoryRecorder() = default;

std::int64_t MemoryRecorder::live() const { return guard_->counter().live(); }
std::int64_t MemoryRecorder::peak() const { return guard_->counter().peak(); }
void MemoryRecorder::reset_peak() { guard_->counter().reset_peak(); }

}  // namespace mantissa::observe
