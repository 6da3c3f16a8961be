// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <c10/core/Allocator.h>
#include <c10/util/Logging.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace mantissa::observe {

/// Has LibTorch tell `reporter` of the memory of the calling thread, and of the backward threads that work for it, for
/// as long as this object lives. One a thread at a time; the one before comes back after it.
class MemoryReporting {
 public:
  explicit MemoryReporting(std::shared_ptr<c10::MemoryReportingInfoBase> reporter)
      : log_level_(FLAGS_caffe2_log_level), guard_(c10::DebugInfoKind::PROFILER_STATE, std::move(reporter)) {
    // LibTorch warns on stderr of every thousandth free of memory from before, which is no fault here.
    constexpr int kErrorsOnly = 2;
    if (FLAGS_caffe2_log_level < kErrorsOnly) FLAGS_caffe2_log_level = kErrorsOnly;
  }
  ~MemoryReporting() { FLAGS_caffe2_log_level = log_level_; }
  MemoryReporting(const MemoryReporting&) = delete;
  MemoryReporting& operator=(const MemoryReporting&) = delete;

 private:
  int log_level_;
  c10::DebugInfoGuard guard_;
};

}  // namespace mantissa::observe
