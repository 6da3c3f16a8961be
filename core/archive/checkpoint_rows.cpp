// SPDX-License-Identifier: Apache-2.0
#include "core/archive/checkpoint_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "core/archive/judgement_rows.h"
#include "core/archive/real_states.h"
#include "core/archive/retention.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"

namespace mantissa::archive {
namespace {

constexpr char kInsertCheckpoint[] =
    "INSERT INTO checkpoints (trial, step, created_at, bytes, sha256) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr char kRemoveCheckpoint[] = "DELETE FROM checkpoints WHERE trial = ?1 AND step = ?2";
constexpr char kInsertValue[] = "INSERT INTO checkpoint_values (checkpoint, name, kind, value) VALUES (?1, ?2, ?3, ?4)";
constexpr char kSelectCheckpoint[] = "SELECT id, sha256 FROM checkpoints WHERE trial = ?1 AND step = ?2";
constexpr char kSelectValues[] = "SELECT name, kind, value FROM checkpoint_values WHERE checkpoint = ?1 ORDER BY name";
constexpr char kSelectCheckpoints[] =
    "SELECT step, created_at, bytes, sha256 FROM checkpoints WHERE trial = ?1 ORDER BY step";
constexpr char kSelectCheckpointSteps[] = "SELECT step FROM checkpoints WHERE trial = ?1 AND step > ?2 ORDER BY step";
constexpr char kInsertEvaluation[] =
    "INSERT OR REPLACE INTO evaluations (trial, step, metric, direction, value, states) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
constexpr char kSelectEvaluations[] =
    "SELECT step, metric, direction, value, states FROM evaluations WHERE trial = ?1 ORDER BY step";
constexpr char kInsertResumption[] =
    "INSERT INTO resumptions (trial, step, resumed_at, overrides) VALUES (?1, ?2, ?3, ?4)";
constexpr char kSelectResumptions[] =
    "SELECT step, resumed_at, overrides FROM resumptions WHERE trial = ?1 ORDER BY id";
constexpr char kSelectWhoRuns[] =
    "SELECT status, name, host, process, process_started, heartbeat_at FROM trials WHERE id = ?1";

// `states` is written whole: the real columns of an arm that runs are not measured.
constexpr char kReopenTrial[] =
    "UPDATE trials SET status = 'running', failure = '', failure_text = '', finished_at = NULL, heartbeat_at = ?2, "
    "host = ?3, process = ?4, process_started = ?5, final_loss = NULL, quality_metric = '', quality = NULL, "
    "quality_reference = NULL, flips = NULL, seconds = NULL, states = 0, cases_stored = NULL WHERE id = ?1";

// What stands in the archive of an arm's way after a step.
constexpr const char* kRemoveAfterStep[] = {
    "DELETE FROM steps WHERE trial = ?1 AND step > ?2",
    "DELETE FROM step_optimizers WHERE trial = ?1 AND step > ?2",
    "DELETE FROM evaluations WHERE trial = ?1 AND step > ?2",
    "DELETE FROM policy_changes WHERE trial = ?1 AND step > ?2",
};

// What was made of the arm as it stood at its end.
constexpr const char* kRemoveOfEnd[] = {
    "DELETE FROM context_scores WHERE trial = ?1",  "DELETE FROM input_quality WHERE trial = ?1",
    "DELETE FROM input_columns WHERE trial = ?1",   "DELETE FROM input_cases WHERE trial = ?1",
    "DELETE FROM cases WHERE trial = ?1",           "DELETE FROM notes WHERE trial = ?1",
    "DELETE FROM verdict_reasons WHERE trial = ?1", "DELETE FROM rule_verdicts WHERE trial = ?1",
    "DELETE FROM verdicts WHERE trial = ?1",        "DELETE FROM trial_optimizers WHERE trial = ?1",
    "DELETE FROM policy_changes WHERE trial = ?1",  "DELETE FROM trial_yardsticks WHERE trial = ?1",
    "DELETE FROM gains WHERE trial = ?1",           "DELETE FROM trial_evidence WHERE trial = ?1",
    "DELETE FROM golden_outputs WHERE trial = ?1",  "DELETE FROM latency WHERE trial = ?1",
};

struct ValueText {
  std::string_view kind;
  std::string text;
};

ValueText text_of(const record::StateValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return {"integer", std::to_string(*integer)};
  if (const auto* real = std::get_if<double>(&value)) return {"real", mantissa::to_text(*real)};
  return {"text", std::get<std::string>(value)};
}

std::optional<record::StateValue> value_of(const std::string& kind, const std::string& text) {
  if (kind == "integer") {
    if (const auto integer = integer_from_text(text)) return record::StateValue(*integer);
  } else if (kind == "real") {
    if (const auto real = number_from_text(text)) return record::StateValue(*real);
  } else if (kind == "text") {
    return record::StateValue(text);
  }
  return std::nullopt;
}

/// One hash over everything that a state consists of. Lengths stand before texts, so that no two states look alike.
class StateDigest {
 public:
  void add_value(std::string_view name, std::string_view kind, std::string_view text) {
    add("value");
    add(name);
    add(kind);
    add(text);
  }
  void add_tensor(const record::TensorBytes& tensor, const std::vector<std::string>& pieces) {
    add("tensor");
    add(tensor.name);
    add(tensor.dtype);
    add(shape_text(tensor.shape));
    add(std::to_string(tensor.bytes.size()));
    for (const std::string& piece : pieces) add(piece);
  }
  std::string hex() { return hash_.hex(); }

