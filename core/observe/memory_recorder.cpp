// SPDX-License-Identifier: Apache-2.0
#include "core/observe/memory_recorder.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "core/observe/memory_reporting.h"

namespace mantissa::observe {
namespace {

/// A lock guards all of it: autograd hands the recorder on to threads of its own.
class Counter : public c10::MemoryReportingInfoBase {
 public:
  explicit Counter(c10::DeviceType device) : device_(device) {}

  void reportMemoryUsage(void* address, std::int64_t size, std::size_t /*allocated*/, std::size_t /*reserved*/,
                         c10::Device device) override {
    if (device.type() != device_) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > 0) {
      sizes_[address] = size;
      live_ += size;
      peak_ = std::max(peak_, live_);
    } else if (const auto found = sizes_.find(address); found != sizes_.end()) {
      live_ -= found->second;
      sizes_.erase(found);
    }
  }

  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t live() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_;
  }
  std::int64_t peak() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return peak_;
  }
  void reset_peak() {
    const std::lock_guard<std::mutex> lock(mutex_);
    peak_ = live_;
  }

 private:
  const c10::DeviceType device_;
  mutable std::mutex mutex_;
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
  // Of what is live. LibTorch has such a table, too, for all recorders that ever were: it would tell of the free of an
  // address whose size an earlier one has left there, although this one never saw it allocated.
  std::unordered_map<const void*, std::int64_t> sizes_;
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
