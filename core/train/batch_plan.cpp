// SPDX-License-Identifier: Apache-2.0
#include "core/train/batch_plan.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <ATen/ATen.h>

#include "core/base/error.h"

namespace mantissa::train {
namespace {

// Up to this size a whole epoch is gathered at once: one index_select an epoch instead of two a microbatch.
constexpr std::int64_t kGatherBytes = std::int64_t{64} << 20;

/// Rows of a part as a tensor that starts where the allocator would put it: MKL's products differ in the last bit for
/// data that is not aligned to 64 bytes, and Python's x[rows] always is.
at::Tensor aligned_rows(const at::Tensor& part, std::int64_t first, std::int64_t rows) {
  constexpr std::uintptr_t kAlignment = 64;
  at::Tensor view = part.narrow(0, first, rows);
  const bool aligned = reinterpret_cast<std::uintptr_t>(view.const_data_ptr()) % kAlignment == 0;
  return aligned ? view : view.clone();
}

std::int64_t default_batch(std::int64_t rows) { return std::min<std::int64_t>(64, rows); }

[[noreturn]] void refuse_batch(const spec::Experiment& experiment, std::int64_t batch, std::int64_t rows) {
  throw Error(ErrorKind::InvalidSetting,
              {"a batch larger than the training data", experiment.file, experiment.position("training.batch").line, 0,
               "training.batch", std::to_string(batch), "at most the " + std::to_string(rows) + " training rows", ""});
}

/// Steps, microbatches and samples are counted in 64 bits. \param samples  of a window
void refuse_endless_plan(const spec::Experiment& experiment, std::int64_t windows_per_epoch, std::int64_t samples) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;  // doubles in exports hold every smaller integer
  const spec::Training& training = experiment.training;
  const std::int64_t asked = training.epochs ? *training.epochs : training.steps.value_or(0);
  const std::int64_t steps_each = training.epochs ? windows_per_epoch : 1;
  const std::int64_t most = kMost / steps_each / samples;
  if (asked <= most) return;
  const std::string key = training.epochs ? "training.epochs" : "training.steps";
  throw Error(ErrorKind::InvalidSetting,
              {"more samples than can be counted", experiment.file, experiment.position(key).line, 0, key,
               std::to_string(asked), "at most " + std::to_string(most), ""});
}

}  // namespace

BatchPlan::BatchPlan(const spec::Experiment& experiment, const data::Part& train)
    : experiment_(experiment), train_(train) {
  const spec::Training& training = experiment.training;
  const std::int64_t rows = train.rows();
  batch_ = training.batch.value_or(default_batch(rows));
  if (batch_ > rows) refuse_batch(experiment, batch_, rows);
  microbatches_per_epoch_ = training.drop_last ? rows / batch_ : (rows + batch_ - 1) / batch_;
  windows_per_epoch_ = 1 + (microbatches_per_epoch_ - 1) / training.accumulate;
  refuse_endless_plan(experiment, windows_per_epoch_, batch_ * std::min(training.accumulate, microbatches_per_epoch_));
  total_steps_ = training.epochs ? *training.epochs * windows_per_epoch_ : training.steps.value_or(0);
  const bool on_gpu = training.device.rfind("cuda", 0) == 0;
  pins_ = on_gpu && experiment.data.pin_memory != spec::PinMemory::Never;
  const bool gathers = experiment.data.order != spec::Order::File;
  const bool large = static_cast<std::int64_t>(train.inputs.nbytes() + train.targets.nbytes()) >= kWorthAThread;
  prefetches_ = experiment.data.prefetch > 0 && (pins_ || (gathers && large));
}

std::int64_t BatchPlan::total_iterations() const {
  const std::int64_t epochs = total_steps_ / windows_per_epoch_;
  // Only the last window of an epoch may be short.
  return epochs * microbatches_per_epoch_ + total_steps_ % windows_per_epoch_ * experiment_.training.accumulate;
}

void BatchPlan::begin_epoch() {
  ++epoch_;
  next_microbatch_ = 0;
  if (experiment_.data.order == spec::Order::File) {
    epoch_rows_ = train_;
    return;
  }
  order_ = data::epoch_order(experiment_, train_.rows(), epoch_);
  if (static_cast<std::int64_t>(train_.inputs.nbytes()) <= kGatherBytes) {
    epoch_rows_.inputs = train_.inputs.index_select(0, order_);
    epoch_rows_.targets = train_.targets.index_select(0, order_);
  } else {
    epoch_rows_ = data::Part();
  }
}

Microbatch BatchPlan::microbatch(std::int64_t first, std::int64_t rows) const {
  Microbatch made = gathered(first, rows);
  if (pins_) return {made.inputs.pin_memory(), made.targets.pin_memory()};
  return made;
}

Microbatch BatchPlan::gathered(std::int64_t first, std::int64_t rows) const {
  if (epoch_rows_.inputs.defined()) {
    return {aligned_rows(epoch_rows_.inputs, first, rows), aligned_rows(epoch_rows_.targets, first, rows)};
  }
  const at::Tensor chosen = order_.narrow(0, first, rows);
  return {train_.inputs.index_select(0, chosen), train_.targets.index_select(0, chosen)};
}

const Window* BatchPlan::next() {
  if (!prefetches_) return make_next();
  if (!prefetcher_) {
    prefetcher_ = std::make_unique<Prefetcher>([this] { return make_next(); },
                                               static_cast<std::size_t>(experiment_.data.prefetch));
  }
  return prefetcher_->next();
}

void BatchPlan::skip_to(std::int64_t steps_done) {
  if (steps_done < 0 || steps_done > total_steps_) {
    throw Error(ErrorKind::CallOrder, {"a step outside the plan", "", 0, 0, "step", std::to_string(steps_done),
                                       "0 to " + std::to_string(total_steps_), ""});
  }
  prefetcher_.reset();  // its thread is the plan's only other user
  steps_done_ = steps_done;
  const std::int64_t in_epoch = steps_done % windows_per_epoch_;
  epoch_ = steps_done / windows_per_epoch_ - 1;
  next_microbatch_ = microbatches_per_epoch_;  // the epoch before is over
  if (in_epoch == 0) return;
  begin_epoch();
  next_microbatch_ = in_epoch * experiment_.training.accumulate;
}

const Window* BatchPlan::make_next() {
  if (steps_done_ == total_steps_) return nullptr;
  if (epoch_ < 0 || next_microbatch_ == microbatches_per_epoch_) begin_epoch();
  ++steps_done_;
  window_.microbatches.clear();
  window_.epoch = epoch_;
  window_.samples = 0;
  const std::int64_t end = std::min(next_microbatch_ + experiment_.training.accumulate, microbatches_per_epoch_);
  for (; next_microbatch_ < end; ++next_microbatch_) {
    const std::int64_t first = next_microbatch_ * batch_;
    const std::int64_t rows = std::min(batch_, train_.rows() - first);
    window_.microbatches.push_back(microbatch(first, rows));
    window_.samples += rows;
  }
  return &window_;
}

}  // namespace mantissa::train
