// SPDX-License-Identifier: Apache-2.0
#include "core/session/archived_evidence.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/judge/decision.h"
#include "core/spec/names.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<judge::DecisionKind, const char*>, 5> kDecisions{
    {{judge::DecisionKind::None, "none"},
     {judge::DecisionKind::ArgMax, "arg-max"},
     {judge::DecisionKind::Probability, "probability"},
     {judge::DecisionKind::Logit, "logit"},
     {judge::DecisionKind::Threshold, "threshold"}}};

json or_null(const std::optional<bool>& value) { return value ? json(*value) : json(); }

std::optional<bool> optional_flag(const json& value) {
  return value.is_null() ? std::nullopt : std::optional<bool>(value.get<bool>());
}

std::string decision_word(judge::DecisionKind kind) {
  for (const auto& [known, word] : kDecisions) {
    if (known == kind) return word;
  }
  return {};
}

judge::DecisionKind decision_kind(const std::string& text) {
  for (const auto& [kind, word] : kDecisions) {
    if (text == word) return kind;
  }
  throw json::other_error::create(501, "no kind of decision: " + text, nullptr);
}

spec::Task task_of(const std::string& text) {
  for (const spec::Task task : {spec::Task::Classification, spec::Task::Regression, spec::Task::LanguageModel}) {
    if (text == spec::to_text(task)) return task;
  }
  throw json::other_error::create(501, "no task: " + text, nullptr);
}

spec::FlipsDecision form_of(const std::string& text) {
  for (const auto form : {spec::FlipsDecision::Task, spec::FlipsDecision::TopK, spec::FlipsDecision::Ranking}) {
    if (text == spec::to_text(form)) return form;
  }
  throw json::other_error::create(501, "no form of a decision: " + text, nullptr);
}

spec::Utility utility_of(const json& object) {
  spec::Utility utility;
  utility.matrix = object.at("matrix").get<std::vector<std::vector<double>>>();
  for (const std::vector<double>& row : utility.matrix) {
    if (row.size() != utility.matrix.size()) throw json::other_error::create(501, "no square utility", nullptr);
  }
  if (object.contains("no_decision")) utility.no_decision = object.at("no_decision").get<double>();
  utility.unit = object.at("unit").get<std::string>();
  return utility;
}

json to_json(const spec::Utility& utility) {
  json object = {{"matrix", utility.matrix}, {"unit", utility.unit}};
  if (utility.no_decision) object["no_decision"] = *utility.no_decision;
  return object;
}

json to_json(const judge::DecisionRule& decision) {
  json object = {{"kind", decision_word(decision.kind)},
                 {"threshold", decision.threshold},
                 {"ties", decision.ties},
                 {"ignore_index", decision.ignore_index},
                 {"positions", decision.positions},
                 {"log_probabilities", decision.log_probabilities}};
  if (decision.form != spec::FlipsDecision::Task) {
    object["form"] = spec::to_text(decision.form);
    object["k"] = decision.k;
  }
  if (decision.tie_within > 0.0) object["tie_within"] = decision.tie_within;
  return object;
}

/// Of everything that was measured of these cases, in a form that survives the archive.
std::string cases_sha256(const std::vector<record::CaseRow>& rows) {
  Sha256 hash;
  const auto add_values = [&hash](const std::vector<double>& values) {
    hash.add(' ' + std::to_string(values.size()) + ' ').add(values.data(), values.size() * sizeof(double));
  };
  const auto add_count = [&hash](const std::optional<std::int64_t>& count) {
    hash.add(count ? ' ' + std::to_string(*count) : std::string(" -"));
  };
  const auto add_number = [&hash](double value) { hash.add(' ' + to_text(value)); };
  for (const record::CaseRow& row : rows) {
    hash.add("\n" + std::to_string(row.id.size()) + ' ' + row.id + ' ').add(record::to_text(row.kind));
    hash.add(' ' + std::to_string(row.slice.size()) + ' ' + row.slice);
    add_values(row.target);
    add_values(row.output);
    add_values(row.output_reference);
    add_values(row.output_same_weights);
    for (const record::OtherOutput& other : row.other_outputs) {
      hash.add(" output " + other.selector);
      add_values(other.reference);
      add_values(other.trained);
      add_values(other.same_weights);
    }
    add_count(row.positions);
    if (!row.positions) continue;
    // Of these the outputs are not kept.
    for (const auto* const count :
         {&row.position_flips, &row.position_flips_same_weights, &row.positions_correct,
          &row.positions_correct_reference, &row.positions_correct_same_weights, &row.positions_non_finite,
          &row.positions_non_finite_reference, &row.positions_non_finite_same_weights}) {
      add_count(*count);
    }
    for (const auto* const number :
         {&row.nll, &row.nll_reference, &row.nll_same_weights, &row.output_rmse, &row.output_rmse_same_weights}) {
      if (*number) add_number(**number);
    }
    for (const double error :
         {row.abs_error, row.rel_error, row.case_relative, row.ulp_error, row.abs_error_same_weights,
          row.rel_error_same_weights, row.case_relative_same_weights, row.ulp_error_same_weights}) {
      add_number(error);
    }
  }
  return hash.hex();
}

