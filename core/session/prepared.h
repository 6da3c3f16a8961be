// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/judge/judge.h"
#include "core/model/network.h"
#include "core/spec/experiment.h"
#include "core/train/batch_plan.h"

namespace mantissa::session {

/// An experiment that passed every check that can be made before the first step.
struct Prepared {
  spec::Experiment experiment;  ///< with the defaults that depend on the data filled in: loss, batch, threads
  data::Dataset dataset;
  std::unique_ptr<model::Network> network;  ///< initial weights; every arm starts from a clone
  judge::DecisionRule decision;
  bool prediction_is_loss = false;  ///< the model gives its loss and nothing else: one number a batch
  std::vector<std::string> notes;
};

/// Loads the data, builds the model, tries one batch through a clone of it, and checks that shapes, classes and rules
/// fit.
///
/// Sets the process-wide flags that the experiment asks for: threads and the FP32 matmul precision.
/// \throws Error with the fact that does not fit.
Prepared prepare(const spec::Experiment& experiment);

/// A regression's rules.threshold is written in the target's own unit; decisions are taken in the model's. Both
/// transforms keep the order, so the decision is the same.
/// \param experiment  has rules; \param unit  of its target
/// \throws Error InvalidSetting  several targets; a threshold without a logarithm where there is one
double threshold_in_model_units(const spec::Experiment& experiment, const judge::TargetUnit& unit);

/// What the columns are called that a model's inputs can be bound to, and which of its outputs are asked for.
model::Usage usage_of(const spec::Experiment& experiment, const data::Dataset& dataset);

/// The experiment's model with the initial weights of another seed.
std::unique_ptr<model::Network> network_of_seed(const Prepared& prepared, std::uint64_t seed);

}  // namespace mantissa::session
