// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/precision/policy.h"
#include "core/spec/experiment.h"

namespace mantissa::train {

struct Arm;

/// A policy that a trial may go on under when its loss scale cannot fall any further.
struct Fallback {
  spec::Trial trial;  ///< whose policy it is
  precision::Policy policy;
};

/// The trials that `at_floor = "switch:…"` leads to from `trial`, one after the other. They need not be part of the
/// run: only their policies count.
std::vector<Fallback> fallbacks_of(const spec::Experiment& experiment, const spec::Trial& trial,
                                   c10::DeviceType device);

/// Does what the arm's policy asks for after an update that was `AtFloor`: nothing, fail the arm as `scale-floor`, or
/// arrange for the switch. The step itself stays what it was: skipped, under the old policy.
void meet_floor(Arm& arm);

/// Begins a step under the next fallback: its autocast, its regions and a fresh scaler of its settings, or none.
/// Weights, optimizers, schedules and random numbers go on as they are. The change is recorded in the arm's
/// `policy_changes` and in its notes.
void adopt_fallback(Arm& arm);

}  // namespace mantissa::train