 private:
  void add(std::string_view text) { hash_.add(std::to_string(text.size())).add(":").add(text); }
  Sha256 hash_;
};

std::int64_t bytes_of(const record::ArmState& state) {
  std::int64_t bytes = 0;
  for (const record::TensorBytes& tensor : state.tensors) bytes += static_cast<std::int64_t>(tensor.bytes.size());
  return bytes;
}

std::string digest_of(const record::ArmState& state, const std::vector<std::vector<std::string>>& pieces) {
  StateDigest digest;
  for (const auto& [name, value] : state.values) {
    const ValueText text = text_of(value);
    digest.add_value(name, text.kind, text.text);
  }
  for (std::size_t i = 0; i < state.tensors.size(); ++i) digest.add_tensor(state.tensors[i], pieces[i]);
  return digest.hex();
}

void insert_checkpoint(Connection& connection, const record::Checkpoint& arm, std::int64_t step,
                       const TensorPieces& pieces, UtcTime now) {
  const std::string created_at = utc_text(now);
  const std::string digest = digest_of(arm.state, pieces.digests());
  Statement(connection, kInsertCheckpoint)
      .bind(1, arm.trial)
      .bind(2, step)
      .bind(3, std::string_view(created_at))
      .bind(4, bytes_of(arm.state))
      .bind(5, std::string_view(digest))
      .run();
  const std::int64_t id = connection.last_row();
  Statement insert(connection, kInsertValue);
  for (const auto& [name, value] : arm.state.values) {
    const ValueText text = text_of(value);
    insert.bind(1, id).bind(2, std::string_view(name)).bind(3, text.kind).bind(4, std::string_view(text.text)).run();
  }
  pieces.insert_rows(connection, arm.trial, checkpoint_moment(step));
}

/// Inside the caller's transaction; returns the pieces that it named.
std::vector<std::int64_t> remove_checkpoint(Connection& connection, std::int64_t trial, std::int64_t step) {
  Statement(connection, kRemoveCheckpoint).bind(1, trial).bind(2, step).run();
  return remove_tensors(connection, trial, checkpoint_moment(step));
}

void append(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<record::Evaluation> read_evaluations(Connection& connection, std::int64_t trial) {
  std::vector<record::Evaluation> evaluations;
  Statement select(connection, kSelectEvaluations);
  select.bind(1, trial);
  while (select.step()) {
    record::Evaluation& evaluation = evaluations.emplace_back();
    RealReader reals(select.integer(4));
    evaluation.trial = trial;
    evaluation.step = select.integer(0);
    evaluation.metric = select.text(1);
    evaluation.direction = record::direction_from_text(select.text(2)).value_or(record::Direction::Higher);
    evaluation.value = reals.read(select, 3);
  }
  return evaluations;
}

/// The arm's checkpoints, each with its evaluation and whether it is the best.
std::vector<record::CheckpointRow> read_checkpoints(Connection& connection, std::int64_t trial,
                                                    const std::vector<record::Evaluation>& evaluations) {
  std::vector<record::CheckpointRow> rows;
  std::vector<record::Evaluation> evaluated;
  Statement select(connection, kSelectCheckpoints);
  select.bind(1, trial);
  while (select.step()) {
    record::CheckpointRow& row = rows.emplace_back();
    row.trial = trial;
    row.step = select.integer(0);
    row.created_at = select.text(1);
    row.bytes = select.integer(2);
    row.sha256 = select.text(3);
    for (const record::Evaluation& evaluation : evaluations) {
      if (evaluation.step == row.step) row.evaluation = evaluation;
    }
    if (row.evaluation) evaluated.push_back(*row.evaluation);
  }
  if (const auto best = best_step(evaluated)) {
    for (record::CheckpointRow& row : rows) row.best = row.step == *best;
  }
  return rows;
}

/// The sets of these arms by step, with what decides whether they stay.
std::vector<SetQuality> qualities_of(Connection& connection, const std::vector<record::Checkpoint>& arms) {
  std::map<std::int64_t, SetQuality> sets;
  for (const record::Checkpoint& arm : arms) {
    const auto evaluations = read_evaluations(connection, arm.trial);
    for (const record::CheckpointRow& row : read_checkpoints(connection, arm.trial, evaluations)) {
      SetQuality& set = sets[row.step];
      set.step = row.step;
      set.best = set.best || row.best;
      const bool measured = row.evaluation && row.evaluation->value;
      set.not_a_number = set.not_a_number || (measured && std::isnan(*row.evaluation->value));
    }
  }
  std::vector<SetQuality> by_step;
  for (const auto& [step, set] : sets) by_step.push_back(set);
  return by_step;
}

void refuse_what_runs(Connection& connection, std::int64_t trial, UtcTime now) {
  Statement select(connection, kSelectWhoRuns);
  select.bind(1, trial);
  if (!select.step() || select.text(0) != "running") return;
  const ProcessIdentity who{select.text(2), select.integer(3), select.text(4)};
  if (!still_runs(who, select.text(5), now)) return;
  throw Error(
      ErrorKind::InvalidSetting,
      {"process " + std::to_string(who.process) + " on " + who.host + " runs it, and only what has ended can go on",
       connection.path(), 0, 0, "trial " + std::to_string(trial) + " (" + select.text(1) + ")", "", "",
       "Stop that run first"});
}

}  // namespace

std::string checkpoint_moment(std::int64_t step) { return "checkpoint " + std::to_string(step); }

CheckpointWork::CheckpointWork(record::CheckpointSet set, std::int64_t largest_inside) : set_(std::move(set)) {
  for (const record::Checkpoint& arm : set_.arms) {
    pieces_.emplace_back(arm.state.tensors, bytes_of(arm.state) > largest_inside);
  }
}

bool CheckpointWork::step(Connection& connection) {
  if (arm_ < pieces_.size()) {
    if (!pieces_[arm_].store_some(connection)) ++arm_;
    return true;
  }
  if (!inserted_) {
    insert_set(connection);
    return !unused_.empty();
  }
  remove_unused_piece(connection, unused_.back());
  unused_.pop_back();
  return !unused_.empty();
}

void CheckpointWork::insert_set(Connection& connection) {
  std::vector<std::int64_t> unused;
  Transaction transaction(connection);
  const UtcTime now = utc_now();
  for (std::size_t i = 0; i < set_.arms.size(); ++i) {
    append(unused, remove_checkpoint(connection, set_.arms[i].trial, set_.step));
    insert_checkpoint(connection, set_.arms[i], set_.step, pieces_[i], now);
  }
  for (const std::int64_t step : sets_to_remove(qualities_of(connection, set_.arms), set_.keep)) {
    for (const record::Checkpoint& arm : set_.arms) append(unused, remove_checkpoint(connection, arm.trial, step));
  }
  transaction.commit();
  inserted_ = true;
  std::sort(unused.begin(), unused.end());
  unused.erase(std::unique(unused.begin(), unused.end()), unused.end());
  unused_ = std::move(unused);
  pieces_.clear();
  arm_ = 0;
  set_.arms.clear();
}

record::ArmState read_state(Connection& connection, std::int64_t trial, std::int64_t step) {
  const std::string what = "the checkpoint at step " + std::to_string(step);
  const std::string of_trial = what + " of trial " + std::to_string(trial);
  const auto refuse_missing = [&] {
    throw Error(ErrorKind::UnknownTrial, {"has no checkpoint at step " + std::to_string(step), connection.path(), 0, 0,
                                          "trial " + std::to_string(trial), "", "", "show lists the checkpoints"});
  };
  if (!connection.has_table("checkpoints")) refuse_missing();
  ReadTransaction transaction(connection);
  Statement select(connection, kSelectCheckpoint);
  select.bind(1, trial).bind(2, step);
  if (!select.step()) refuse_missing();
  record::ArmState state;
  Statement values(connection, kSelectValues);
  values.bind(1, select.integer(0));
  while (values.step()) {
    const auto value = value_of(values.text(1), values.text(2));
    if (!value) connection.fail_damaged(of_trial + " is damaged: no such value", values.text(0));
    state.values.emplace(values.text(0), *value);
  }
  std::vector<std::vector<std::string>> pieces;
  state.tensors = load_tensors(connection, trial, checkpoint_moment(step), what, "", &pieces);
  if (digest_of(state, pieces) != select.text(1)) {
    connection.fail_damaged(of_trial + " is damaged: its numbers or the list of its tensors do not match their hash");
  }
  return state;
}

void insert_evaluation(Connection& connection, const record::Evaluation& evaluation) {
  Statement insert(connection, kInsertEvaluation);
  RealWriter reals;
  reals.bind(insert, 5, evaluation.value);
  insert.bind(1, evaluation.trial)
      .bind(2, evaluation.step)
      .bind(3, std::string_view(evaluation.metric))
      .bind(4, record::to_text(evaluation.direction))
      .bind(6, reals.states())
      .run();
}

record::History read_history(Connection& connection, std::int64_t trial) {
  if (!connection.has_table("checkpoints")) return {};
  ReadTransaction transaction(connection);
  record::History history;
  history.evaluations = read_evaluations(connection, trial);
  history.checkpoints = read_checkpoints(connection, trial, history.evaluations);
  Statement select(connection, kSelectResumptions);
  select.bind(1, trial);
  while (select.step()) history.resumptions.push_back({select.integer(0), select.text(1), select.text(2)});
  return history;
}

std::vector<std::int64_t> reopen_trials(Connection& connection, const std::vector<std::int64_t>& trials,
                                        std::int64_t step, const std::string& overrides, const ProcessIdentity& who,
                                        UtcTime now) {
  std::vector<std::int64_t> unused;
  const std::string now_text = utc_text(now);
  for (const std::int64_t trial : trials) refuse_what_runs(connection, trial, now);
  for (const std::int64_t trial : trials) {
    std::vector<std::int64_t> later;
    {
      Statement select(connection, kSelectCheckpointSteps);
      select.bind(1, trial).bind(2, step);
      while (select.step()) later.push_back(select.integer(0));
    }
    for (const std::int64_t checkpoint : later) append(unused, remove_checkpoint(connection, trial, checkpoint));
    keep_earlier_verdict(connection, trial, now_text);
    for (const char* const sql : kRemoveAfterStep) Statement(connection, sql).bind(1, trial).bind(2, step).run();
    for (const char* const sql : kRemoveOfEnd) Statement(connection, sql).bind(1, trial).run();
    append(unused, remove_tensors(connection, trial, "final"));
    Statement(connection, kReopenTrial)
        .bind(1, trial)
        .bind(2, std::string_view(now_text))
        .bind(3, std::string_view(who.host))
        .bind(4, who.process)
        .bind(5, std::string_view(who.started))
        .run();
    Statement(connection, kInsertResumption)
        .bind(1, trial)
        .bind(2, step)
        .bind(3, std::string_view(now_text))
        .bind(4, std::string_view(overrides))
        .run();
  }
  return unused;
}

}  // namespace mantissa::archive
