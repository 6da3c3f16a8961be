// SPDX-License-Identifier: Apache-2.0
#include "core/session/outcomes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/archive/outcome_rows.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/judge/judge.h"
#include "core/session/archived_evidence.h"
#include "core/session/case_hash.h"
#include "core/session/foreign_table.h"

namespace mantissa::session {
namespace {

[[noreturn]] void damaged(const std::string& place, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::ArchiveDamaged, {"the cases of the trial are not those that were frozen", "", 0, 0, place,
                                          found, expected, "Use a backup"});
}

[[noreturn]] void refuse_task(const std::string& found) {
  throw Error(ErrorKind::InvalidSetting,
              {"outcomes cannot be joined", "", 0, 0, "outcomes", found, "one target and one decision a case", ""});
}

/// What the hash of the set can be taken of anew: targets are left out of what is kept of language models and of models
/// that give their loss, and the hash of a case file stands nowhere.
std::optional<std::string> hash_now(const record::ExperimentStart& start, const std::vector<record::CaseRow>& cases) {
  const nlohmann::json lock = nlohmann::json::parse(start.lock, nullptr, false);
  if (!lock.is_object()) return std::nullopt;
  if (lock.contains("foreign")) return sha256_of_cases({}, cases);
  const nlohmann::json settings = nlohmann::json::parse(start.resolved, nullptr, false);
  for (const record::CaseRow& row : cases) {
    if (row.target.empty()) return std::nullopt;
  }
  try {
    const nlohmann::json& path = settings.at("cases").at("path");
    if (!path.is_null() && path != "") return std::nullopt;
    return sha256_of_cases({lock.at("data").at("sha256").get<std::string>()}, cases);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// The hash of the trial's frozen set, compared with what is in the archive now.
std::string checked_hash(const archive::Reader& reader, const record::TrialRow& trial,
                         const std::vector<record::CaseRow>& cases) {
  const std::optional<record::CaseSet> set = reader.case_set(trial.experiment_id);
  if (cases.empty() || !set || set->sha256.empty()) {
    throw Error(ErrorKind::UnknownTrial,
                {"no frozen set with a hash is kept of the trial", "", 0, 0, "TRIAL",
                 "trial " + std::to_string(trial.id) + " (" + trial.start.name + ')', "a finished trial", ""});
  }
  const std::string place = "table cases, trial " + std::to_string(trial.id);
  if (set->cases != static_cast<std::int64_t>(cases.size())) {
    damaged(place, std::to_string(cases.size()) + " cases", std::to_string(set->cases));
  }
  const std::optional<std::string> now = hash_now(reader.experiment(trial.experiment_id), cases);
  if (now && *now != set->sha256) damaged(place, "SHA-256 " + *now, set->sha256);
  return set->sha256;
}

double in_model_units(double outcome, const judge::TargetUnit& unit) {
  if (unit.log10) outcome = std::log10(outcome);
  if (!unit.offset.empty()) outcome -= unit.offset.front();
  return unit.scale.empty() ? outcome : outcome / unit.scale.front();
}

/// Refuses an outcome that could never be right. \param outputs  of a case
void check_outcome(const ForeignTable& table, std::size_t column, double outcome, const judge::Evidence& evidence,
                   std::size_t outputs) {
  const bool whole = outcome >= 0.0 && outcome == std::floor(outcome);
  switch (evidence.decision.kind) {
    case judge::DecisionKind::ArgMax:
      if (whole && outcome < static_cast<double>(outputs)) return;
      table.refuse(column, "no class of the model", "an integer from 0 to " + std::to_string(outputs - 1));
    case judge::DecisionKind::Probability:
    case judge::DecisionKind::Logit:
      if (outcome == 0.0 || outcome == 1.0) return;
      table.refuse(column, "no class of the model", "0 or 1");
    default:
      if (evidence.unit.log10 && outcome <= 0.0) {
        table.refuse(column, "", "a number above 0, because target_transform is log10");
      }
  }
}

/// Reads the file; outcomes that the trial has already are left out.
class OutcomeFile {
 public:
  OutcomeFile(const std::string& path, const judge::Evidence& evidence, const std::vector<record::CaseOutcome>& known)
      : table_(path), evidence_(evidence) {
    for (std::size_t i = 0; i < evidence.cases.size(); ++i) places_.emplace(evidence.cases[i].id, i);
    for (const record::CaseOutcome& one : known) known_.emplace(one.id, one);
  }

  std::vector<record::CaseOutcome> read(const std::string& cases_sha256) {
    const auto id = table_.column("case");
    const auto value = table_.column("outcome");
    if (!id || !value) table_.refuse_row(1, "a column is missing", id ? "no outcome" : "no case", "case, outcome");
    table_.refuse_unknown({"case", "outcome"}, "case, outcome");
    std::vector<record::CaseOutcome> fresh;
    while (table_.next()) {
      record::CaseOutcome one;
      one.id = table_.text(*id);
      const auto place = places_.find(one.id);
      if (place == places_.end()) table_.refuse(*id, "an unknown case", "a frozen case of the trial");
      const auto [line, first] = lines_.emplace(one.id, table_.line());
      if (!first) {
        table_.refuse(*id, "a case twice", "one outcome a case; line " + std::to_string(line->second) + " has it, too");
      }
      const std::optional<double> outcome = table_.finite_or_empty(*value);
      if (!outcome) table_.refuse(*value, "", "a finite number; leave the case out until its outcome is known");
      one.position = static_cast<std::int64_t>(place->second);
      one.outcome = *outcome;
      one.cases_sha256 = cases_sha256;
      check_outcome(table_, *value, one.outcome, evidence_, evidence_.cases[place->second].output_reference.size());
      if (!is_known(one, *value)) fresh.push_back(one);
    }
    if (lines_.empty()) table_.refuse_row(0, "no outcome", "a header alone", "a row for each outcome");
    return fresh;
  }

 private:
  bool is_known(const record::CaseOutcome& one, std::size_t column) const {
    const auto before = known_.find(one.id);
    if (before == known_.end()) return false;
    if (before->second.outcome == one.outcome) return true;
    table_.refuse(column, "another outcome than the one received at " + before->second.received_at,
                  to_text(before->second.outcome));
  }

  ForeignTable table_;
  const judge::Evidence& evidence_;
  std::unordered_map<std::string, std::size_t> places_;
  std::unordered_map<std::string, record::CaseOutcome> known_;
  std::unordered_map<std::string, std::int64_t> lines_;
};

/// Outcomes that were joined with an earlier choice of the frozen set, joined by their ids with the one there is now.
/// What has left the set keeps its hash and comes to stand behind it.
std::vector<record::CaseOutcome> joined_again(const std::vector<record::CaseOutcome>& known,
                                              const std::vector<record::CaseRow>& cases, const std::string& sha256) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i) places.emplace(cases[i].id, i);
  std::vector<record::CaseOutcome> moved;
  std::size_t behind = cases.size();
  for (record::CaseOutcome one : known) {
    if (one.cases_sha256 == sha256) continue;
    const auto place = places.find(one.id);
    one.position = static_cast<std::int64_t>(place == places.end() ? behind++ : place->second);
    if (place != places.end()) one.cases_sha256 = sha256;
    moved.push_back(std::move(one));
  }
  return moved;
}

}  // namespace

