// SPDX-License-Identifier: Apache-2.0
#include "core/archive/trial_rows.h"

#include <string>
#include <string_view>

#include "core/archive/checkpoint_rows.h"
#include "core/archive/gains_rows.h"
#include "core/archive/memory_rows.h"
#include "core/archive/real_states.h"
#include "core/archive/step_rows.h"
#include "core/archive/text_rows.h"
#include "core/archive/verdict_rows.h"
#include "core/archive/yardstick_rows.h"

namespace mantissa::archive {
namespace {

using record::Status;

constexpr char kInsertExperiment[] =
    "INSERT INTO experiments (created_at, name, file, text, resolved, sha256, rules, rules_sha256, cases_sha256, lock, "
    "lock_sha256) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

constexpr char kSelectExperiment[] =
    "SELECT name, file, text, resolved, sha256, rules, rules_sha256, cases_sha256, lock, lock_sha256 "
    "FROM experiments WHERE id = ?1";

constexpr char kSelectFixedAt[] = "SELECT created_at FROM experiments WHERE id = ?1";

constexpr char kInsertTrial[] =
    "INSERT INTO trials (experiment, reference, kind, name, autocast, cast_policy, device, policy, status, failure, "
    "failure_text, started_at, heartbeat_at, host, process, process_started, attempted, applied, skipped, iterations, "
    "samples, quality_metric, states) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, '', '', ?10, ?10, ?11, ?12, ?13, 0, 0, 0, 0, 0, '', 0)";

constexpr char kInsertParent[] = "INSERT INTO parents (trial, parent, step) VALUES (?1, ?2, ?3)";
constexpr char kSelectParent[] = "SELECT parent, step FROM parents WHERE trial = ?1";

constexpr char kUpdateTrialEnd[] =
    "UPDATE trials SET status = ?2, failure = ?3, failure_text = ?4, finished_at = ?5, heartbeat_at = ?5, "
    "attempted = ?6, applied = ?7, skipped = ?8, iterations = ?9, samples = ?10, final_loss = ?11, quality_metric = "
    "?12, "
    "quality = ?13, quality_reference = ?14, flips = ?15, seconds = ?16, states = ?17 WHERE id = ?1";

constexpr char kRenewHeartbeat[] =
    "UPDATE trials SET heartbeat_at = ?2, status = 'running' WHERE id = ?1 AND status IN ('running', 'interrupted')";

// `states` is written whole: the other real columns of an arm that runs are not measured.
constexpr char kMarkInterrupted[] =
    "UPDATE trials SET status = 'interrupted', attempted = ?2, applied = ?3, skipped = ?4, iterations = ?5, "
    "samples = ?6, final_loss = ?7, quality = ?8, quality_reference = ?9, seconds = ?10, states = ?11 "
    "WHERE id = ?1 AND status = 'running'";

constexpr char kCountSkipped[] = "SELECT count(*) FROM steps WHERE trial = ?1 AND skipped";

constexpr char kSelectRunning[] =
    "SELECT id, host, process, process_started, heartbeat_at FROM trials WHERE status = 'running'";

// One select for one arm and for all: ?1 is NULL for all.
constexpr char kSelectTrials[] =
    "SELECT trials.id, trials.experiment, experiments.name, trials.started_at, trials.finished_at, trials.reference, "
    "trials.kind, trials.name, trials.autocast, trials.cast_policy, trials.device, trials.policy, trials.status, "
    "trials.failure, trials.failure_text, trials.heartbeat_at, trials.host, trials.process, trials.process_started, "
    "trials.attempted, trials.applied, trials.skipped, trials.iterations, trials.samples, trials.final_loss, "
    "trials.quality_metric, trials.quality, trials.quality_reference, trials.flips, trials.seconds, trials.states "
    "FROM trials JOIN experiments ON experiments.id = trials.experiment "
    "WHERE ?1 IS NULL OR trials.id = ?1 ORDER BY trials.id";

constexpr char kSelectNotes[] = "SELECT note FROM notes WHERE trial = ?1 ORDER BY position";
constexpr char kSelectOptimizers[] =
    "SELECT kind, applied, skipped, lr, lr_per, states FROM trial_optimizers WHERE trial = ?1 ORDER BY optimizer";
constexpr char kSelectCountsSoFar[] =
    "SELECT step, applied_updates, iteration, samples FROM steps WHERE trial = ?1 ORDER BY step DESC LIMIT 1";
constexpr char kSelectLastEvaluation[] =
    "SELECT step, metric, value, states FROM evaluations WHERE trial = ?1 ORDER BY step DESC LIMIT 1";
constexpr char kCountSkippedOfOptimizer[] =
    "SELECT count(*) FROM step_optimizers WHERE trial = ?1 AND optimizer = ?2 AND skipped";

constexpr char kInsertOptimizer[] =
    "INSERT INTO trial_optimizers (trial, optimizer, kind, applied, skipped, lr, lr_per, states) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr char kInsertNote[] = "INSERT INTO notes (trial, position, note) VALUES (?1, ?2, ?3)";
constexpr char kInsertPolicyChange[] =
    "INSERT INTO policy_changes (trial, position, step, policy_of, autocast, cast_policy, policy, reason) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
constexpr char kSelectPolicyChanges[] =
    "SELECT step, policy_of, autocast, cast_policy, policy, reason FROM policy_changes WHERE trial = ?1 "
    "ORDER BY position";

void remove_of(Connection& connection, std::int64_t trial, const char* sql) {
  Statement(connection, sql).bind(1, trial).run();
}

void insert_policy_changes(Connection& connection, std::int64_t trial,
                           const std::vector<record::PolicyChange>& changes) {
  Statement insert(connection, kInsertPolicyChange);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const record::PolicyChange& change = changes[i];
    insert.bind(1, trial)
        .bind(2, static_cast<std::int64_t>(i))
        .bind(3, change.step)
        .bind(4, std::string_view(change.trial))
        .bind(5, std::string_view(change.autocast))
        .bind(6, std::string_view(change.cast_policy))
        .bind(7, std::string_view(change.policy))
        .bind(8, std::string_view(change.reason))
        .run();
  }
}

void insert_optimizers(Connection& connection, std::int64_t trial, const std::vector<record::OptimizerEnd>& ends) {
  Statement insert(connection, kInsertOptimizer);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    RealWriter reals;
    reals.bind(insert, 6, ends[i].lr);
    insert.bind(1, trial)
        .bind(2, static_cast<std::int64_t>(i))
        .bind(3, std::string_view(ends[i].kind))
        .bind(4, ends[i].applied)
        .bind(5, ends[i].skipped)
        .bind(7, std::string_view(ends[i].lr_per))
        .bind(8, reals.states())
        .run();
  }
}

