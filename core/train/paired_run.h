// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/record/checkpoint.h"
#include "core/record/memory_trace.h"
#include "core/record/step_record.h"
#include "core/train/arm.h"
#include "core/train/batch_plan.h"
#include "core/train/shadow.h"
#include "core/train/stages.h"
#include "core/train/yardsticks.h"

namespace mantissa::train {

/// Trains a reference and its trials in lock step: the same weights at the start, the same batches, the same random
/// numbers. Every attempted step happens in all arms before the next begins, one arm after another; between gradients
/// and updates all arms stand still, so that outputs and gradients are compared where they are, without copies. There,
/// too, every trial's shadow runs, at the steps whose number is a multiple of its `shadow_every` (shadow.h).
///
/// weight_change and deviation_weight_relative are measured in every tenth step and in the last.
///
/// A trial that fails is left behind, the others go on; where memory was the reason, all that it held but its weights
/// is freed. A step in which its model threw was not attempted: it leaves no record and does not count. A reference
/// that fails ends the run: nothing is left to compare with.
class PairedRun {
 public:
  /// Receives the record of one step of one arm (0: the reference, then the trials in order, then the whole repeats).
  /// Rounding repeats come after the arms, at `arm_count()` and on; theirs are sparse. The archive's id of the arm is
  /// still missing in it.
  using Sink = std::function<void(std::size_t arm, record::StepRecord&& step)>;

  /// \param measure  false: only what the steps themselves need (probes off). Never changes a bit of the weights.
  /// \param stop_requested  asked after every microbatch; empty: never.
  /// \param yardsticks  only where `measure`.
  PairedRun(BatchPlan& plan, std::vector<std::unique_ptr<Arm>> arms, bool measure,
            std::function<bool()> stop_requested = {}, Yardsticks yardsticks = {});
  ~PairedRun();

  /// One attempted step of every arm that has not failed.
  /// \return false where there was none: the plan is at its end, the reference has failed, or the run was stopped. A
  ///         stop within a step leaves every arm as it was before that step, random streams and buffers included.
  bool step(const Sink& sink);

  /// Ends the run before its next step, as a request to stop does.
  void stop() { stopped_ = true; }

  /// Hears which arm is at work, before it computes its part of a step: what it is at may take long.
  void tell_arms(std::function<void(std::size_t arm)> on_arm) { on_arm_ = std::move(on_arm); }

  /// Whose memory is to be written down, of one step of every arm but the whole repeats.
  struct MemoryWish {
    std::int64_t microbatch = 0;    ///< samples of every microbatch of that step
    std::int64_t accumulation = 0;  ///< its microbatches
    /// Whether the arm holds all that it is going to hold; asked before each step until one was traced.
    std::function<bool(const Arm& arm)> is_ready;
    std::function<void(std::size_t arm, std::int64_t step, record::StepTrace&& trace)> sink;
  };

  /// Before the first step. Of each arm that step is traced which is the first of this size to begin with optimizer
  /// state and the gradients of a step of this run before it, and whose update is applied. Only where the run measures.
  void trace_memory(MemoryWish wish) { wish_ = std::move(wish); }

  /// Between two steps: a pause of this length just ended. It counts in no record's wall_seconds.
  void leave_out(std::chrono::steady_clock::duration pause) { first_step_ += pause; }

  /// The state of an arm between two steps, with what the run itself knows of it: what a checkpoint holds.
  record::ArmState state_of(std::size_t index) const;

  /// Makes the run go on after `step` attempted steps. Before its first step; the arms have been put into these states
  /// since the run was made (load_state), the plan is at its beginning. \param states  one an arm.
  void go_on_from(std::int64_t step, const std::vector<record::ArmState>& states);

  /// Duration of the steps before those of this run.
  double seconds_before() const { return seconds_before_; }

  Arm& arm(std::size_t index) { return *arms_[index]; }
  const Arm& arm(std::size_t index) const { return *arms_[index]; }
  std::size_t arm_count() const { return arms_.size(); }
  std::int64_t steps_done() const { return arms_.front()->tally.counts.attempted; }
  bool stopped() const { return stopped_; }

 private:
  struct Measured;
  using Clock = std::chrono::steady_clock;

  const Window* next_window(BatchPlan& plan, Window& on_device);
  bool compute_gradients();
  void begin_attempt(std::size_t index);
  void run_phase(std::size_t index, const std::vector<Stage>& stages);
  void begin_trace(std::size_t index);
  void end_trace(std::size_t index);
  const Window& window_of(std::size_t index) const;
  bool is_repeat(std::size_t index) const { return index >= first_repeat_; }
  bool is_shadowed(const Arm& trial) const;
  bool yardsticks_due() const;
  void take_shadow();
  void compare_gradients(std::size_t index);
  void measure_yardsticks(std::size_t index);
  void shadow(std::size_t index);
  void compare_weights(std::size_t index, record::StepRecord& step);
  void remember_weights(std::size_t index);
  void measure_weight_change(std::size_t index, record::StepRecord& step);
  void restore_buffers(std::size_t index);
  void forget_before(std::size_t index);
  void compare_trial(std::size_t index, const std::function<void()>& comparison);
  void release_memory(std::size_t index);
  void fill(std::size_t index, record::StepRecord& step);
  void fill_place(std::size_t index, record::StepRecord& step);
  void fill_optimizers(std::size_t index, record::StepRecord& step);

  BatchPlan& plan_;
  Window window_on_device_;                // a copy of the current one, where the arms lie on a GPU
  std::vector<Window> repeats_on_device_;  // the same of the repeats' windows
  std::vector<std::unique_ptr<Arm>> arms_;
  std::size_t first_repeat_;  // place in arms_
  Yardsticks yardsticks_;     // their arms stand in arms_
  StageOptions options_;
  std::function<void(std::size_t arm)> on_arm_;  // empty: nobody asks
  MemoryWish wish_;                              // without a sink: nobody asks
  std::unique_ptr<Measured> measured_;           // nothing where probes are off
  std::unique_ptr<Shadow> shadow_;               // nothing where no trial has one
  std::vector<Attempt> attempts_;
  std::vector<bool> attempted_;  // arms that take part in the current step
  std::vector<bool> begun_;      // of these, arms whose part of it has begun
  std::vector<record::StepRecord> records_;
  struct Before {
    Tally tally;
    std::size_t notes = 0;
    std::int64_t shadow_every = 0;
    std::unique_ptr<model::Attributes> attributes;  // of the model; null where its code changes none
  };
  std::vector<Before> before_;                 // of the current step
  std::vector<at::Tensor> generators_before_;  // the same of the arms' random streams
  const Window* window_ = nullptr;             // of the current step
  std::vector<const Window*> repeat_windows_;  // one a repeat
  std::vector<record::StepRecord> rounding_;   // of the current step; empty where none is due
  std::int64_t step_ = 0;                      // the current step, from 1
  bool started_ = false;
  bool stopped_ = false;
  Clock::time_point first_step_;
  double seconds_ = 0.0;         // from the first step ever to the last one so far
  double seconds_before_ = 0.0;  // of the steps before a checkpoint that the run goes on from
};

/// The names of everything non-finite that an arm holds: "parameter fc1.weight", "buffer bn.running_mean", "optimizer
/// state".
std::vector<std::string> non_finite_state(const Arm& arm);

}  // namespace mantissa::train
