// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/observe/growth_detector.h"
#include "core/observe/memory_tracer.h"
#include "core/train/arm.h"

namespace mantissa::train {

/// Watches the live memory of one arm from step to step, the history of LBFGS left out, which fills up and then stays.
/// Where it grows (growth_detector.h) or has grown beyond the limit, kTracedSteps steps are traced: what they made, is
/// still in use after them and belongs to nothing that the arm owns is what is kept alive, and is told by part of the
/// step and module. Growth that leaves nothing behind is no warning. Beyond the limit the arm fails for want of memory,
/// before the machine dies.
class GrowthWatch {
 public:
  /// More than what a model that keeps something every few steps skips.
  static constexpr std::size_t kTracedSteps = 8;

  /// \param limit_bytes  budget.growth_limit; nothing: warnings alone
  explicit GrowthWatch(std::optional<std::int64_t> limit_bytes) : limit_(limit_bytes) {}

  /// Does a part of the arm's step, which is traced where that is due. `attempt` is the one under way.
  void within(const Arm& arm, Attempt& attempt, const std::function<void()>& work);

  /// After an attempted step of the arm. Adds a warning to it, or fails it.
  void after_step(Arm& arm, const Attempt& attempt, std::int64_t step, std::int64_t live_bytes);

 private:
  bool is_over_limit() const { return limit_ && detector_.grown_bytes() > *limit_; }
  void find_origin(const Arm& arm, const Attempt& attempt);
  std::string words(std::int64_t step) const;

  observe::GrowthDetector detector_;
  std::optional<std::int64_t> limit_;
  std::unique_ptr<observe::MemoryTracer> tracer_;  // while steps are traced
  bool wants_trace_ = false;
  std::size_t traced_steps_ = 0;
  std::size_t last_begin_ = 0;  // blocks of the trace when its latest step began
  bool knows_origin_ = false;
  std::int64_t left_ = 0;  // bytes that a traced step leaves behind on average
  std::string origin_;     // a sentence on them; empty: none
  bool warned_ = false;
  std::int64_t next_trace_ = 0;  // not before this step
};

}  // namespace mantissa::train
