// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/spec/experiment.h"

namespace mantissa::train {

/// A learning rate schedule: the classes of torch.optim.lr_scheduler in their recursive form, in double (closed forms
/// differ in the last bits): StepLR, ExponentialLR, CosineAnnealingLR(T_max = total - warmup, eta_min = min_lr) and
/// LinearLR(start_factor = 1, end_factor, total_iters = total - warmup).
///
/// Warm-up comes first: lr * (k + 1) / warmup at count k < warmup, then the schedule from its own count 0 with the full
/// rate. Past the horizon a cosine rises again and a linear schedule stays, as PyTorch's do.
///
/// Counts are applied updates: a skipped step leaves the schedule where it is. With `per = iteration` they are
/// microbatches, skipped or not; the rate of a step is the one at the first of its microbatches.
class Schedule {
 public:
  /// \throws Error InvalidSetting for a cosine or linear schedule without a horizon, or one that ends in the warm-up.
  Schedule(const spec::Schedule& settings, double learning_rate);

  double learning_rate() const { return learning_rate_; }
  spec::SchedulePer per() const { return settings_.per; }

  /// After a step: by one where its update was applied, or by its microbatches.
  void after_step(bool applied, std::int64_t microbatches);

  /// One count on.
  void advance();

  /// What a checkpoint keeps; the settings come from the experiment.
  struct State {
    std::int64_t count = 0;
    double learning_rate = 0.0;
  };
  State state() const { return {count_, learning_rate_}; }
  void load(const State& state);

 private:
  double next_rate(std::int64_t own_count) const;

  spec::Schedule settings_;
  double base_rate_;
  std::int64_t horizon_;  // T_max or total_iters: without the warm-up
  std::int64_t count_ = 0;
  double learning_rate_;
};

}  // namespace mantissa::train
