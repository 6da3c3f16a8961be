// SPDX-License-Identifier: Apache-2.0
// Faults of mixed-precision training, put together from the replaceable stages of a step and from edited evidence, and
// what the rules say of each. Shared by the test and by the benchmark that prints the table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/verdict.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/train/arm.h"
#include "core/train/window.h"

namespace mantissa::planted {

/// What a faulty step may remember from one step to the next.
struct Memory {
  std::int64_t step = 0;            ///< attempted, from 1
  std::int64_t steps = 0;           ///< of the whole run
  std::vector<at::Tensor> initial;  ///< weights before the first step
  std::vector<at::Tensor> kept;     ///< whatever the fault keeps
};

/// How a trial is evaluated on the frozen cases.
struct Evaluation {
  model::Network* same_weights = nullptr;  ///< the reference's network, or one in its place
  model::Network* trained = nullptr;
  session::FrozenCases cases;  ///< the inputs that the trial sees
  bool in_training_mode = false;
};

struct Fault {
  std::string name;
  std::string experiment;  ///< one of `experiments`
  /// One attempted step of the trial; empty: the sound one.
  std::function<void(train::Arm&, const train::Window&, train::Attempt&, Memory&)> step = {};
  /// Before the first step; empty: nothing.
  std::function<void(train::Arm&)> begin = {};
  /// Changes what is evaluated; empty: nothing.
  std::function<void(Evaluation&, const session::Prepared&)> evaluate = {};
  /// Changes what the rules are shown; empty: nothing.
  std::function<void(judge::Evidence&)> evidence = {};
};

/// The sound trial comes first, under the name "sound".
const std::vector<Fault>& faults();

/// The experiment file of that name with another training.seed. Its rules are those of preset = "default" and one on
/// the trained outputs beside the run-to-run spread.
std::string experiment_text(const std::string& name, std::uint64_t seed);
const std::vector<std::string>& experiments();

struct Outcome {
  record::Verdict verdict;
  bool bits_differ = false;  ///< weights or outputs are not those of the sound trial
};

/// Trains reference, whole repeats, the sound trial and the faulty ones of an experiment side by side and judges them.
/// \return by the faults of that experiment, in the order of `faults`
std::vector<std::pair<const Fault*, Outcome>> judge_faults(const std::string& experiment, std::uint64_t seed,
                                                           const std::string& data_folder);

}  // namespace mantissa::planted
