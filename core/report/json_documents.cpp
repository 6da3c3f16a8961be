// SPDX-License-Identifier: Apache-2.0
#include "core/report/json_documents.h"

#include <cmath>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/base/plain_text.h"
#include "core/report/context_section.h"
#include "core/report/gains_table.h"

namespace mantissa::report {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }
Json number_or_null(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json text_of(std::string_view text) { return Json(std::string(text)); }

/// JSON kept as text in the archive, as a value again.
Json parsed_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json scope_of(const record::Verdict& verdict) {
  return {{"device", verdict.scope_device}, {"cast_policy", verdict.scope_cast_policy}, {"target", verdict.target}};
}

Json rules_of(const record::Verdict& verdict) {
  Json rules = Json::array();
  for (const record::RuleVerdict& rule : verdict.rules) {
    rules.push_back({{"name", rule.name},
                     {"verdict", text_of(to_text(rule.verdict))},
                     {"of", text_or_null(rule.of)},
                     {"limit", number_or_null(rule.limit_value)},
                     {"limit_text", rule.limit},
                     {"value", number_or_null(rule.value)},
                     {"unit", rule.unit},
                     {"cases", rule.cases},
                     {"reason", rule.reason}});
  }
  return rules;
}

Json optimizers_of(const record::TrialEnd& end) {
  Json optimizers = Json::array();
  for (const record::OptimizerEnd& optimizer : end.optimizers) {
    optimizers.push_back({{"kind", text_or_null(optimizer.kind)},
                          {"applied", optimizer.applied},
                          {"skipped", optimizer.skipped},
                          {"lr", number_or_null(optimizer.lr)},
                          {"lr_per", text_or_null(optimizer.lr_per)}});
  }
  return optimizers;
}

Json yardsticks_of(const record::TrialEnd& end) {
  Json readings = Json::array();
  for (const record::YardstickReading& reading : end.yardsticks) {
    readings.push_back({{"of", reading.of},
                        {"measure", reading.measure},
                        {"value", number_or_null(reading.value)},
                        {"yardstick", reading.yardstick},
                        {"size", json_number(reading.size)},
                        {"multiple", number_or_null(reading.multiple())}});
  }
  return readings;
}

/// What every document says of an arm.
Json arm(const record::TrialRow& trial) {
  const record::TrialEnd& end = trial.end;
  return {{"id", trial.id},
          {"name", trial.start.name},
          {"kind", text_of(to_text(trial.start.kind))},
          {"experiment", trial.experiment},
          {"experiment_id", trial.experiment_id},
          {"reference", trial.start.reference == 0 ? Json(nullptr) : Json(trial.start.reference)},
          {"parent", trial.start.parent == 0 ? Json(nullptr) : Json(trial.start.parent)},
          {"parent_step", trial.start.parent == 0 ? Json(nullptr) : Json(trial.start.parent_step)},
          {"status", text_of(to_text(end.status))},
          {"failure", text_or_null(end.failure)},
          {"failure_text", text_or_null(end.failure_text)},
          {"verdict", end.verdict ? text_of(to_text(end.verdict->word)) : Json(nullptr)},
          {"autocast", trial.start.autocast},
          {"cast_policy", trial.start.cast_policy},
          {"device", trial.start.device},
          {"attempted", end.counts.attempted},
          {"applied", end.counts.applied},
          {"skipped", end.counts.skipped},
          {"iterations", end.counts.iterations},
          {"samples", end.counts.samples},
          {"optimizers", optimizers_of(end)},
          {"final_loss", number_or_null(end.final_loss)},
          {"quality_metric", text_or_null(end.quality_metric)},
          {"quality", number_or_null(end.quality)},
          {"quality_reference", number_or_null(end.quality_reference)},
          {"flips", number_or_null(end.flips)},
          {"started_at", text_or_null(trial.started_at)},
          {"finished_at", text_or_null(trial.finished_at)},
          {"seconds", json_number(end.seconds)}};
}

Json policy_changes_of(const record::TrialEnd& end) {
  Json changes = Json::array();
  for (const record::PolicyChange& change : end.policy_changes) {
    changes.push_back({{"step", change.step},
                       {"trial", change.trial},
                       {"autocast", change.autocast},
                       {"cast_policy", change.cast_policy},
                       {"reason", change.reason},
                       {"policy", parsed_or_null(change.policy)}});
  }
  return changes;
}

Json gains_of(const std::optional<record::Gains>& gains) {
  if (!gains) return nullptr;
  return {{"method", gains->method},
          {"repetitions", gains->repetitions},
          {"steps", gains->steps},
          {"samples", gains->samples},
          {"step_seconds", json_number(gains->step_seconds)},
          {"step_seconds_spread", json_number(gains->step_seconds_spread)},
          {"samples_per_second", json_number(gains->samples_per_second)},
          {"speed_up", number_or_null(gains->speed_up)},
          {"speed_up_low", number_or_null(gains->speed_up_low)},
          {"speed_up_high", number_or_null(gains->speed_up_high)},
          {"peak_bytes", number_or_null(gains->peak_bytes)},
          {"finish_seconds", json_number(gains->finish_seconds)},
          {"deadline_seconds", number_or_null(gains->deadline_seconds)},
          {"cost_per_sample", number_or_null(gains->cost_per_sample)},
          {"finish_cost", number_or_null(gains->finish_cost)}};
}

Json latency_of(const std::vector<record::Latency>& latency) {
  if (latency.empty()) return nullptr;
  Json rows = Json::array();
  for (const record::Latency& row : latency) {
    const std::string pace = pace_words(row);
    rows.push_back({{"batch", row.batch},
                    {"calls", row.calls},
                    {"p50_seconds", number_or_null(row.p50_seconds)},
                    {"p95_seconds", number_or_null(row.p95_seconds)},
                    {"p99_seconds", number_or_null(row.p99_seconds)},
                    {"p50_ratio", number_or_null(row.p50_ratio)},
                    {"p50_ratio_low", number_or_null(row.p50_ratio_low)},
                    {"p50_ratio_high", number_or_null(row.p50_ratio_high)},
                    {"p95_ratio", number_or_null(row.p95_ratio)},
                    {"p95_ratio_low", number_or_null(row.p95_ratio_low)},
                    {"p95_ratio_high", number_or_null(row.p95_ratio_high)},
                    {"pace", pace.empty() ? Json(nullptr) : Json(pace)},
                    {"method", row.method.empty() ? Json(nullptr) : Json(row.method)},
                    {"missing", row.missing.empty() ? Json(nullptr) : Json(row.missing)}});
  }
  return rows;
}

Json memory_peak_of(const std::optional<record::MemoryPeak>& peak) {
  if (!peak) return nullptr;
  Json categories = Json::object();
  for (std::size_t i = 0; i < record::kMemoryCategories; ++i) {
    const auto category = static_cast<record::MemoryCategory>(i);
    if (category != record::MemoryCategory::Inputs) categories[text_of(to_text(category))] = peak->by_category[i];
  }
  return {{"bytes", peak->bytes}, {"categories", categories}};
}

Json memory_of(const std::optional<record::MemoryComparison>& memory) {
  if (!memory) return nullptr;
  return {{"microbatch", memory->microbatch},
          {"accumulation", memory->accumulation},
          {"predicted", memory_peak_of(memory->predicted)},
          {"predicted_from", memory->predicted_from},
          {"measured", memory_peak_of(memory->measured)},
          {"measured_step", memory->measured ? Json(memory->measured_step) : Json(nullptr)},
          {"peak_bytes", number_or_null(memory->peak_bytes)},
          {"error", number_or_null(memory->error())},
          {"missing", text_or_null(memory->missing)}};
}

Json verdict_members(const record::Verdict& verdict) {
  return {{"verdict", text_of(to_text(verdict.word))},
          {"scope", scope_of(verdict)},
          {"rules", rules_of(verdict)},
          {"reasons", verdict.reasons},
          {"rules_sha256", text_or_null(verdict.rules_sha256)}};
}

Json judgement_members(const record::Judgement& judgement) {
  Json members = {{"id", judgement.id > 0 ? Json(judgement.id) : Json(nullptr)},
                  {"created_at", text_or_null(judgement.created_at)},
                  {"post_hoc", judgement.post_hoc},
                  {"rules_file", text_or_null(judgement.rules_file)}};
  members.update(verdict_members(judgement.verdict));
  members["rules_as_json"] = parsed_or_null(judgement.rules);
  return members;
}

Json judgements_of(const record::History& history) {
  Json judgements = Json::array();
  for (const record::Judgement& judgement : history.judgements) judgements.push_back(judgement_members(judgement));
  return judgements;
}

Json mature_of(const std::optional<record::MatureQuality>& mature) {
  if (!mature) return nullptr;
  return {{"cases", mature->cases},
          {"outcomes", mature->outcomes},
          {"set_aside", mature->set_aside},
          {"metric", mature->metric},
          {"quality_reference", number_or_null(mature->quality_reference)},
          {"quality", number_or_null(mature->quality)},
          {"quality_same_weights", number_or_null(mature->quality_same_weights)},
          {"received_at", mature->received_at},
          {"cases_sha256", mature->cases_sha256}};
}

Json utility_of(const std::optional<record::Utility>& utility) {
  if (!utility) return nullptr;
  Json sums = Json::array();
  for (const record::UtilitySum& sum : utility->sums) {
    sums.push_back({{"slice", text_or_null(sum.slice)},
                    {"cases", sum.cases},
                    {"reference", json_number(sum.reference)},
                    {"same_weights", number_or_null(sum.same_weights)},
                    {"trained", number_or_null(sum.trained)}});
  }
  return {{"unit", text_or_null(utility->unit)}, {"sums", sums}};
}

/// The same with everything that led to the verdict.
Json judged_arm(const record::TrialRow& trial) {
  Json value = arm(trial);
  const std::optional<record::Verdict>& verdict = trial.end.verdict;
  value["scope"] = verdict ? scope_of(*verdict) : Json(nullptr);
  value["rules"] = verdict ? rules_of(*verdict) : Json::array();
  value["reasons"] = verdict ? Json(verdict->reasons) : Json::array();
  value["rules_sha256"] = verdict ? text_or_null(verdict->rules_sha256) : Json(nullptr);
  value["policy_changes"] = policy_changes_of(trial.end);
  value["yardsticks"] = yardsticks_of(trial.end);
  value["utility"] = utility_of(trial.end.utility);
  value["gains"] = gains_of(trial.end.gains);
  value["latency"] = latency_of(trial.end.latency);
  value["memory"] = memory_of(trial.end.memory);
  value["notes"] = trial.end.notes;
  value["context"] = nullptr;
  return value;
}

Json checkpoints_of(const record::History& history) {
  Json rows = Json::array();
  for (const record::CheckpointRow& row : history.checkpoints) {
    rows.push_back({{"step", row.step},
                    {"created_at", row.created_at},
                    {"bytes", row.bytes},
                    {"metric", row.evaluation ? Json(row.evaluation->metric) : Json(nullptr)},
                    {"value", row.evaluation ? number_or_null(row.evaluation->value) : Json(nullptr)},
                    {"best", row.best},
                    {"sha256", row.sha256}});
  }
  return rows;
}

Json evaluations_of(const record::History& history) {
  Json rows = Json::array();
  for (const record::Evaluation& row : history.evaluations) {
    rows.push_back({{"step", row.step},
                    {"metric", row.metric},
                    {"direction", text_of(to_text(row.direction))},
                    {"value", number_or_null(row.value)}});
  }
  return rows;
}

Json resumptions_of(const record::History& history) {
  Json rows = Json::array();
  for (const record::Resumption& row : history.resumptions) {
    rows.push_back({{"step", row.step}, {"resumed_at", row.resumed_at}, {"overrides", parsed_or_null(row.overrides)}});
  }
  return rows;
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(mantissa::to_text(value)); }

std::string document_text(const Json& members) {
  Json document = {{"mantissa", 1}};
  document.update(members);
  return without_controls(document.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string list_document(const std::vector<record::TrialRow>& trials) {
  Json rows = Json::array();
  for (const record::TrialRow& trial : trials) rows.push_back(arm(trial));
  return document_text({{"trials", rows}});
}

namespace {

Json memory_answer_of(const std::optional<record::MemoryAnswer>& answer) {
  if (!answer) return nullptr;
  Json plans = Json::array();
  for (const record::MemoryAnswer::Plan& plan : answer->plans) {
    plans.push_back({{"microbatch", plan.microbatch}, {"accumulation", plan.accumulation}, {"bytes", plan.bytes}});
  }
  return {{"text", answer->text},
          {"command", text_or_null(answer->command)},
          {"largest_microbatch", number_or_null(answer->largest_microbatch)},
          {"plans", plans}};
}

}  // namespace

std::string run_document(const record::RunSummary& summary, const std::string& archive, int exit_code,
                         const std::map<std::int64_t, record::VerdictContext>& contexts) {
  Json trials = Json::array();
  for (const record::TrialRow& trial : summary.trials) {
    trials.push_back(judged_arm(trial));
    const auto beside = contexts.find(trial.id);
    if (beside != contexts.end()) trials.back()["context"] = context_document(beside->second);
  }
  Json yardstick_arms = Json::array();
  for (const record::TrialRow& arm : summary.yardsticks) yardstick_arms.push_back(judged_arm(arm));
  return document_text({{"experiment", summary.experiment},
                        {"experiment_id", summary.experiment_id},
                        {"archive", archive},
                        {"reference", judged_arm(summary.reference)},
                        {"trials", trials},
                        {"yardstick_arms", yardstick_arms},
                        {"memory_answer", memory_answer_of(summary.memory_answer)},
                        {"exit", exit_code}});
}

std::string show_document(const record::TrialRow& trial, const record::ExperimentStart& experiment,
                          const LossSummary& losses, const record::History& history,
                          const std::optional<record::MatureQuality>& mature,
                          const std::optional<record::VerdictContext>& context) {
  Json shown = judged_arm(trial);
  if (context) shown["context"] = context_document(*context);
  shown["policy"] = parsed_or_null(trial.start.policy);
  return document_text(
      {{"trial", shown},
       {"losses",
        {{"steps", losses.steps()}, {"non_finite", losses.non_finite()}, {"mean", number_or_null(losses.mean())}}},
       {"checkpoints", checkpoints_of(history)},
       {"evaluations", evaluations_of(history)},
       {"resumptions", resumptions_of(history)},
       {"judgements", judgements_of(history)},
       {"mature", mature_of(mature)},
       {"experiment",
        {{"id", trial.experiment_id},
         {"name", experiment.name},
         {"file", experiment.file},
         {"sha256", experiment.sha256},
         {"settings", parsed_or_null(experiment.resolved)},
         {"rules", parsed_or_null(experiment.rules)},
         {"rules_sha256", text_or_null(experiment.rules_sha256)},
         {"cases_sha256", text_or_null(experiment.cases_sha256)},
         {"lock", parsed_or_null(experiment.lock)},
         {"lock_sha256", text_or_null(experiment.lock_sha256)}}}});
}

std::string judgement_document(const record::TrialRow& trial, const record::Judgement& judgement,
                               const record::Verdict& of_run, const std::string& rules_of_run, int exit_code,
                               const std::optional<record::MatureQuality>& mature,
                               const std::optional<record::VerdictContext>& context) {
  Json of_its_run = verdict_members(of_run);
  of_its_run["rules_as_json"] = parsed_or_null(rules_of_run);
  return document_text({{"trial", {{"id", trial.id}, {"name", trial.start.name}, {"experiment", trial.experiment}}},
                        {"judgement", judgement_members(judgement)},
                        {"utility", utility_of(trial.end.utility)},
                        {"of_run", of_its_run},
                        {"mature", mature_of(mature)},
                        {"context", context ? context_document(*context) : Json(nullptr)},
                        {"exit", exit_code}});
}

std::string outcomes_document(const record::TrialRow& trial, std::int64_t added,
                              const std::optional<record::MatureQuality>& mature) {
  return document_text({{"trial", {{"id", trial.id}, {"name", trial.start.name}, {"experiment", trial.experiment}}},
                        {"added", added},
                        {"mature", mature_of(mature)}});
}

std::string error_document(ErrorKind kind, const ErrorFacts& facts, int exit_code) {
  return document_text({{"error",
                         {{"kind", to_text(kind)},
                          {"problem", facts.problem},
                          {"file", text_or_null(facts.file)},
                          {"line", facts.line > 0 ? Json(facts.line) : Json(nullptr)},
                          {"column", facts.column > 0 ? Json(facts.column) : Json(nullptr)},
                          {"subject", text_or_null(facts.subject)},
                          {"found", text_or_null(facts.found)},
                          {"expected", text_or_null(facts.expected)},
                          {"remedy", text_or_null(facts.remedy)},
                          {"sentence", sentence(facts)}}},
                        {"exit", exit_code}});
}

std::string to_text(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidSetting:
      return "invalid-setting";
    case ErrorKind::NotYetAvailable:
      return "not-yet-available";
    case ErrorKind::FileProblem:
      return "file-problem";
    case ErrorKind::DataProblem:
      return "data-problem";
    case ErrorKind::ModelProblem:
      return "model-problem";
    case ErrorKind::UnknownTrial:
      return "unknown-trial";
    case ErrorKind::CallOrder:
      return "call-order";
    case ErrorKind::ArchiveDamaged:
      return "archive-damaged";
    case ErrorKind::ArchiveNewer:
      return "archive-newer";
    case ErrorKind::ArchiveReadOnly:
      return "archive-read-only";
    case ErrorKind::ArchiveLocked:
      return "archive-locked";
    case ErrorKind::DiskFull:
      return "disk-full";
    case ErrorKind::WriteFailed:
      return "write-failed";
    case ErrorKind::OutOfMemory:
      return "out-of-memory";
    case ErrorKind::DeviceProblem:
      return "device-problem";
    case ErrorKind::ForwardFailed:
      return "forward-failed";
  }
  return "unknown";
}

}  // namespace mantissa::report
