// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/perf/gains.h"
#include "core/record/gains.h"
#include "core/session/run.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"

namespace mantissa::session {

/// How often steps are repeated, and for how long at most.
struct GainsLimits {
  std::int64_t repetitions = 0;
  double seconds = 0.0;  ///< of all timed repetitions of all arms
};

/// Short: 7 repetitions within 5 % of the training's duration, at least 0.2 s and at most 10 s. Long: 30 within 60 s.
GainsLimits limits_of(MeasureGains effort, double training_seconds);

/// Measures what a step of each arm costs, after the training.
///
/// It works on copies: weights and buffers as the training left them, the scaler at its scale, fresh optimizers. No bit
/// of any arm changes; the random stream of the process goes on. Every repetition runs the same steps on the same
/// batches, made before, one arm after another, every other repetition in reverse order, so that a machine that slows
/// down slows all arms alike.
class GainsBench {
 public:
  /// What it is given must outlive it.
  GainsBench(const spec::Experiment& experiment, const data::Part& train) : experiment_(experiment), train_(train) {}

  /// Copies an arm as it stands; the reference comes first. An arm that does not fit into memory beside the others is
  /// not measured, with a note. \param peak_bytes  of its steps in the run, where measured
  void add(const train::Arm& arm, const spec::Trial* trial, std::optional<std::int64_t> peak_bytes);

  /// The copy of an arm, in the order of `add`; null where it did not fit into memory. `measure` trains it.
  train::Arm* arm(std::size_t index) { return lanes_[index].arm.get(); }

  /// One entry an arm in the order of `add`; nothing where it could not be measured, which the notes explain. A model
  /// that fails, or runs out of memory, drops its arm alone. Nothing at all after a request to stop.
  std::vector<std::optional<record::Gains>> measure(const GainsLimits& limits,
                                                    const std::function<bool()>& stop_requested);

  /// Why something was not measured, as sentences.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Lane {
    std::string name;
    std::unique_ptr<train::Arm> arm;  // nothing once it cannot be measured
    std::optional<std::int64_t> peak_bytes;
    perf::StepTimes times;
  };

  void make_windows(const c10::Device& device);
  void drop(Lane& lane, const std::string& why);
  bool step(Lane& lane, std::size_t number);
  double warm_up(const c10::Device& device);
  bool repeat(const GainsLimits& limits, std::int64_t steps, const c10::Device& device,
              const std::function<bool()>& stop_requested);
  void time_steps(Lane& lane, std::int64_t steps, const c10::Device& device);

  const spec::Experiment& experiment_;
  const data::Part& train_;
  std::int64_t planned_steps_ = 0;
  std::vector<train::Window> windows_;
  std::vector<Lane> lanes_;
  std::vector<std::string> notes_;
};

}  // namespace mantissa::session
