// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/record/checkpoint.h"
#include "core/train/arm.h"

namespace mantissa::train {

/// Everything of an arm that later steps depend on, between two steps. This copy is all that holds up the training.
///
/// Tensors, in their own dtype:
///   model.NAME           weights and buffers under their state_dict names
///   optimizer.N.I.STATE  as PyTorch's state_dict()["state"][I][STATE] of optimizer N: "optimizer.0.3.exp_avg"
///   generator            state of the random stream, where forward may draw from it
///   attributes.N         tensors of a TorchScript model's attributes, neither parameters nor buffers
/// Numbers:
///   tally.*, inherited.*, progress.*  counters of the arm
///   optimizer.N.*, schedule.N.*  what they have come to
///   attributes.text, attributes.unsaved  those attributes (model/network.h, StoredAttributes)
///   scaler.*             the five keys of PyTorch's state_dict and our own; none without a scaler
///   policy_change.N.*, note.N, failure.*
record::ArmState state_of(const Arm& arm);

/// What happens to a loss scale where a checkpoint is gone on from under another policy.
enum class ScalerStart {
  GoOn,  ///< the scaler's state is that of the checkpoint
  Anew,  ///< it starts at its configured initial scale, its counter at 0
};

/// Whether an arm goes on under the policy of the one whose state it takes, or under its own.
enum class PolicyOfState { Same, Own };

/// Puts an arm of the same experiment into a stored state. Nothing of it is changed where this throws before the
/// weights are written; an arm for which it threw is not to be used.
/// \throws Error ModelProblem  the state is of another model or of other optimizers: names that are missing,
///         unexpected or of another shape; or the model keeps something between calls that a state cannot hold;
///         ArchiveDamaged  a number is missing.
void load_state(Arm& arm, const record::ArmState& state, PolicyOfState policy, ScalerStart scaler);

/// Why the arm had failed when its state was taken; nothing: it had not.
std::optional<Failure> failure_of_state(const record::ArmState& state);

/// The numbers of a state by name.
/// \throws Error ArchiveDamaged where one is missing or of another kind.
std::int64_t integer_of(const record::ArmState& state, const std::string& name);
double real_of(const record::ArmState& state, const std::string& name);
const std::string& text_of(const record::ArmState& state, const std::string& name);

}  // namespace mantissa::train