/// Of the repeats, each as it stands.
std::string repeats_sha256(const judge::Evidence& evidence) {
  Sha256 hash;
  for (const auto& rows : evidence.rounding) hash.add(cases_sha256(rows));
  hash.add("spread");
  for (const auto& rows : evidence.spread) hash.add(cases_sha256(rows));
  return hash.hex();
}

/// Of the figures that rules on costs look at; empty where there are none.
std::string costs_sha256(const judge::CostEvidence& costs) {
  if (!costs.own.gains && costs.own.latency.empty()) return {};
  Sha256 hash;
  const auto add = [&hash](const std::optional<double>& value) {
    hash.add(value ? ' ' + to_text(*value) : std::string(" -"));
  };
  const auto add_gains = [&](const std::optional<record::Gains>& gains) {
    hash.add("\ngains");
    if (!gains) return;
    hash.add(' ' + std::to_string(gains->repetitions));
    for (const auto& value : {gains->speed_up, gains->speed_up_low, gains->speed_up_high}) add(value);
    hash.add(gains->peak_bytes ? ' ' + std::to_string(*gains->peak_bytes) : std::string(" -"));
  };
  add_gains(costs.own.gains);
  add_gains(costs.reference);
  for (const record::Latency& row : costs.own.latency) {
    hash.add("\nlatency " + std::to_string(row.batch) + ' ' + std::to_string(row.calls));
    for (const auto& value : {row.p95_ratio, row.p95_ratio_low, row.p95_ratio_high}) add(value);
  }
  return hash.hex();
}

/// Facts of a trial's own row that its verdict rests on.
json row_facts(const judge::Evidence& evidence) {
  return {{"device", evidence.device},
          {"cast_policy", evidence.cast_policy},
          {"autocast", evidence.autocast},
          {"status", record::to_text(evidence.status)},
          {"failure", evidence.failure}};
}

void read_unit(judge::TargetUnit& unit, const json& object, spec::Task task) {
  unit.scale = object.at("scale").get<std::vector<double>>();
  unit.offset = object.at("offset").get<std::vector<double>>();
  unit.log10 = object.at("log10").get<bool>();
  const bool whole = unit.scale.size() == unit.offset.size() &&
                     std::find(unit.scale.begin(), unit.scale.end(), 0.0) == unit.scale.end();
  if (!whole || (task == spec::Task::Regression && unit.scale.empty())) {
    throw json::other_error::create(501, "no unit of a target", nullptr);
  }
}

void read_evidence(judge::Evidence& evidence, const json& object) {
  const json& decision = object.at("decision");
  evidence.decision.kind = decision_kind(decision.at("kind").get<std::string>());
  evidence.decision.threshold = decision.at("threshold").get<double>();
  evidence.decision.ties = decision.at("ties").get<std::string>();
  if (decision.contains("form")) {  // only of rules that ask for another one than the task's own
    evidence.decision.form = form_of(decision.at("form").get<std::string>());
    evidence.decision.k = decision.at("k").get<std::int64_t>();
  }
  evidence.decision.tie_within = decision.value("tie_within", 0.0);
  evidence.decision.ignore_index = decision.at("ignore_index").get<std::int64_t>();
  evidence.decision.positions = decision.at("positions").get<std::int64_t>();
  evidence.decision.log_probabilities = decision.at("log_probabilities").get<bool>();
  evidence.task = task_of(object.at("task").get<std::string>());
  read_unit(evidence.unit, object.at("target_unit"), evidence.task);
  const json& counts = object.at("counts");
  evidence.counts = {counts.at("attempted").get<std::int64_t>(), counts.at("applied").get<std::int64_t>(),
                     counts.at("skipped").get<std::int64_t>(), counts.at("iterations").get<std::int64_t>(),
                     counts.at("samples").get<std::int64_t>()};
  evidence.max_consecutive_skips = object.at("max_consecutive_skips").get<std::int64_t>();
  evidence.first_non_finite_loss_step = object.at("first_non_finite_loss_step").get<std::int64_t>();
  evidence.non_finite = object.at("non_finite").get<std::vector<std::string>>();
  evidence.non_finite_reference = object.at("non_finite_reference").get<std::vector<std::string>>();
  evidence.reference_finished = object.at("reference_finished").get<bool>();
  evidence.reference_failure_text = object.at("reference_failure_text").get<std::string>();
  evidence.gradients_all_zero = optional_flag(object.at("gradients_all_zero"));
  evidence.zero_gradient_steps = object.at("zero_gradient_steps").get<std::int64_t>();
  evidence.weights_unchanged = optional_flag(object.at("weights_unchanged"));
  evidence.cases_are_training_rows = object.at("cases_are_training_rows").get<bool>();
  evidence.not_looked_at = object.value("not_looked_at", std::vector<std::string>());  // evidence of before has none
  evidence.circumstances = object.value("circumstances", std::vector<std::string>());
  evidence.holes = object.value("holes", std::vector<std::string>());
  evidence.steps_missing = object.value("steps_missing", std::string());
  if (object.contains("utility")) evidence.utility = utility_of(object.at("utility"));
  evidence.costs.missing = object.value("costs_missing", std::string());
}