std::vector<record::OptimizerEnd> read_optimizers(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectOptimizers);
  select.bind(1, trial);
  std::vector<record::OptimizerEnd> ends;
  while (select.step()) {
    record::OptimizerEnd& end = ends.emplace_back();
    RealReader reals(select.integer(5));
    end.kind = select.text(0);
    end.applied = select.integer(1);
    end.skipped = select.integer(2);
    end.lr = reals.read(select, 3);
    end.lr_per = select.text(4);
  }
  return ends;
}

/// From the last step of an arm that nobody ended.
std::vector<record::OptimizerEnd> interrupted_optimizers(Connection& connection, std::int64_t trial,
                                                         const record::StepRecord& last, std::int64_t skipped) {
  std::vector<record::OptimizerEnd> ends;
  if (last.optimizers.empty()) {
    record::OptimizerEnd& end = ends.emplace_back();
    end.applied = last.applied_updates;
    end.skipped = skipped;
    end.lr = last.lr;
    return ends;
  }
  Statement count(connection, kCountSkippedOfOptimizer);
  for (std::size_t i = 0; i < last.optimizers.size(); ++i) {
    record::OptimizerEnd& end = ends.emplace_back();
    end.applied = last.optimizers[i].applied_updates;
    end.lr = last.optimizers[i].lr;
    count.bind(1, trial).bind(2, static_cast<std::int64_t>(i)).step();
    end.skipped = count.integer(0);
    count.reset();
  }
  return ends;
}

/// A rounding repeat runs the reference's weights: its steps are looks at the reference's, none of its own.
bool trains_nothing(Connection& connection, std::int64_t trial) {
  Statement select(connection, "SELECT kind = 'rounding' FROM trials WHERE id = ?1");
  select.bind(1, trial);
  return select.step() && select.integer(0) != 0;
}

std::vector<record::PolicyChange> read_policy_changes(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectPolicyChanges);
  select.bind(1, trial);
  std::vector<record::PolicyChange> changes;
  while (select.step()) {
    changes.push_back(
        {select.integer(0), select.text(1), select.text(2), select.text(3), select.text(4), select.text(5)});
  }
  return changes;
}

