// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/data/dataset.h"
#include "core/spec/experiment.h"

namespace mantissa::train {

struct Microbatch {
  at::Tensor inputs;
  at::Tensor targets;
};

/// The microbatches of one attempted step.
struct Window {
  std::vector<Microbatch> microbatches;
  std::int64_t epoch = 0;    ///< from 0
  std::int64_t samples = 0;  ///< rows in all microbatches
};

/// Which rows every attempted step sees: epochs in the experiment's order, cut into microbatches and windows.
///
/// A window ends at the epoch's end; a short last one holds fewer microbatches, and a short last microbatch fewer rows
/// unless drop_last. All arms of a run get the same windows.
class BatchPlan {
 public:
  /// `train` must outlive the plan.
  /// \throws Error InvalidSetting where a batch is larger than the data.
  BatchPlan(const spec::Experiment& experiment, const data::Part& train);

  /// Attempted steps of the whole plan.
  std::int64_t total_steps() const { return total_steps_; }

  /// Microbatches of the whole plan.
  std::int64_t total_iterations() const;

  /// Rows of a full microbatch.
  std::int64_t batch() const { return batch_; }

  /// The next window; its tensors stay valid until the call after. Nothing after the last step.
  const Window* next();

 private:
  void begin_epoch();
  Microbatch microbatch(std::int64_t first, std::int64_t rows) const;

  const spec::Experiment& experiment_;
  const data::Part& train_;
  std::int64_t batch_ = 0;
  std::int64_t microbatches_per_epoch_ = 0;
  std::int64_t total_steps_ = 0;
  std::int64_t steps_done_ = 0;
  std::int64_t epoch_ = -1;
  std::int64_t next_microbatch_ = 0;
  at::Tensor order_;       // of this epoch
  data::Part epoch_rows_;  // gathered in order where the part is small, otherwise empty
  Window window_;
};

}  // namespace mantissa::train