/// Returns what it was read from.
json read_kept(judge::Evidence& evidence, const std::string& kept, std::int64_t trial) {
  try {
    json object = json::parse(kept);
    read_evidence(evidence, object);
    return object;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::ArchiveDamaged, {"the evidence on a trial cannot be read", "", 0, 0,
                                            "table trial_evidence, trial " + std::to_string(trial), error.what(),
                                            "the JSON object that its run wrote", "Use a backup"});
  }
}

[[noreturn]] void refuse(const record::TrialRow& trial, const std::string& problem, const std::string& expected) {
  throw Error(ErrorKind::UnknownTrial, {problem, "", 0, 0, "TRIAL",
                                        "trial " + std::to_string(trial.id) + " (" + trial.start.name + ", " +
                                            std::string(record::to_text(trial.start.kind)) + ')',
                                        expected, ""});
}

[[noreturn]] void refuse_damaged(std::int64_t trial, const std::string& problem, const std::string& table,
                                 const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::ArchiveDamaged, {problem, "", 0, 0, "table " + table + ", trial " + std::to_string(trial),
                                          found, expected, "Use a backup"});
}

/// Outputs, targets and kinds are what was measured; what follows from them is worked out again.
/// \param sha256  of the rows as the run wrote them; empty: not known
std::vector<record::CaseRow> compared_cases(const archive::Reader& reader, std::int64_t trial,
                                            const judge::DecisionRule& decision, const std::string& sha256 = {}) {
  std::vector<record::CaseRow> rows = reader.cases(trial);
  if (!sha256.empty() && cases_sha256(rows) != sha256) {
    refuse_damaged(trial, "the frozen cases of the trial are not what its run wrote", "cases",
                   std::to_string(rows.size()) + " cases with the hash " + cases_sha256(rows), sha256);
  }
  if (decision.positions == 0) judge::compare(rows, decision);  // else only counts over the positions are kept
  return rows;
}

/// A step that was taken out of the archive may have been the one that speaks against the trial.
void refuse_missing_steps(const archive::Reader& reader, const record::TrialRow& trial,
                          const judge::Evidence& evidence) {
  std::int64_t stored = 0;
  reader.steps(trial.id, [&stored](const record::StepRecord&) {
    ++stored;
    return true;
  });
  if (stored == evidence.counts.attempted) return;
  throw Error(ErrorKind::ArchiveDamaged,
              {"steps of the trial are missing in the archive", "", 0, 0,
               "table steps, trial " + std::to_string(trial.id), std::to_string(stored) + " steps",
               "the " + std::to_string(evidence.counts.attempted) + " that it attempted", "Use a backup"});
}

void add_yardsticks(judge::Evidence& evidence, const archive::Reader& reader, const record::TrialRow& trial) {
  for (const record::TrialRow& arm : reader.trials()) {
    if (arm.start.reference != trial.start.reference) continue;
    const bool rounding = arm.start.kind == record::TrialKind::Rounding;
    if (!rounding && arm.start.kind != record::TrialKind::Repeat) continue;
    std::vector<record::CaseRow> rows = compared_cases(reader, arm.id, evidence.decision);
    if (rows.empty()) continue;
    if (arm.start.name == spec::float64_name) evidence.float64 = evidence.rounding.size();
    (rounding ? evidence.rounding : evidence.spread).push_back(std::move(rows));
  }
}

/// What stands in other tables and was hashed with the evidence.
void refuse_other_facts(const judge::Evidence& evidence, const json& object, std::int64_t trial) {
  const json found = row_facts(evidence);
  const json& expected = object.at("trial");
  if (found != expected) {
    refuse_damaged(trial, "the row of the trial is not what its run wrote", "trials", found.dump(), expected.dump());
  }
  // Where no rule asked for costs they were measured after the verdict, or not at all, and there is no hash of them.
  const std::string costs = object.value("costs_sha256", std::string());
  if (!costs.empty() && costs_sha256(evidence.costs) != costs) {
    refuse_damaged(trial, "what the trial costs is not what its run measured", "gains and latency",
                   costs_sha256(evidence.costs), costs);
  }
  const std::string repeats = repeats_sha256(evidence);
  if (repeats == object.at("repeats_sha256").get<std::string>()) return;
  refuse_damaged(trial, "the repeats of the reference are not those of the run", "cases", repeats,
                 object.at("repeats_sha256").get<std::string>());
}

}  // namespace