/// Fills in how far an arm is that runs. From its last step alone: a step is either applied or skipped.
void count_so_far(Connection& connection, record::TrialRow& trial) {
  if (trial.start.kind == record::TrialKind::Rounding) return;  // its steps are looks at the reference's
  Statement select(connection, kSelectCountsSoFar);
  select.bind(1, trial.id);
  if (!select.step()) return;
  record::Counts& counts = trial.end.counts;
  counts.attempted = select.integer(0);
  counts.applied = select.integer(1);
  counts.skipped = counts.attempted - counts.applied;
  counts.iterations = select.integer(2);
  counts.samples = select.integer(3);
}

/// Fills in the quality of an arm that ended before it was compared with its reference.
void read_last_evaluation(Connection& connection, record::TrialRow& trial) {
  const bool was_cut_short = trial.end.status == Status::Interrupted || trial.end.status == Status::Stopped;
  if (!was_cut_short || !trial.end.quality_metric.empty()) return;
  Statement select(connection, kSelectLastEvaluation);
  select.bind(1, trial.id);
  if (!select.step()) return;
  RealReader reals(select.integer(3));
  trial.end.quality_metric = select.text(1);
  trial.end.quality = reals.read(select, 2);
  trial.end.notes.push_back("The quality is that of the last evaluation before the arm's end, at step " +
                            std::to_string(select.integer(0)) + ".");
}

/// Fills in what an arm came to that nobody has marked `interrupted` in the file with it.
void complete_interrupted(Connection& connection, record::TrialRow& trial, bool marked) {
  const record::TrialEnd end = interrupted_end(connection, trial.id);
  trial.end.optimizers = end.optimizers;
  if (marked && trial.end.counts.attempted > 0) return;
  trial.end.counts = end.counts;
  trial.end.final_loss = end.final_loss;
  trial.end.seconds = end.seconds;
}

void read_parent(Connection& connection, record::TrialRow& trial) {
  Statement select(connection, kSelectParent);
  select.bind(1, trial.id);
  if (!select.step()) return;
  trial.start.parent = select.integer(0);
  trial.start.parent_step = select.integer(1);
}

record::TrialRow read_trial(Connection& connection, const Statement& row, UtcTime now) {
  record::TrialRow trial;
  int at = 0;
  trial.id = row.integer(at++);
  trial.experiment_id = row.integer(at++);
  trial.experiment = row.text(at++);
  trial.started_at = row.text(at++);
  trial.finished_at = row.text(at++);
  trial.start.experiment = trial.experiment_id;
  trial.start.reference = row.integer(at++);
  trial.start.kind = record::trial_kind_from_text(row.text(at++)).value_or(record::TrialKind::Foreign);
  trial.start.name = row.text(at++);
  trial.start.autocast = row.text(at++);
  trial.start.cast_policy = row.text(at++);
  trial.start.device = row.text(at++);
  trial.start.policy = row.text(at++);
  trial.end.status = record::status_from_text(row.text(at++)).value_or(Status::Failed);
  trial.end.failure = row.text(at++);
  trial.end.failure_text = row.text(at++);
  const std::string heartbeat_at = row.text(at++);
  ProcessIdentity who;
  who.host = row.text(at++);
  who.process = row.integer(at++);
  who.started = row.text(at++);
  const bool marked = trial.end.status == Status::Interrupted;
  if (trial.end.status == Status::Running && !still_runs(who, heartbeat_at, now)) {
    trial.end.status = Status::Interrupted;
  }
  trial.end.counts.attempted = row.integer(at++);
  trial.end.counts.applied = row.integer(at++);
  trial.end.counts.skipped = row.integer(at++);
  trial.end.counts.iterations = row.integer(at++);
  trial.end.counts.samples = row.integer(at++);
  RealReader reals(row.integer(30));
  trial.end.final_loss = reals.read(row, at++);
  trial.end.quality_metric = row.text(at++);
  trial.end.quality = reals.read(row, at++);
  trial.end.quality_reference = reals.read(row, at++);
  trial.end.flips = row.optional_integer(at++);
  trial.end.seconds = reals.read(row, at++).value_or(0.0);
  if (trial.end.status == Status::Interrupted) complete_interrupted(connection, trial, marked);
  if (trial.end.status == Status::Running) count_so_far(connection, trial);
  return trial;
}

}  // namespace

