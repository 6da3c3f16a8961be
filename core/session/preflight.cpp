// SPDX-License-Identifier: Apache-2.0
#include "core/session/preflight.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/sha256.h"
#include "core/perf/statistics.h"
#include "core/session/case_comparison.h"
#include "core/session/chosen_trials.h"
#include "core/session/frozen_cases.h"
#include "core/session/gains.h"
#include "core/session/latency.h"
#include "core/session/plain_failures.h"
#include "core/session/prepared.h"
#include "core/session/reference_yardsticks.h"
#include "core/session/run_arms.h"
#include "core/spec/parse.h"
#include "core/train/batch_plan.h"
#include "core/train/paired_run.h"

namespace mantissa::session {
namespace {

using Clock = std::chrono::steady_clock;

// A step record with every column filled takes 331 bytes (mantissa_bench, archive writing), most take less.
constexpr std::int64_t kBytesPerStepRecord = 331;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::int64_t bytes_of(const std::vector<record::TensorBytes>& tensors) {
  std::int64_t bytes = 0;
  for (const record::TensorBytes& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.bytes.size());
  return bytes;
}

class Flight {
 public:
  Flight(const spec::Experiment& experiment, const RunOptions& options, const StopToken& stop,
         const PreflightLimits& limits, const ArmTeller& tell)
      : asked_(experiment),
        options_(options),
        stop_(stop),
        limits_(limits),
        tell_(tell),
        comparison_(asked_, prepared_, cases_) {}

  Preflight fly() {
    prepared_ = prepare(asked_);
    cases_ = freeze_cases(prepared_.experiment, prepared_.dataset);
    result_.notes = prepared_.notes;
    result_.notes.insert(result_.notes.end(), cases_.notes.begin(), cases_.notes.end());
    result_.frozen_cases = static_cast<std::int64_t>(cases_.rows.size());
    result_.rules = spec::canonical_json_of_rules(asked_);
    if (!result_.rules.empty()) result_.rules_sha256 = sha256(result_.rules);

    train::BatchPlan plan(prepared_.experiment, prepared_.dataset.train);
    result_.steps = plan.total_steps();
    const bool measure = options_.probes == Probes::Standard;
    const std::vector<const spec::Trial*> trials = chosen_trials(asked_, options_.only_trials);
    std::unique_ptr<ReferenceYardsticks> yardsticks;
    if (measure) yardsticks = std::make_unique<ReferenceYardsticks>(prepared_, trials.size());
    train::PairedRun paired(
        plan, make_arms(prepared_, trials), measure, [this] { return stop_.requested() || exceeds_limits(); },
        yardsticks ? yardsticks->for_training() : train::Yardsticks());
    time_steps(paired);
    look_at_arms(paired);
    const std::int64_t rounding =
        yardsticks ? static_cast<std::int64_t>(yardsticks->size()) - asked_.reference.repeats : 0;
    estimate_archive(paired, rounding);
    time_evaluations(paired);
    if (options_.gains != MeasureGains::Off) {
      result_.gains_seconds = limits_of(options_.gains, result_.training_seconds).seconds +
                              latency_limits_of(options_.gains, result_.training_seconds, asked_.rules).seconds;
    }
    return std::move(result_);
  }

 private:
  void time_steps(train::PairedRun& paired) {
    const auto sink = [this](std::size_t arm, record::StepRecord&& step) {
      if (peaks_.size() <= arm) peaks_.resize(arm + 1);
      if (step.peak_bytes) peaks_[arm] = std::max(peaks_[arm].value_or(0), *step.peak_bytes);
    };
    paired.tell_arms([this, &paired](std::size_t arm) {
      part_begin_ = Clock::now();
      if (tell_) tell_(paired.arm(arm).name);
    });
    std::vector<double> seconds;
    std::optional<double> warm_up;
    begin_ = Clock::now();
    for (std::int64_t step = 0; step <= limits_.steps; ++step) {
      const Clock::time_point before = Clock::now();
      part_begin_.reset();
      const bool whole = paired.step(sink);
      const double duration = seconds_since(before);
      if (exceeded_ && seconds.empty()) {
        if (!warm_up) result_.at_least = true;
        seconds.push_back(warm_up.value_or(duration));
      }
      if (!whole) break;
      if (step == 0) warm_up = duration;
      if (step > 0) seconds.push_back(duration);
      if (step > 0 && seconds_since(begin_) > limits_.seconds) break;
    }
    if (!result_.at_least) result_.timed_steps = static_cast<std::int64_t>(seconds.size());
    if (seconds.empty()) return;
    result_.step_seconds = perf::median(seconds);
    result_.training_seconds = result_.step_seconds * static_cast<double>(result_.steps);
  }

