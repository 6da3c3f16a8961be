// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cuda/device_work.h"
#include "core/perf/latency.h"
#include "core/precision/policy.h"
#include "core/record/gains.h"
#include "core/session/frozen_cases.h"
#include "core/session/run.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// How long inference is timed at most: all arms at all batch sizes together.
struct LatencyLimits {
  std::int64_t rounds = 10;
  std::int64_t most_calls = 100;  ///< of a round: a thousand calls give their p99
  double seconds = 0.0;           ///< of the timed calls; three untimed ones an arm and batch size come on top
};

/// Short: 5 % of the training's duration, at least 0.2 s and at most 3 s; 3 s where a rule judges latency. Long: 15 s.
LatencyLimits latency_limits_of(MeasureGains effort, double training_seconds, const std::optional<spec::Rules>& rules);

/// The batch sizes at which an experiment's inference is timed. \param training_batch  the resolved one
std::vector<std::int64_t> latency_batches_of(const spec::Experiment& experiment, std::int64_t training_batch);

/// Seconds that a piece of work takes until its results are there.
using Stopwatch = std::function<double(const std::function<void()>&)>;

/// Times inference on the frozen cases: forward alone, in evaluation mode under each arm's own policy.
///
/// In each round every arm answers the same batches in a row, one arm after another, every other round in reverse
/// order, so that a machine that slows down slows all arms alike. No bit of a network changes.
class LatencyBench {
 public:
  /// \param cases  must outlive it
  explicit LatencyBench(const FrozenCases& cases) : cases_(cases) {}

  /// The reference comes first. \param network  must outlive it and goes back to training mode; null: is not timed
  void add(const std::string& name, model::Network* network, const precision::Policy& policy);

  /// Takes the place of the clock. \param method  what it is called beside a figure
  void use(Stopwatch stopwatch, std::string method);

  /// One entry an arm in the order of `add`, in it one a batch size: what could not be timed says why. All empty after
  /// a request to stop.
  std::vector<std::vector<record::Latency>> measure(const std::vector<std::int64_t>& batches,
                                                    const LatencyLimits& limits,
                                                    const std::function<bool()>& stop_requested);

 private:
  struct Lane {
    std::string name;
    model::Network* network;
    precision::Policy policy;
    perf::CallTimes times;
    std::string missing;  // why it is not timed at this batch size
  };
  struct Batch {
    at::Tensor inputs, targets;
  };

  std::vector<Batch> batches_of(std::int64_t size, const c10::Device& device) const;
  void answer(Lane& lane, const Batch& batch) const;
  /// Runs it for the lane; what it throws ends the lane at this batch size.
  void attempt(Lane& lane, const std::function<void()>& work) const;
  double warm_up(const std::vector<Batch>& batches, const LatencyLimits& limits);
  bool repeat(const std::vector<Batch>& batches, std::int64_t rounds, std::int64_t calls,
              const std::function<bool()>& stop_requested);
  record::Latency figures_of(const Lane& lane, std::int64_t size) const;
  bool measure_at(std::int64_t size, const LatencyLimits& limits, const std::function<bool()>& stop_requested);

  const FrozenCases& cases_;
  std::vector<Lane> lanes_;
  std::unique_ptr<cuda::DeviceTimer> timer_;
  Stopwatch stopwatch_;
  std::string clock_;
};

}  // namespace mantissa::session