std::int64_t insert_experiment(Connection& connection, const record::ExperimentStart& start, UtcTime now) {
  const std::string created_at = utc_text(now);
  Statement(connection, kInsertExperiment)
      .bind(1, std::string_view(created_at))
      .bind(2, std::string_view(start.name))
      .bind(3, std::string_view(start.file))
      .bind(4, std::string_view(start.text))
      .bind(5, std::string_view(start.resolved))
      .bind(6, std::string_view(start.sha256))
      .bind(7, std::string_view(start.rules))
      .bind(8, std::string_view(start.rules_sha256))
      .bind(9, std::string_view(start.cases_sha256))
      .bind(10, std::string_view(start.lock))
      .bind(11, std::string_view(start.lock_sha256))
      .run();
  return connection.last_row();
}

std::int64_t insert_trial(Connection& connection, const record::TrialStart& start, const ProcessIdentity& who,
                          UtcTime now) {
  const std::string started_at = utc_text(now);
  Statement insert(connection, kInsertTrial);
  insert.bind(1, start.experiment);
  if (start.reference == 0) {
    insert.bind_null(2);
  } else {
    insert.bind(2, start.reference);
  }
  insert.bind(3, record::to_text(start.kind))
      .bind(4, std::string_view(start.name))
      .bind(5, std::string_view(start.autocast))
      .bind(6, std::string_view(start.cast_policy))
      .bind(7, std::string_view(start.device))
      .bind(8, std::string_view(start.policy))
      .bind(9, record::to_text(Status::Running))
      .bind(10, std::string_view(started_at))
      .bind(11, std::string_view(who.host))
      .bind(12, who.process)
      .bind(13, std::string_view(who.started))
      .run();
  const std::int64_t id = connection.last_row();
  if (start.parent != 0) {
    Statement(connection, kInsertParent).bind(1, id).bind(2, start.parent).bind(3, start.parent_step).run();
  }
  return id;
}

void replace_policy_changes(Connection& connection, std::int64_t trial,
                            const std::vector<record::PolicyChange>& changes) {
  remove_of(connection, trial, "DELETE FROM policy_changes WHERE trial = ?1");
  insert_policy_changes(connection, trial, changes);
}

void update_trial_end(Connection& connection, std::int64_t trial, const record::TrialEnd& end, UtcTime now) {
  const std::string finished_at = utc_text(now);
  Statement update(connection, kUpdateTrialEnd);
  RealWriter reals;
  reals.bind(update, 11, end.final_loss);
  reals.bind(update, 13, end.quality);
  reals.bind(update, 14, end.quality_reference);
  reals.bind(update, 16, end.seconds);
  update.bind(1, trial)
      .bind(2, record::to_text(end.status))
      .bind(3, std::string_view(end.failure))
      .bind(4, std::string_view(end.failure_text))
      .bind(5, std::string_view(finished_at))
      .bind(6, end.counts.attempted)
      .bind(7, end.counts.applied)
      .bind(8, end.counts.skipped)
      .bind(9, end.counts.iterations)
      .bind(10, end.counts.samples)
      .bind(12, std::string_view(end.quality_metric))
      .bind(15, end.flips)
      .bind(17, reals.states())
      .run();
  remove_of(connection, trial, "DELETE FROM trial_optimizers WHERE trial = ?1");
  remove_of(connection, trial, "DELETE FROM notes WHERE trial = ?1");
  remove_of(connection, trial, "DELETE FROM verdict_reasons WHERE trial = ?1");
  remove_of(connection, trial, "DELETE FROM rule_verdicts WHERE trial = ?1");
  remove_of(connection, trial, "DELETE FROM verdicts WHERE trial = ?1");
  insert_optimizers(connection, trial, end.optimizers);
  insert_list(connection, trial, kInsertNote, end.notes);
  replace_policy_changes(connection, trial, end.policy_changes);
  replace_yardsticks(connection, trial, end.yardsticks);
  if (end.verdict) insert_verdict(connection, trial, *end.verdict);
  replace_evidence(connection, trial, end.evidence);
}

void renew_heartbeat(Connection& connection, const std::vector<std::int64_t>& trials, UtcTime now) {
  const std::string heartbeat_at = utc_text(now);
  Statement update(connection, kRenewHeartbeat);
  for (const std::int64_t trial : trials) update.bind(1, trial).bind(2, std::string_view(heartbeat_at)).run();
}