  /// Asked after every microbatch of every arm.
  bool exceeds_limits() {
    if (!part_begin_) return false;  // between two steps
    exceeded_ = seconds_since(*part_begin_) > limits_.seconds || seconds_since(begin_) > limits_.whole_seconds;
    part_begin_ = Clock::now();
    return exceeded_;
  }

  void look_at_arms(const train::PairedRun& paired) {
    for (std::size_t i = 0; i < paired.arm_count(); ++i) {
      const train::Arm& arm = paired.arm(i);
      PreflightArm found;
      found.name = arm.name;
      if (i < peaks_.size()) found.peak_bytes = peaks_[i];
      if (arm.failure) found.failure = arm.failure->text;
      result_.arms.push_back(std::move(found));
    }
  }

  void estimate_archive(train::PairedRun& paired, std::int64_t rounding) {
    std::int64_t weights = 0;
    for (std::size_t i = 0; i < paired.arm_count(); ++i) {
      const record::ArmState state = paired.state_of(i);
      result_.checkpoint_bytes += bytes_of(state.tensors);
      for (const record::TensorBytes& tensor : state.tensors) {
        if (tensor.name.rfind("model.", 0) == 0) weights += static_cast<std::int64_t>(tensor.bytes.size());
      }
    }
    const spec::Checkpointing& checkpoint = prepared_.experiment.training.checkpoint;
    std::int64_t checkpoints = 1;  // at the end
    if (checkpoint.every) checkpoints += (result_.steps - 1) / *checkpoint.every;
    if (checkpoint.keep.value_or(0) > 0) checkpoints = std::min(checkpoints, *checkpoint.keep);
    const auto arms = static_cast<std::int64_t>(paired.arm_count()) + rounding;
    result_.archive_bytes = arms * result_.steps * kBytesPerStepRecord + checkpoints * result_.checkpoint_bytes +
                            2 * weights;  // initial and final
  }

  void time_evaluations(train::PairedRun& paired) {
    const spec::Training& training = prepared_.experiment.training;
    if (!training.evaluate_every || stop_.requested() || exceeded_ || paired.arm(0).failure) return;
    const Clock::time_point begin = Clock::now();
    comparison_.quality_now(paired.arm(0));
    const std::int64_t evaluations = result_.steps / *training.evaluate_every;  // whole ones
    result_.training_seconds +=
        seconds_since(begin) * static_cast<double>(evaluations) * static_cast<double>(paired.arm_count());
  }

  const spec::Experiment& asked_;
  const RunOptions& options_;
  const StopToken& stop_;
  const PreflightLimits& limits_;
  const ArmTeller& tell_;
  Clock::time_point begin_;                      // of the timed steps
  std::optional<Clock::time_point> part_begin_;  // of the microbatch of the arm at work
  bool exceeded_ = false;
  Prepared prepared_;
  FrozenCases cases_;
  CaseComparison comparison_;
  std::vector<std::optional<std::int64_t>> peaks_;  // of each arm
  Preflight result_;
};

}  // namespace

Preflight preflight(const spec::Experiment& experiment, const RunOptions& options, const StopToken& stop,
                    const PreflightLimits& limits, const ArmTeller& tell) {
  return with_plain_errors(experiment.file, "in the trial steps of the pre-flight",
                           "Take a smaller model, a smaller batch, or fewer trials at once",
                           [&] { return Flight(experiment, options, stop, limits, tell).fly(); });
}

}  // namespace mantissa::session
