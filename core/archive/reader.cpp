// SPDX-License-Identifier: Apache-2.0
#include "core/archive/reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "core/archive/archive_file.h"
#include "core/archive/case_rows.h"
#include "core/archive/case_set_rows.h"
#include "core/archive/checkpoint_rows.h"
#include "core/archive/clock.h"
#include "core/archive/context_rows.h"
#include "core/archive/judgement_rows.h"
#include "core/archive/memory_rows.h"
#include "core/archive/outcome_rows.h"
#include "core/archive/sqlite.h"
#include "core/archive/standing_rows.h"
#include "core/archive/step_rows.h"
#include "core/archive/tensor_chunks.h"
#include "core/archive/trial_rows.h"
#include "core/archive/verdict_rows.h"
#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::archive {
namespace {

// The newest arm of a kind of match, and how many matched.
struct Match {
  std::int64_t id = 0;
  std::int64_t count = 0;
};

Match newest(Connection& connection, const char* condition, const std::string& text) {
  Statement select(connection,
                   std::string("SELECT coalesce(max(trials.id), 0), count(*) FROM trials JOIN experiments ON "
                               "experiments.id = trials.experiment WHERE ") +
                       condition);
  select.bind(1, std::string_view(text));
  select.step();
  return {select.integer(0), select.integer(1)};
}

// Levenshtein's distance: single insertions, deletions and changes of a byte.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

Error no_experiment(const Connection& connection, std::int64_t id) {
  return {ErrorKind::UnknownTrial,
          {"no such experiment", connection.path(), 0, 0, "experiment " + std::to_string(id), "", "", ""}};
}

// "walk/reference, walk/bf16": the arms of an experiment of this name, without its reference's repeats.
std::string arms_named_after(Connection& connection, const std::string& experiment) {
  constexpr int kMost = 5;
  Statement select(connection,
                   "SELECT experiments.name || '/' || trials.name FROM trials JOIN experiments ON experiments.id = "
                   "trials.experiment WHERE experiments.name = ?1 AND trials.kind NOT IN ('repeat', 'rounding') GROUP "
                   "BY trials.name ORDER BY min(trials.id)");
  select.bind(1, std::string_view(experiment));
  std::string list;
  for (int number = 0; select.step(); ++number) {
    if (number == kMost) return list + " …";
    list += (list.empty() ? "" : ", ") + select.text(0);
  }
  return list;
}

// Up to three names that look most like the text, whole names or with their experiment.
std::string nearest_names(Connection& connection, const std::string& text) {
  const bool with_experiment = text.find('/') != std::string::npos;
  Statement select(connection, with_experiment
                                   ? "SELECT DISTINCT experiments.name || '/' || trials.name FROM trials JOIN "
                                     "experiments ON experiments.id = trials.experiment"
                                   : "SELECT DISTINCT name FROM trials");
  std::set<std::pair<std::size_t, std::string>> names;
  while (select.step()) {
    const std::string name = select.text(0);
    names.emplace(distance(text, name), name);
    if (names.size() > 3) names.erase(std::prev(names.end()));
  }
  std::string list;
  for (const auto& [ignored, name] : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

Reader::Reader(const std::string& path, std::chrono::milliseconds busy_timeout)
    : connection_(open_for_reading(path, busy_timeout)) {}

Reader::~Reader() {
  const std::string path = connection_->path();
  connection_.reset();
  take_away_side_files(path);
}

std::vector<record::TrialRow> Reader::trials() const { return read_trials(*connection_, std::nullopt, utc_now()); }

std::vector<Standing> Reader::standings() const { return read_standings(*connection_, utc_now()); }

std::int64_t Reader::version() const { return connection_->integer("PRAGMA data_version"); }

record::TrialRow Reader::trial(std::int64_t id) const {
  std::vector<record::TrialRow> found = read_trials(*connection_, id, utc_now());
  if (found.empty()) {
    throw Error(ErrorKind::UnknownTrial,
                {"no such trial", connection_->path(), 0, 0, "trial " + std::to_string(id), "", "", ""});
  }
  return std::move(found.front());
}

record::TrialRow Reader::find(const std::string& text, std::string* choice) const {
  const auto take = [&](const Match& match, const std::string& what) {
    if (choice != nullptr && match.count > 1) {
      *choice = "trial " + std::to_string(match.id) + ", the newest of " + std::to_string(match.count) + ' ' + what;
    }
    return trial(match.id);
  };
  if (const auto id = integer_from_text(text)) {
    if (const Match match = newest(*connection_, "trials.id = CAST(?1 AS INTEGER)", text); match.id != 0) {
      return trial(match.id);
    }
  }
  if (text == "last") {
    if (const Match match = newest(*connection_, "?1 IS NOT NULL AND trials.kind NOT IN ('repeat', 'rounding')", text);
        match.id != 0)
      return trial(match.id);
  }
  if (text == "reference") {
    const Match match = newest(*connection_, "trials.kind = ?1", text);
    if (match.id != 0) return take(match, "references");
  }
  if (const Match match = newest(*connection_, "trials.name = ?1", text); match.id != 0) {
    return take(match, "named " + text);
  }
  if (const Match match = newest(*connection_, "experiments.name || '/' || trials.name = ?1", text); match.id != 0) {
    return take(match, "named " + text);
  }
  if (const std::string arms = arms_named_after(*connection_, text); !arms.empty()) {
    throw Error(ErrorKind::UnknownTrial, {"this is the name of an experiment", connection_->path(), 0, 0, "",
                                          "'" + text + "'", "one of its arms: " + arms, ""});
  }
  const std::string names = nearest_names(*connection_, text);
  throw Error(ErrorKind::UnknownTrial,
              {"no such trial", connection_->path(), 0, 0, "", "'" + text + "'",
               names.empty() ? "an archive with trials; this one has none" : "for example " + names, ""});
}

record::ExperimentStart Reader::experiment(std::int64_t id) const {
  std::optional<record::ExperimentStart> found = read_experiment(*connection_, id);
  if (!found) throw no_experiment(*connection_, id);
  return std::move(*found);
}

std::string Reader::fixed_at(std::int64_t experiment) const {
  std::optional<std::string> found = read_fixed_at(*connection_, experiment);
  if (!found) throw no_experiment(*connection_, experiment);
  return std::move(*found);
}

void Reader::steps(std::int64_t trial, const std::function<bool(const record::StepRecord&)>& use,
                   std::int64_t after) const {
  read_steps(*connection_, trial, after, use);
}

std::vector<record::CaseRow> Reader::cases(std::int64_t trial) const {
  std::vector<record::CaseRow> rows = read_cases(*connection_, trial);
  read_golden_outputs(*connection_, trial, rows);
  read_other_outputs(*connection_, trial, rows);
  return rows;
}

std::optional<std::string> Reader::evidence(std::int64_t trial) const { return read_evidence(*connection_, trial); }

std::vector<record::CaseOutcome> Reader::outcomes(std::int64_t trial) const {
  return read_outcomes(*connection_, trial);
}

std::vector<record::Judgement> Reader::judgements(std::int64_t trial) const {
  return read_judgements(*connection_, trial);
}

std::optional<record::CaseSet> Reader::case_set(std::int64_t experiment) const {
  return read_case_set(*connection_, experiment);
}

std::optional<record::ReferenceContext> Reader::context(std::int64_t reference) const {
  return read_context(*connection_, reference);
}

std::vector<record::MemoryPair> Reader::memory_pairs() const { return read_memory_pairs(*connection_); }

std::vector<record::TensorBytes> Reader::weights(std::int64_t trial, const std::string& at) const {
  constexpr char kModel[] = "model.";
  std::vector<record::TensorBytes> tensors;
  if (at == "initial" || at == "final") {
    tensors = load_tensors(*connection_, trial, at, "the " + at + " weights");
  } else {
    const std::int64_t step = checkpoint_step(trial, at);
    tensors = load_tensors(*connection_, trial, checkpoint_moment(step),
                           "the checkpoint at step " + std::to_string(step), kModel);
    for (record::TensorBytes& tensor : tensors) tensor.name.erase(0, sizeof kModel - 1);
  }
  if (tensors.empty()) {
    throw Error(ErrorKind::UnknownTrial, {"has no weights of the moment '" + at + "'", connection_->path(), 0, 0,
                                          "trial " + std::to_string(trial), "", "", ""});
  }
  return tensors;
}

record::History Reader::history(std::int64_t trial) const {
  record::History history = read_history(*connection_, trial);
  history.judgements = read_judgements(*connection_, trial);
  return history;
}

std::int64_t Reader::checkpoint_step(std::int64_t trial, const std::string& at) const {
  const std::vector<record::CheckpointRow> checkpoints = read_history(*connection_, trial).checkpoints;
  const auto step = integer_from_text(at);
  std::string known;
  for (const record::CheckpointRow& row : checkpoints) {
    if (step ? row.step == *step : at == "best" && row.best) return row.step;
    known += (known.empty() ? "" : ", ") + std::to_string(row.step);
  }
  if (at == "final" && !checkpoints.empty()) return checkpoints.back().step;
  const bool unmeasured = at == "best" && !checkpoints.empty();
  throw Error(
      ErrorKind::UnknownTrial,
      {unmeasured ? "no checkpoint has a finite quality" : "has no such checkpoint", connection_->path(), 0, 0,
       "trial " + std::to_string(trial), at, known.empty() ? "a checkpoint; it has none" : "one of the steps " + known,
       unmeasured ? "Set training.evaluate_every, so that checkpoints are evaluated" : ""});
}

record::ArmState Reader::state(std::int64_t trial, std::int64_t step) const {
  return read_state(*connection_, trial, step);
}

}  // namespace mantissa::archive
