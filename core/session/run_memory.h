// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/writer.h"
#include "core/memory/accumulated_forecast.h"
#include "core/record/memory_comparison.h"
#include "core/record/step_record.h"
#include "core/session/prepared.h"
#include "core/session/run_control.h"
#include "core/session/step_memory.h"
#include "core/spec/experiment.h"
#include "core/train/batch_plan.h"
#include "core/train/paired_run.h"

namespace mantissa::session {

/// What the steps of a run's reference and trials are expected to hold, and what they hold.
///
/// Predicted, before the first arm is made: steps of each arm are traced on a copy at about one half and three quarters
/// of the run's microbatch, never at the run's own, and the step of the run is worked out from them. Smaller steps are
/// the cheap and safe ones: they need less memory and time than the run itself. Where even they do not fit into memory,
/// smaller ones are tried, which is then what answers a run that does not fit. What they compute is thrown away; no bit
/// of the run changes.
///
/// The cost: two steps at each size, some more where a loss scale is too high at first, which together take as long as
/// two and a half steps of the arm (six and a quarter where it accumulates three microbatches or more, which are traced
/// with two and three). An arm whose tracing would take longer than kShare of its training is left out, unless that is
/// less than kFreeSeconds over all arms; that is known after its first traced step.
///
/// Measured, while the run trains: one step of every arm is traced, the first that begins with optimizer state and
/// gradients, and the peak of every step from there on is the measured peak. LBFGS is traced when its history is full.
class RunMemory {
 public:
  static constexpr double kShare = 0.05;
  static constexpr double kFreeSeconds = 1.0;

  /// All of it must outlive the object. \param remaining_steps  that the run has yet to make
  RunMemory(const Prepared& prepared, const std::vector<const spec::Trial*>& trials, const train::BatchPlan& plan,
            std::int64_t remaining_steps);

  /// Traces the arms. \return sentences for whoever looks on, on arms that are left out for want of time or memory. A
  /// model that fails is none of them: the run itself says so in its place.
  std::vector<std::string> predict(const StopToken& stop);

  /// What an earlier part of the run came to, which goes on: what this part does not measure anew stays.
  void go_on_from(std::size_t place, const std::optional<record::MemoryComparison>& earlier);

  /// Before the run's first step.
  void watch(train::PairedRun& paired);

  /// Every record of the run. \param place  of its arm: the reference, the trials; others are left alone
  void see(std::size_t place, const record::StepRecord& step);

  /// The arm goes on under another policy, which is not the one that was predicted: its peaks count no more.
  void leave(std::size_t place);

  /// Writes what is new since the last call. \param ids  of the arms in the archive
  void write_news(archive::Writer& writer, const std::vector<std::int64_t>& ids);

  /// After the last step: says what is missing and why.
  void finish(const train::PairedRun& paired);

  const record::MemoryComparison& of(std::size_t place) const { return arms_[place].memory; }

  /// Nothing where the arm could not be traced.
  const std::optional<memory::AccumulatedForecast>& forecast(std::size_t place) const { return arms_[place].forecast; }

  std::size_t size() const { return arms_.size(); }
  StepSize step() const { return {microbatch_, accumulation_}; }

 private:
  struct ArmState {
    const spec::Trial* trial = nullptr;
    record::MemoryComparison memory;
    std::optional<memory::AccumulatedForecast> forecast;
    std::string unpredicted;  // why, as a sentence
    bool is_told = false;     // to whoever looks on
    bool left = false;
    bool is_new = false;  // not yet written
  };

  void predict_arm(ArmState& arm, const StopToken& stop);
  /// False where it would take too long or the run was stopped.
  bool trace(ArmState& arm, const std::vector<StepSize>& sizes, const StopToken& stop);
  std::vector<StepSize> sizes_below(std::int64_t microbatch) const;

  const Prepared& prepared_;
  std::int64_t microbatch_ = 0;
  std::int64_t accumulation_ = 0;
  std::int64_t remaining_steps_ = 0;
  std::vector<ArmState> arms_;  // the reference first
};

}  // namespace mantissa::session
