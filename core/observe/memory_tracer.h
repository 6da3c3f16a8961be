// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/DeviceType.h>

#include "core/record/memory_trace.h"

namespace mantissa::observe {

/// Writes down every allocation and free of tensor memory that the calling thread makes while the tracer lives, through
/// LibTorch's memory reporting. A MemoryRecorder or tracer that the thread already has goes on counting.
///
/// Nothing is computed otherwise with a tracer than without; an allocation costs a few microseconds more. What is freed
/// that the tracer did not see allocated is left out. Backward threads report to the tracer of the thread that called
/// them.
class MemoryTracer {
 public:
  /// What a block was allocated for, as it was when it was allocated.
  struct Origin {
    record::StepPart part = record::StepPart::BeforeForward;
    std::int32_t module = 0;    ///< an index into `modules()`
    bool is_cast_copy = false;  ///< autocast made it of a parameter
  };

  /// \param module_path  of the module that runs on the calling thread; asked at every allocation
  /// \param runs_again   whether a part of forward runs a second time on the calling thread, within backward; asked at
  ///                     every event. Empty: never
  explicit MemoryTracer(std::function<std::string()> module_path, std::function<bool()> runs_again = {},
                        c10::DeviceType device = c10::DeviceType::CPU);
  ~MemoryTracer();
  MemoryTracer(const MemoryTracer&) = delete;
  MemoryTracer& operator=(const MemoryTracer&) = delete;

  /// Hears nothing until `resume`: what is freed meanwhile counts as in use.
  void pause();
  void resume();

  /// A block that was in use before the tracer looked on: as if it were allocated now, before forward. Nothing happens
  /// where the tracer knows a block at this address already.
  void hold(const void* storage, std::int64_t bytes);

  /// What the step is at from here on: events are marked with it.
  void enter(record::StepPart part);

  /// Casts of these are what autocast adds: storage addresses of the model's parameters.
  void set_parameters(const std::vector<const void*>& storages);

  const record::MemoryTrace& events() const;
  const std::vector<bool>& again() const;      ///< by event: whether it belongs to a second run of a part of forward
  const std::vector<Origin>& origins() const;  ///< by block
  const std::vector<std::string>& modules() const;

  /// The block in use that begins at this address: that of a tensor's storage. Nothing where the tracer saw none.
  std::optional<std::int64_t> block_at(const void* storage) const;

 private:
  class Log;
  class Guard;
  std::shared_ptr<Log> log_;
  std::unique_ptr<Guard> guard_;
};

}  // namespace mantissa::observe
