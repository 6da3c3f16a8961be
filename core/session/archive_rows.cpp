// SPDX-License-Identifier: Apache-2.0
#include "core/session/archive_rows.h"

#include <filesystem>

#include "core/base/sha256.h"
#include "core/session/reference_lock.h"
#include "core/spec/parse.h"

namespace mantissa::session {

record::ExperimentStart experiment_start(const spec::Experiment& asked, const Prepared& prepared,
                                         const FrozenCases& cases, const std::string& initial_weights_sha256) {
  record::ExperimentStart start;
  start.name = asked.name;
  // Whole, so that a resume finds what relative paths mean wherever it is started.
  start.file = std::filesystem::absolute(asked.file).lexically_normal().string();
  start.text = spec::with_overrides(asked.text, asked.overrides);
  start.resolved = spec::canonical_json(prepared.experiment);
  start.sha256 = sha256(spec::canonical_json_to_hash(prepared.experiment));
  start.rules = spec::canonical_json_of_rules(asked);
  if (!start.rules.empty()) start.rules_sha256 = sha256(start.rules);
  start.cases_sha256 = cases.sha256;
  start.lock = reference_lock(prepared, initial_weights_sha256);
  start.lock_sha256 = sha256(start.lock);
  return start;
}

record::TrialStart trial_start(const spec::Experiment& experiment, std::int64_t experiment_id,
                               std::int64_t reference_id, const spec::Trial* trial) {
  record::TrialStart start;
  start.experiment = experiment_id;
  start.reference = reference_id;
  start.kind = trial != nullptr ? record::TrialKind::Trial : record::TrialKind::Reference;
  start.name = trial != nullptr ? trial->name : "reference";
  start.autocast = trial != nullptr ? spec::to_text(trial->autocast) : "off";
  start.cast_policy = trial != nullptr ? trial->cast_policy : "device";
  start.device = experiment.training.device;
  if (trial != nullptr) start.policy = spec::canonical_json(*trial);
  return start;
}

record::TrialEnd training_end(const train::PairedRun& run, const train::Arm& arm, double seconds) {
  record::TrialEnd end;
  end.counts = arm.tally.counts;
  for (const train::OptimizerUnit& unit : arm.optimizers) {
    end.optimizers.push_back(
        {unit.kind, unit.applied, unit.skipped, unit.last_learning_rate, spec::to_text(unit.schedule.per())});
  }
  end.final_loss = arm.tally.last_loss;
  end.seconds = seconds;
  end.notes = arm.notes;
  end.policy_changes = arm.policy_changes;
  if (arm.failure) {
    end.status = record::Status::Failed;
    end.failure = arm.failure->reason;
    end.failure_text = arm.failure->text;
  } else if (run.stopped() || run.arm(0).failure) {
    end.status = record::Status::Stopped;
    if (run.arm(0).failure) end.failure_text = "The reference failed: " + run.arm(0).failure->text;
  }
  return end;
}

void add_notes_on_trial(record::TrialEnd& end, const train::Arm& reference, const train::Arm& trial) {
  if (trial.tally.zero_gradient_steps > 0 && reference.tally.zero_gradient_steps == 0) {
    end.notes.push_back("Gradients were exactly zero in " + std::to_string(trial.tally.zero_gradient_steps) +
                        " steps, first in step " + std::to_string(trial.tally.first_zero_gradient_step) +
                        ", and never in the reference: they underflow.");
  }
  if (trial.switches_next && !trial.failure) {
    end.notes.push_back(
        "The last step's overflow found the loss scale at its floor: a further step would begin under "
        "the policy of trial " +
        trial.fallbacks.front().trial.name +
        ". No step of this run did, so no change of policy is recorded; resuming with more "
        "steps makes it.");
  }
}

}  // namespace mantissa::session
