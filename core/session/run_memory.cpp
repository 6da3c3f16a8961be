// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_memory.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <malloc.h>

#include "core/base/error.h"
#include "core/memory/step_forecast.h"
#include "core/session/arm_trace.h"
#include "core/session/run_arms.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

using Clock = std::chrono::steady_clock;
using record::MemoryCategory;
using record::MemoryComparison;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

record::MemoryPeak without_inputs(const record::StepTrace& trace) {
  const memory::StepPeak peak = memory::peak_of(trace);
  record::MemoryPeak rest{peak.bytes, peak.by_category};
  std::int64_t& inputs = rest.by_category[static_cast<std::size_t>(MemoryCategory::Inputs)];
  rest.bytes -= inputs;
  inputs = 0;
  return rest;
}

std::int64_t samples_of(const StepSize& size) { return size.microbatch * size.accumulation; }

/// Two steps of each.
double traced_samples(const std::vector<StepSize>& sizes) {
  double samples = 0.0;
  for (const StepSize& size : sizes) samples += 2.0 * static_cast<double>(samples_of(size));
  return samples;
}

std::string microbatches_of(const std::vector<StepSize>& sizes) {
  std::string words;
  std::int64_t last = 0;
  for (const StepSize& size : sizes) {
    if (size.accumulation != sizes.front().accumulation || size.microbatch == last) continue;
    last = size.microbatch;
    words += (words.empty() ? "" : ", ") + std::to_string(last);
  }
  return words;
}

/// Whether the step began with what a step before had made.
bool is_steady(const record::StepRecord& step) { return step.applied_updates >= (step.skipped ? 1 : 2); }

void add_sentence(std::string& text, const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; }

}  // namespace

RunMemory::RunMemory(const Prepared& prepared, const std::vector<const spec::Trial*>& trials,
                     const train::BatchPlan& plan, std::int64_t remaining_steps)
    : prepared_(prepared), microbatch_(plan.batch()), remaining_steps_(remaining_steps) {
  // A window ends with its epoch.
  const std::int64_t rows = prepared.dataset.train.rows();
  const std::int64_t of_an_epoch = std::max<std::int64_t>(1, rows / microbatch_);
  accumulation_ = std::min<std::int64_t>(prepared.experiment.training.accumulate, of_an_epoch);
  arms_.resize(1 + trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) arms_[i + 1].trial = trials[i];
  for (ArmState& arm : arms_) {
    arm.memory.microbatch = microbatch_;
    arm.memory.accumulation = accumulation_;
  }
}

std::vector<StepSize> RunMemory::sizes_below(std::int64_t microbatch) const {
  // At least 2: a batch norm cannot train on one sample. Of tiny microbatches the ones beside them.
  std::int64_t low = std::max<std::int64_t>(2, microbatch / 2);
  std::int64_t high = std::max<std::int64_t>(low + 1, microbatch * 3 / 4);
  if (low == microbatch_) ++low;
  high = std::max(high, low + 1);
  if (high == microbatch_) ++high;
  std::vector<StepSize> sizes;
  const std::int64_t most = std::min<std::int64_t>(accumulation_, 3);
  for (std::int64_t accumulation = std::min<std::int64_t>(2, most); accumulation <= most; ++accumulation) {
    sizes.push_back({low, accumulation});
    sizes.push_back({high, accumulation});
  }
  return sizes;
}

std::vector<std::string> RunMemory::predict(const StopToken& stop) {
  std::vector<std::string> notes;
  for (ArmState& arm : arms_) {
    if (stop.requested()) break;
    arm.is_new = true;
    predict_arm(arm, stop);
    if (arm.is_told) notes.push_back(arm_name(arm.trial) + ": " + arm.unpredicted);
  }
#ifdef __GLIBC__
  malloc_trim(0);  // what the traced steps have left free is not to stand in the way of the run
#endif
  return notes;
}

void RunMemory::predict_arm(ArmState& arm, const StopToken& stop) {
  constexpr std::int64_t kSmaller = 4;  // times, where memory does not suffice
  for (std::int64_t microbatch = microbatch_;; microbatch /= kSmaller) {
    const std::vector<StepSize> sizes = sizes_below(microbatch);
    std::string why;
    bool for_memory = false;
    try {
      if (!trace(arm, sizes, stop)) return;
      arm.memory.predicted = without_inputs(arm.forecast->at(microbatch_, accumulation_));
      arm.memory.predicted_from = microbatches_of(sizes);
      return;
    } catch (const Error& error) {
      for_memory = error.kind() == ErrorKind::OutOfMemory;
      why = error.facts().problem;
    } catch (const std::exception& error) {
      const std::optional<std::string> words = train::out_of_memory(error, "while a step was traced");
      for_memory = words.has_value();
      why = words ? *words : train::condensed(error);
    }
    arm.forecast.reset();
    if (for_memory && microbatch / kSmaller >= kSmaller) continue;
    arm.is_told = for_memory;
    if (why.empty() || why.back() != '.') why += '.';
    arm.unpredicted = "Memory is not predicted, because a traced step failed: " + why;
    return;
  }
}

