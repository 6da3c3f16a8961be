// SPDX-License-Identifier: Apache-2.0
#include "core/train/at_floor.h"

#include <algorithm>
#include <utility>

#include "core/base/number_text.h"
#include "core/spec/parse.h"
#include "core/train/arm.h"

namespace mantissa::train {
namespace {

std::string floor_was_met(const Arm& arm, std::int64_t step) {
  return "an overflow at step " + std::to_string(step) + " found the loss scale at its floor of " +
         to_text(arm.policy.scaler_rules.floor);
}

}  // namespace

std::vector<Fallback> fallbacks_of(const spec::Experiment& experiment, const spec::Trial& trial,
                                   c10::DeviceType device) {
  std::vector<Fallback> fallbacks;
  const spec::Trial* at = &trial;
  while (at->scaler.at_floor == spec::AtFloor::Switch) {
    const auto next = std::find_if(experiment.trials.begin(), experiment.trials.end(),
                                   [at](const spec::Trial& other) { return other.name == at->scaler.switch_to; });
    if (next == experiment.trials.end()) break;  // refused when the experiment was read
    fallbacks.push_back({*next, precision::policy_of(*next, device)});
    at = &*next;
  }
  return fallbacks;
}

void meet_floor(Arm& arm) {
  switch (arm.policy.at_floor) {
    case spec::AtFloor::Continue:
      break;
    case spec::AtFloor::Stop:
      arm.failure = Failure{"scale-floor", "The trial stops: " + floor_was_met(arm, arm.tally.counts.attempted) +
                                               ". The update was not applied."};
      break;
    case spec::AtFloor::Switch:
      arm.switches_next = !arm.fallbacks.empty();
      break;
  }
}

void adopt_fallback(Arm& arm) {
  const Fallback fallback = std::move(arm.fallbacks.front());
  arm.fallbacks.erase(arm.fallbacks.begin());
  const std::int64_t last = arm.tally.counts.attempted;
  arm.notes.push_back("From step " + std::to_string(last + 1) + " on under the policy of trial " + fallback.trial.name +
                      ": " + floor_was_met(arm, last) + ".");
  record::PolicyChange change;
  change.step = last + 1;
  change.trial = fallback.trial.name;
  change.autocast = spec::to_text(fallback.trial.autocast);
  change.cast_policy = fallback.trial.cast_policy;
  change.policy = spec::canonical_json(fallback.trial);
  change.reason = "scale-floor";
  arm.policy_changes.push_back(std::move(change));
  arm.policy = fallback.policy;
  arm.scaler = precision::make_scaler(arm.policy);
  arm.scale_grew = false;
  arm.switches_next = false;
}

}  // namespace mantissa::train