std::int64_t add_outcomes(const std::string& archive, std::int64_t id, const std::string& file) {
  std::vector<record::CaseOutcome> outcomes;
  std::vector<record::CaseOutcome> moved;
  std::string hash;
  {
    const archive::Reader reader(archive);
    const judge::Evidence evidence = archived_evidence(reader, id);
    hash = checked_hash(reader, reader.trial(id), evidence.cases);
    if (evidence.decision.positions > 0) refuse_task("a decision per position");
    const bool one_target =
        evidence.decision.kind == judge::DecisionKind::ArgMax || evidence.cases.front().output_reference.size() == 1;
    if (!one_target) {
      refuse_task(std::to_string(evidence.cases.front().output_reference.size()) + " targets a case");
    }
    const std::vector<record::CaseOutcome> known = reader.outcomes(id);
    moved = joined_again(known, evidence.cases, hash);
    outcomes = OutcomeFile(file, evidence, known).read(hash);
  }
  const auto added = static_cast<std::int64_t>(outcomes.size());
  outcomes.insert(outcomes.end(), moved.begin(), moved.end());
  if (added > 0) archive::keep_outcomes(archive, id, hash, outcomes);
  return added;
}

std::optional<record::MatureQuality> mature_quality(const archive::Reader& reader, std::int64_t id) {
  std::vector<record::CaseOutcome> outcomes = reader.outcomes(id);
  if (outcomes.empty()) return std::nullopt;
  judge::Evidence evidence = archived_evidence(reader, id);
  record::MatureQuality mature;
  mature.cases_sha256 = checked_hash(reader, reader.trial(id), evidence.cases);
  std::vector<record::CaseOutcome> moved = joined_again(outcomes, evidence.cases, mature.cases_sha256);
  const auto is_of_another_set = [&mature](const record::CaseOutcome& one) {
    return one.cases_sha256 != mature.cases_sha256;
  };
  outcomes.erase(std::remove_if(outcomes.begin(), outcomes.end(), is_of_another_set), outcomes.end());
  mature.set_aside = std::count_if(moved.begin(), moved.end(), is_of_another_set);
  moved.erase(std::remove_if(moved.begin(), moved.end(), is_of_another_set), moved.end());
  outcomes.insert(outcomes.end(), moved.begin(), moved.end());
  mature.cases = static_cast<std::int64_t>(evidence.cases.size());
  mature.outcomes = static_cast<std::int64_t>(outcomes.size());
  for (record::CaseRow& row : evidence.cases) row.target.clear();
  const bool is_class =
      evidence.decision.kind != judge::DecisionKind::None && evidence.decision.kind != judge::DecisionKind::Threshold;
  for (const record::CaseOutcome& one : outcomes) {
    mature.received_at = std::max(mature.received_at, one.received_at);
    const auto place = static_cast<std::size_t>(one.position);
    if (place >= evidence.cases.size() || evidence.cases[place].id != one.id) {
      damaged("table outcomes, trial " + std::to_string(id), "case " + one.id, "a case of the trial");
    }
    evidence.cases[place].target = {is_class ? one.outcome : in_model_units(one.outcome, evidence.unit)};
  }
  judge::compare(evidence.cases, evidence.decision);
  mature.metric = spec::default_metric(is_class ? spec::Task::Classification : spec::Task::Regression);
  const auto quality = [&](spec::Of of, bool reference) {
    return judge::quality(evidence.cases, mature.metric, of, reference, evidence.unit, evidence.decision);
  };
  mature.quality = quality(spec::Of::Trained, false);
  mature.quality_reference = quality(spec::Of::Trained, true);
  if (!evidence.cases.front().output_same_weights.empty()) {
    mature.quality_same_weights = quality(spec::Of::SameWeights, false);
  }
  return mature;
}

}  // namespace mantissa::session
