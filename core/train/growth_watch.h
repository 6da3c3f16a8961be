// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/observe/growth_detector.h"
#include "core/train/arm.h"

namespace mantissa::train {

/// Watches the live memory of one arm from step to step. Where it grows (growth_detector.h) or has grown beyond the
/// limit, the next step is traced, so that what is said names the part of the step and the modules that make what
/// stays. Growth is a warning, where the traced step did leave something behind: an optimizer's history that fills up
/// does not. Beyond the limit it fails the arm for want of memory, before the machine dies.
class GrowthWatch {
 public:
  /// \param limit_bytes  budget.growth_limit; nothing: warnings alone
  explicit GrowthWatch(std::optional<std::int64_t> limit_bytes) : limit_(limit_bytes) {}

  /// After an attempted step of the arm. Adds a warning to it, or fails it.
  void after_step(Arm& arm, std::int64_t step, std::int64_t live_bytes);

  /// Whether the gradients of the next step are to be computed within `trace`.
  bool wants_trace() const { return wants_trace_; }

  /// Runs `phase`, which computes the attempt's gradients, and finds out what stays of it.
  void trace(const Arm& arm, Attempt& attempt, const std::function<void()>& phase);

 private:
  bool is_over_limit() const { return limit_ && detector_.grown_bytes() > *limit_; }

  observe::GrowthDetector detector_;
  std::optional<std::int64_t> limit_;
  bool wants_trace_ = false;
  bool traced_ = false;
  bool warned_ = false;
  std::int64_t left_ = 0;        ///< bytes of the traced step's gradients that nothing owns
  std::string origin_;           ///< a sentence on them; empty: none
  std::int64_t next_trace_ = 0;  ///< not before this step
};

}  // namespace mantissa::train
