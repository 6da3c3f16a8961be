// SPDX-License-Identifier: Apache-2.0
#include "core/observe/memory_recorder.h"

#include <atomic>
#include <cstddef>

#include <c10/core/Allocator.h>
#include <c10/util/Logging.h>
#include <c10/util/ThreadLocalDebugInfo.h>

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
  explicit Guard(c10::DeviceType device)
      : log_level_(FLAGS_caffe2_log_level), counter_(std::make_shared<Counter>(device)) {
    // LibTorch warns on stderr of every thousandth free of memory from before the recorder, which is no fault here.
    constexpr int kErrorsOnly = 2;
    if (FLAGS_caffe2_log_level < kErrorsOnly) FLAGS_caffe2_log_level = kErrorsOnly;
  }
  ~Guard() { FLAGS_caffe2_log_level = log_level_; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  Counter& counter() { return *counter_; }

 private:
  int log_level_;
  std::shared_ptr<Counter> counter_;
  c10::DebugInfoGuard guard_{c10::DebugInfoKind::PROFILER_STATE, counter_};
};

MemoryRecorder::MemoryRecorder(c10::DeviceType device) : guard_(std::make_unique<Guard>(device)) {}
MemoryRecorder::~MemoryRecorder() = default;

std::int64_t MemoryRecorder::live() const { return guard_->counter().live(); }
std::int64_t MemoryRecorder::peak() const { return guard_->counter().peak(); }
void MemoryRecorder::reset_peak() { guard_->counter().reset_peak(); }

}  // namespace mantissa::observe