record::TrialEnd interrupted_end(Connection& connection, std::int64_t trial) {
  record::TrialEnd end;
  end.status = Status::Interrupted;
  const std::optional<record::StepRecord> last = last_step(connection, trial);
  if (!last) return end;
  end.seconds = last->wall_seconds.value_or(0.0);
  if (trains_nothing(connection, trial)) return end;
  end.counts.attempted = last->step;
  end.counts.applied = last->applied_updates;
  end.counts.iterations = last->iteration;
  end.counts.samples = last->samples;
  Statement skipped(connection, kCountSkipped);
  skipped.bind(1, trial).step();
  end.counts.skipped = skipped.integer(0);
  end.optimizers = interrupted_optimizers(connection, trial, *last, end.counts.skipped);
  end.final_loss = last->loss;
  return end;
}

void mark_interrupted(Connection& connection, std::int64_t trial, const record::TrialEnd& end) {
  Statement update(connection, kMarkInterrupted);
  RealWriter reals;
  reals.bind(update, 7, end.final_loss);
  reals.bind(update, 8, end.quality);
  reals.bind(update, 9, end.quality_reference);
  reals.bind(update, 10, end.seconds);
  update.bind(1, trial)
      .bind(2, end.counts.attempted)
      .bind(3, end.counts.applied)
      .bind(4, end.counts.skipped)
      .bind(5, end.counts.iterations)
      .bind(6, end.counts.samples)
      .bind(11, reals.states())
      .run();
}

std::vector<std::int64_t> own_trials(Connection& connection, const ProcessIdentity& who) {
  std::vector<std::int64_t> own;
  Statement select(connection, kSelectRunning);
  while (select.step()) {
    if (select.text(1) == who.host && select.integer(2) == who.process && select.text(3) == who.started)
      own.push_back(select.integer(0));
  }
  return own;
}

std::vector<std::int64_t> dead_trials(Connection& connection, UtcTime now) {
  std::vector<std::int64_t> dead;
  Statement select(connection, kSelectRunning);
  while (select.step()) {
    const ProcessIdentity who{select.text(1), select.integer(2), select.text(3)};
    if (!still_runs(who, select.text(4), now)) dead.push_back(select.integer(0));
  }
  return dead;
}

std::optional<record::ExperimentStart> read_experiment(Connection& connection, std::int64_t id) {
  Statement select(connection, kSelectExperiment);
  select.bind(1, id);
  if (!select.step()) return std::nullopt;
  record::ExperimentStart start;
  start.name = select.text(0);
  start.file = select.text(1);
  start.text = select.text(2);
  start.resolved = select.text(3);
  start.sha256 = select.text(4);
  start.rules = select.text(5);
  start.rules_sha256 = select.text(6);
  start.cases_sha256 = select.text(7);
  start.lock = select.text(8);
  start.lock_sha256 = select.text(9);
  return start;
}

std::optional<std::string> read_fixed_at(Connection& connection, std::int64_t experiment) {
  Statement select(connection, kSelectFixedAt);
  select.bind(1, experiment);
  if (!select.step()) return std::nullopt;
  return select.text(0);
}

std::vector<record::TrialRow> read_trials(Connection& connection, std::optional<std::int64_t> id, UtcTime now) {
  Statement select(connection, kSelectTrials);
  select.bind(1, id);
  std::vector<record::TrialRow> trials;
  const bool with_parents = connection.has_table("parents");
  const bool with_optimizers = connection.has_table("trial_optimizers");
  const bool with_changes = connection.has_table("policy_changes");
  const bool with_yardsticks = connection.has_table("trial_yardsticks");
  const bool with_gains = connection.has_table("gains");
  const bool with_latency = connection.has_table("latency");
  const bool with_memory = connection.has_table("trial_memory");
  const bool with_evaluations = connection.has_table("evaluations");
  while (select.step()) {
    record::TrialRow& trial = trials.emplace_back(read_trial(connection, select, now));
    if (with_parents) read_parent(connection, trial);
    if (with_optimizers && trial.end.optimizers.empty()) trial.end.optimizers = read_optimizers(connection, trial.id);
    trial.end.notes = read_list(connection, trial.id, kSelectNotes);
    if (with_evaluations) read_last_evaluation(connection, trial);
    if (with_changes) trial.end.policy_changes = read_policy_changes(connection, trial.id);
    if (with_yardsticks) trial.end.yardsticks = read_yardsticks(connection, trial.id);
    if (with_gains) trial.end.gains = read_gains(connection, trial.id);
    if (with_latency) trial.end.latency = read_latency(connection, trial.id);
    if (with_memory) trial.end.memory = read_memory(connection, trial.id);
    trial.end.verdict = read_verdict(connection, trial.id);
  }
  return trials;
}

}  // namespace mantissa::archive