std::string evidence_text(const judge::Evidence& evidence) {
  json object = {
      {"decision", to_json(evidence.decision)},
      {"task", spec::to_text(evidence.task)},
      {"target_unit",
       {{"scale", evidence.unit.scale}, {"offset", evidence.unit.offset}, {"log10", evidence.unit.log10}}},
      {"counts",
       {{"attempted", evidence.counts.attempted},
        {"applied", evidence.counts.applied},
        {"skipped", evidence.counts.skipped},
        {"iterations", evidence.counts.iterations},
        {"samples", evidence.counts.samples}}},
      {"max_consecutive_skips", evidence.max_consecutive_skips},
      {"first_non_finite_loss_step", evidence.first_non_finite_loss_step},
      {"non_finite", evidence.non_finite},
      {"non_finite_reference", evidence.non_finite_reference},
      {"reference_finished", evidence.reference_finished},
      {"reference_failure_text", evidence.reference_failure_text},
      {"gradients_all_zero", or_null(evidence.gradients_all_zero)},
      {"zero_gradient_steps", evidence.zero_gradient_steps},
      {"weights_unchanged", or_null(evidence.weights_unchanged)},
      {"cases_are_training_rows", evidence.cases_are_training_rows},
      {"not_looked_at", evidence.not_looked_at},
      {"circumstances", evidence.circumstances},
      {"holes", evidence.holes},
      {"steps_missing", evidence.steps_missing},
      {"costs_missing", evidence.costs.missing},
      {"costs_sha256", costs_sha256(evidence.costs)},
      {"trial", row_facts(evidence)},
      {"cases", evidence.cases.size()},
      {"cases_sha256", cases_sha256(evidence.cases)},
      {"repeats_sha256", repeats_sha256(evidence)},
  };
  if (evidence.utility) object["utility"] = to_json(*evidence.utility);
  return object.dump();
}

judge::Evidence archived_evidence(const archive::Reader& reader, std::int64_t id) {
  const record::TrialRow trial = reader.trial(id);
  if (trial.start.kind != record::TrialKind::Trial && trial.start.kind != record::TrialKind::Foreign) {
    refuse(trial, "only trials are judged", "a trial, compared with its reference");
  }
  if (trial.end.status == record::Status::Running) {
    refuse(trial, "the trial runs still", "a trial that has ended");
  }
  const std::optional<std::string> kept = reader.evidence(id);
  if (!kept) {
    refuse(trial,
           "nothing is kept of what the verdict rests on: the run was interrupted, or is from before it was kept",
           "a trial that came to its end, of this version or a later one");
  }
  judge::Evidence evidence;
  const json object = read_kept(evidence, *kept, id);
  refuse_missing_steps(reader, trial, evidence);
  evidence.made_elsewhere = trial.start.kind == record::TrialKind::Foreign;
  evidence.device = trial.start.device;
  evidence.cast_policy = trial.start.cast_policy;
  evidence.autocast = trial.start.autocast;
  evidence.policy_changes = trial.end.policy_changes;
  evidence.status = trial.end.status;
  evidence.failure = trial.end.failure;
  evidence.failure_text = trial.end.failure_text;
  evidence.cases = compared_cases(reader, id, evidence.decision, object.value("cases_sha256", std::string()));
  add_yardsticks(evidence, reader, trial);
  evidence.costs.own = {trial.end.gains, trial.end.latency};
  if (trial.start.reference != 0) evidence.costs.reference = reader.trial(trial.start.reference).end.gains;
  refuse_other_facts(evidence, object, id);
  return evidence;
}

std::vector<record::DecidedCase> archived_decisions(const archive::Reader& reader, std::int64_t trial,
                                                    const std::vector<record::CaseRow>& cases) {
  std::vector<record::DecidedCase> decided;
  const std::optional<std::string> kept = reader.evidence(trial);
  if (!kept) return decided;
  judge::Evidence evidence;
  read_kept(evidence, *kept, trial);
  const judge::DecisionRule& rule = evidence.decision;
  if (rule.form == spec::FlipsDecision::Task || rule.positions > 0) return decided;
  for (const record::CaseRow& row : cases) {
    decided.push_back({judge::decision_words(rule, row.output), judge::decision_words(rule, row.output_reference),
                       judge::decision_words(rule, row.output_same_weights)});
  }
  return decided;
}

}  // namespace mantissa::session
