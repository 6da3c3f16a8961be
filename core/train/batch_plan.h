// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>

#include "core/data/dataset.h"
#include "core/spec/experiment.h"
#include "core/train/prefetch.h"
#include "core/train/window.h"

namespace mantissa::train {

/// Which rows every attempted step sees: epochs in the experiment's order, cut into microbatches and windows.
///
/// A window ends at the epoch's end; a short last one holds fewer microbatches, and a short last microbatch fewer rows
/// unless drop_last. All arms of a run get the same windows.
///
/// With data.prefetch windows are made on a thread of their own, that many ahead, where making them is work: rows of a
/// part of kWorthAThread bytes or more are gathered, or copied into page-locked memory (data.pin_memory, for a GPU).
/// Otherwise next() makes them itself: handing over a window costs more than a small one. Order and bits are the same.
class BatchPlan {
 public:
  /// Gathering a part of this size anew for every epoch takes milliseconds, which a thread of its own hides.
  static constexpr std::int64_t kWorthAThread = std::int64_t{8} << 20;

  /// `train` must outlive the plan.
  /// \throws Error InvalidSetting where a batch is larger than the data.
  BatchPlan(const spec::Experiment& experiment, const data::Part& train);
  BatchPlan(const BatchPlan&) = delete;
  BatchPlan& operator=(const BatchPlan&) = delete;

  /// Attempted steps of the whole plan.
  std::int64_t total_steps() const { return total_steps_; }

  /// Microbatches of the whole plan.
  std::int64_t total_iterations() const;

  /// Rows of a full microbatch.
  std::int64_t batch() const { return batch_; }

  /// The next window; its tensors stay valid until the call after. Nothing after the last step.
  const Window* next();

  /// Makes the next window that of attempted step `steps_done` + 1, as after so many calls of next(), in the work of
  /// one epoch. \throws Error CallOrder for a step outside the plan.
  void skip_to(std::int64_t steps_done);

  /// Whether windows are made on a thread of their own.
  bool prefetches() const { return prefetches_; }

 private:
  const Window* make_next();
  void begin_epoch();
  Microbatch microbatch(std::int64_t first, std::int64_t rows) const;
  Microbatch gathered(std::int64_t first, std::int64_t rows) const;

  const spec::Experiment& experiment_;
  const data::Part& train_;
  std::int64_t batch_ = 0;
  std::int64_t microbatches_per_epoch_ = 0;
  std::int64_t windows_per_epoch_ = 0;
  std::int64_t total_steps_ = 0;
  bool pins_ = false;        // into page-locked memory
  bool prefetches_ = false;  // from here on everything belongs to the thread that makes windows
  std::int64_t steps_done_ = 0;
  std::int64_t epoch_ = -1;
  std::int64_t next_microbatch_ = 0;
  at::Tensor order_;       // of this epoch
  data::Part epoch_rows_;  // gathered in order where the part is small, otherwise empty
  Window window_;
  std::unique_ptr<Prefetcher> prefetcher_;  // last: its thread uses all the others
};

}  // namespace mantissa::train
