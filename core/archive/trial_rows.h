// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/clock.h"
#include "core/archive/process_identity.h"
#include "core/archive/sqlite.h"
#include "core/record/trial.h"

namespace mantissa::archive {

// Experiments, arms and verdicts as rows. The writing functions run inside the caller's transaction.

std::int64_t insert_experiment(Connection& connection, const record::ExperimentStart& start, UtcTime now);
std::int64_t insert_trial(Connection& connection, const record::TrialStart& start, const ProcessIdentity& who,
                          UtcTime now);

/// Everything that stands at the end of an arm; may be written again, the last one counts.
void update_trial_end(Connection& connection, std::int64_t trial, const record::TrialEnd& end, UtcTime now);

/// All policy changes of an arm so far, in place of those that stood there.
void replace_policy_changes(Connection& connection, std::int64_t trial,
                            const std::vector<record::PolicyChange>& changes);

/// Says that the arms still run, also where another process took them for dead.
void renew_heartbeat(Connection& connection, const std::vector<std::int64_t>& trials, UtcTime now);

/// What an arm that was interrupted came to, from its committed steps: counts, last loss, duration.
record::TrialEnd interrupted_end(Connection& connection, std::int64_t trial);

/// Marks the arm `interrupted` with what it came to, unless it has ended.
void mark_interrupted(Connection& connection, std::int64_t trial, const record::TrialEnd& end);

/// Arms that are marked `running` by this very process.
std::vector<std::int64_t> own_trials(Connection& connection, const ProcessIdentity& who);

/// Arms that are marked `running` by a process that is gone.
std::vector<std::int64_t> dead_trials(Connection& connection, UtcTime now);

std::optional<record::ExperimentStart> read_experiment(Connection& connection, std::int64_t id);
/// When it was stored, before its first step.
std::optional<std::string> read_fixed_at(Connection& connection, std::int64_t experiment);

/// One arm, or every arm oldest first; `running` arms of dead processes show as `interrupted`, with what
/// they came to. An arm that runs has the counts of its last committed step, one that was cut short the quality of its
/// last evaluation, with a note.
std::vector<record::TrialRow> read_trials(Connection& connection, std::optional<std::int64_t> id, UtcTime now);

}  // namespace mantissa::archive
