// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/spec/experiment.h"

namespace mantissa::train {

/// A learning rate schedule in PyTorch's recursive form (closed forms differ in the last bits). Advances on applied
/// updates only: a skipped step leaves it where it is.
class Schedule {
 public:
  Schedule(const spec::Schedule& settings, double learning_rate) : settings_(settings), learning_rate_(learning_rate) {}

  double learning_rate() const { return learning_rate_; }

  /// After an applied update.
  void advance() {
    ++updates_;
    // torch.optim.lr_scheduler.StepLR
    if (settings_.kind == spec::ScheduleKind::Step && updates_ % settings_.every == 0)
      learning_rate_ *= settings_.gamma;
  }

 private:
  spec::Schedule settings_;
  double learning_rate_;
  std::int64_t updates_ = 0;
};

}  // namespace mantissa::train