bool RunMemory::trace(ArmState& arm, const std::vector<StepSize>& sizes, const StopToken& stop) {
  const double run_samples = static_cast<double>(microbatch_) * static_cast<double>(accumulation_);
  const double steps = traced_samples(sizes) / run_samples;  // all traced ones in steps of the run
  const double free_seconds = kFreeSeconds / static_cast<double>(arms_.size());
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  std::optional<double> step_seconds;  // of the run, as the fastest traced one suggests
  bool too_slow = false;
  std::vector<record::StepTrace> traces;
  for (const StepSize& size : sizes) {
    const auto goes_on = [&] {
      const double seconds = seconds_since(std::exchange(last, Clock::now()));
      const double whole = seconds * run_samples / static_cast<double>(samples_of(size));
      step_seconds = std::min(step_seconds.value_or(whole), whole);
      const double allowed = std::max(free_seconds, kShare * static_cast<double>(remaining_steps_) * *step_seconds);
      too_slow = steps * *step_seconds > allowed || seconds_since(begin) > 2.0 * allowed;
      return !too_slow && !stop.requested();
    };
    std::optional<record::StepTrace> trace = trace_arm_step(prepared_, arm.trial, size, goes_on);
    if (!trace) break;
    last = Clock::now();
    traces.push_back(std::move(*trace));
  }
  if (traces.size() == sizes.size()) {
    arm.forecast.emplace(traces);
    return true;
  }
  arm.is_told = too_slow;
  if (too_slow) {
    arm.unpredicted =
        "Memory is not predicted, because tracing smaller steps for it would take longer than a twentieth of the "
        "training.";
  }
  return false;
}

void RunMemory::go_on_from(std::size_t place, const std::optional<MemoryComparison>& earlier) {
  ArmState& arm = arms_[place];
  if (!earlier || earlier->microbatch != microbatch_ || earlier->accumulation != accumulation_) return;
  if (!arm.memory.predicted) {
    arm.memory.predicted = earlier->predicted;
    arm.memory.predicted_from = earlier->predicted_from;
  }
  arm.memory.measured = earlier->measured;
  arm.memory.measured_step = earlier->measured_step;
  arm.memory.peak_bytes = earlier->peak_bytes;
}

void RunMemory::watch(train::PairedRun& paired) {
  train::PairedRun::MemoryWish wish;
  wish.microbatch = microbatch_;
  wish.accumulation = accumulation_;
  wish.is_ready = [this](const train::Arm& arm) { return history_is_full(prepared_.experiment, arm); };
  wish.sink = [this](std::size_t place, std::int64_t step, const record::StepTrace& trace) {
    ArmState& arm = arms_[place];
    if (arm.left) return;
    arm.memory.measured = without_inputs(trace);
    arm.memory.measured_step = step;
    arm.is_new = true;
  };
  paired.trace_memory(std::move(wish));
}

void RunMemory::see(std::size_t place, const record::StepRecord& step) {
  if (place >= arms_.size() || arms_[place].left || !step.peak_bytes || !is_steady(step)) return;
  std::optional<std::int64_t>& peak = arms_[place].memory.peak_bytes;
  peak = std::max(peak.value_or(0), *step.peak_bytes);
}

void RunMemory::leave(std::size_t place) {
  if (place < arms_.size()) arms_[place].left = true;
}

void RunMemory::write_news(archive::Writer& writer, const std::vector<std::int64_t>& ids) {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (!std::exchange(arms_[i].is_new, false)) continue;
    writer.write_memory(ids[i], arms_[i].memory);
  }
}

void RunMemory::finish(const train::PairedRun& paired) {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    ArmState& arm = arms_[i];
    MemoryComparison& memory = arm.memory;
    memory.missing.clear();
    arm.is_new = true;
    if (!memory.predicted) {
      add_sentence(memory.missing, arm.unpredicted.empty() ? "Memory was not predicted." : arm.unpredicted);
    }
    if (memory.measured) continue;
    if (!memory.peak_bytes) {
      add_sentence(memory.missing, "No step was measured that began with optimizer state there.");
    } else if (!history_is_full(prepared_.experiment, paired.arm(i))) {
      memory.peak_bytes.reset();  // below what was predicted by what the history still lacks
      add_sentence(memory.missing,
                   "Its optimizer's history, which the prediction counts in full, was not full at the end.");
    } else {
      add_sentence(memory.missing, "No applied step of " + std::to_string(accumulation_) + " × " +
                                       std::to_string(microbatch_) + " samples was there to be traced.");
    }
  }
}

}  // namespace mantissa::session
