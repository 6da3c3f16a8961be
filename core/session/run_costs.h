// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record/gains.h"
#include "core/session/frozen_cases.h"
#include "core/session/gains.h"
#include "core/session/prepared.h"
#include "core/session/run.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"

namespace mantissa::session {

/// What arms cost to use and to train, measured after their training on copies: first the latency of inference with
/// the weights as they are, then the steps of the training.
class RunCosts {
 public:
  struct Given {
    const spec::Experiment& asked;  ///< holds the rules
    const Prepared& prepared;
    const FrozenCases& cases;
    MeasureGains effort;
    double training_seconds;
  };

  /// What it is given must outlive it.
  explicit RunCosts(const Given& given)
      : given_(given), bench_(given.prepared.experiment, given.prepared.dataset.train) {}

  /// As GainsBench::add; the reference comes first.
  void add(const train::Arm& arm, const spec::Trial* trial, std::optional<std::int64_t> peak_bytes);

  /// One entry an arm in the order of `add`; nothing at all after a request to stop.
  std::vector<record::Costs> measure(const std::function<bool()>& stop_requested);

  /// Why something was not measured, as sentences.
  const std::vector<std::string>& notes() const { return bench_.notes(); }

 private:
  void time_inference(std::vector<record::Costs>& costs, const std::function<bool()>& stop_requested);

  Given given_;
  GainsBench bench_;
  std::vector<std::string> names_;
};

}  // namespace mantissa::session
