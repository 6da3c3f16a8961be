// SPDX-License-Identifier: Apache-2.0
#include "core/session/judge_foreign.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/archive/foreign_rows.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/judge/judge.h"
#include "core/judge/utility.h"
#include "core/judge/wording.h"
#include "core/session/archived_evidence.h"
#include "core/session/case_hash.h"
#include "core/session/decision_check.h"
#include "core/session/foreign_files.h"
#include "core/session/foreign_steps.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

using nlohmann::json;

constexpr char kElsewhere[] = "foreign";
constexpr char kNotKnown[] = "unknown";

[[noreturn]] void refuse(const spec::Experiment& experiment, const std::string& key, const std::string& problem,
                         const std::string& found, const std::string& expected, const std::string& remedy) {
  throw Error(ErrorKind::InvalidSetting,
              {problem, experiment.file, experiment.position(key).line, 0, key, found, expected, remedy});
}

bool is_class(double value, std::size_t classes, std::int64_t ignore_index) {
  if (value == static_cast<double>(ignore_index)) return true;
  return value >= 0.0 && value < static_cast<double>(classes) && value == std::floor(value);
}

/// Everything between the files and the archive.
class ForeignJudgement {
 public:
  ForeignJudgement(const ForeignFiles& files, std::string name)
      : files_(files),
        name_(std::move(name)),
        experiment_(spec::read_foreign_experiment(files.rules, name_)),
        cases_(files.reference, files.trial) {
    choose_task();
    read_rules();
    choose_decision();
    check_targets();
    check_outputs();
    describe();
    judge::compare(cases_.rows, evidence_.decision);
    evidence_.cases = cases_.rows;
    if (files.steps.empty()) {
      add_missing_steps(evidence_);
    } else {
      steps_ = read_foreign_steps(files.steps);
      add_steps(evidence_, steps_);
    }
    evidence_.costs.missing = why_no_costs();
  }

  /// \param earlier  what the archive has of the same files, in words
  archive::ForeignRun run(const std::vector<std::string>& earlier) {
    if (!earlier.empty()) {
      evidence_.circumstances.push_back("the same outputs were judged before: " + judge::first_three(earlier));
    }
    archive::ForeignRun run;
    run.experiment = experiment_start();
    run.cases.sha256 = cases_sha256_;
    run.cases.cases = static_cast<std::int64_t>(cases_.rows.size());
    run.reference.start = arm(record::TrialKind::Reference, "reference");
    run.reference.start.autocast = run.reference.start.cast_policy = kNotKnown;
    run.trial.start = arm(record::TrialKind::Foreign, name_);
    run.trial.start.policy = trial_policy();
    run.trial.end = trial_end();
    run.reference_cases = reference_rows();
    run.reference.end = reference_end(run.reference_cases);
    run.trial_cases = std::move(cases_.rows);
    run.steps = std::move(steps_.steps);
    return run;
  }

  /// Whether a trial of the archive is of the same outputs: of the same files, or of the same numbers in others.
  bool is_of_the_same_outputs(const record::ExperimentStart& other, const std::string& other_evidence) const {
    const json files = json::parse(other.lock, nullptr, false);
    const json kept = json::parse(other_evidence, nullptr, false);
    const json own_evidence = json::parse(evidence_text(evidence_));
    if (kept.is_object() && kept.value("cases_sha256", json()) == own_evidence.at("cases_sha256")) return true;
    if (!files.is_object() || !files.contains("foreign")) return false;
    const json& theirs = files.at("foreign");
    return theirs.value("reference", json()).value("sha256", std::string()) == sha256_of_file(files_.reference) &&
           theirs.value("trial", json()).value("sha256", std::string()) == sha256_of_file(files_.trial);
  }

  const std::string& rules() const { return rules_; }
  std::vector<std::string> notes() const {
    std::vector<std::string> all = experiment_.warnings;
    all.insert(all.end(), notes_.begin(), notes_.end());
    return all;
  }

 private:
  /// Times of training steps are no figures taken after the validation, and the reference's are not given at all.
  std::string why_no_costs() const {
    const bool has_times = std::any_of(steps_.steps.begin(), steps_.steps.end(),
                                       [](const record::StepRecord& step) { return step.step_seconds.has_value(); });
    const std::string elsewhere =
        "the run was made elsewhere, and costs are judged where reference and trial are measured side by side";
    if (has_times) return elsewhere + "; the column step_seconds has the times of the trial's training steps alone";
    return elsewhere +
           (files_.steps.empty() ? "; no file of steps was given" : "; the file of steps has no column step_seconds");
  }

  void choose_task() {
    evidence_.task = told_task();
    experiment_.data.task = evidence_.task;
    if (evidence_.task == spec::Task::LanguageModel) {
      refuse(experiment_, "data.task", "a decision per position cannot be judged from files", "language-model",
             "classification or regression",
             "Take each position for a case of its own, or judge the mean loss of a text as a regression");
    }
  }

  spec::Task told_task() {
    if (experiment_.training.loss) {
      switch (*experiment_.training.loss) {
        case spec::Loss::CrossEntropy:
        case spec::Loss::Nll:
          return spec::Task::Classification;
        case spec::Loss::Mse:
        case spec::Loss::L1:
        case spec::Loss::Huber:
          return spec::Task::Regression;
        case spec::Loss::Bce:
        case spec::Loss::BceWithLogits:
          return experiment_.data.task.value_or(spec::Task::Classification);
        case spec::Loss::Output:
          break;
      }
    }
    if (experiment_.data.task) return *experiment_.data.task;
    return task_of_the_files();
  }

  spec::Task task_of_the_files() {
    const std::int64_t ignored = experiment_.training.ignore_index;
    bool any_target = false;
    bool all_classes = cases_.outputs > 1 && cases_.targets == 1;
    for (const record::CaseRow& row : cases_.rows) {
      if (row.target.empty()) continue;
      any_target = true;
      all_classes = all_classes && is_class(row.target.front(), cases_.outputs, ignored);
    }
    if (any_target && all_classes) {
      notes_.push_back("Taken for a classification by arg-max: " + std::to_string(cases_.outputs) +
                       " outputs, and every target is a class index. data.task or training.loss in the file of rules "
                       "says otherwise.");
      return spec::Task::Classification;
    }
    notes_.push_back(std::string("Taken for a regression without a decision: ") +
                     (cases_.outputs == 1 ? "one output"
                      : any_target        ? "targets that are no class indices"
                                          : "no targets") +
                     ". data.task = \"classification\", training.loss or rules.threshold in the file of rules says "
                     "otherwise.");
    return spec::Task::Regression;
  }

  void read_rules() {
    experiment_ = spec::with_rules_of_text(experiment_.text, files_.rules, experiment_);
    rules_ = spec::canonical_json_of_rules(experiment_);
  }

  void choose_decision() {
    judge::DecisionRule& decision = evidence_.decision;
    const spec::Rules& rules = *experiment_.rules;
    decision.ignore_index = experiment_.training.ignore_index;
    decision.threshold = rules.threshold;
    take_flips(decision, rules);
    const std::optional<spec::Loss>& loss = experiment_.training.loss;
    if (loss == spec::Loss::Bce || loss == spec::Loss::BceWithLogits) {
      decision.kind = loss == spec::Loss::Bce ? judge::DecisionKind::Probability : judge::DecisionKind::Logit;
    } else if (evidence_.task == spec::Task::Classification) {
      if (cases_.outputs == 1) {
        refuse(experiment_, "data.task", "one output decides by a threshold, and which one is not told",
               "classification of 1 output", "several outputs, or training.loss",
               "Write [training] loss = \"bce\" for probabilities, \"bce_with_logits\" for logits");
      }
      decision.kind = judge::DecisionKind::ArgMax;
    } else if (rules.threshold_given) {
      decision.kind = judge::DecisionKind::Threshold;
    }
    if (decision.kind == judge::DecisionKind::None && rules.flips && !rules.flips_from_preset) {
      refuse(experiment_, "rules.flips", "a regression makes no decision that could flip", "", "a task with a decision",
             "Leave rules.flips out, set rules.threshold, or tell data.task or training.loss");
    }
    check_decision(experiment_, decision, static_cast<std::int64_t>(cases_.outputs));
    evidence_.utility = experiment_.utility;
    const std::size_t numbers = std::max<std::size_t>(1, cases_.targets);
    evidence_.unit.scale.assign(numbers, 1.0);
    evidence_.unit.offset.assign(numbers, 0.0);
  }

  void check_targets() const {
    const bool arg_max = evidence_.decision.kind == judge::DecisionKind::ArgMax;
    const std::size_t wanted = arg_max ? 1 : cases_.outputs;
    for (std::size_t i = 0; i < cases_.rows.size(); ++i) {
      const std::vector<double>& target = cases_.rows[i].target;
      if (target.empty()) continue;
      if (target.size() != wanted) {
        cases_.refuse_target(i, "targets that do not fit the outputs",
                             std::to_string(wanted) + (wanted == 1 ? " target" : " targets") + " for " +
                                 std::to_string(cases_.outputs) + " outputs" + (arg_max ? ": a class index" : ""));
      }
      if (arg_max && !is_class(target.front(), cases_.outputs, evidence_.decision.ignore_index)) {
        cases_.refuse_target(i, "no class that the outputs could decide for",
                             "an integer from 0 to " + std::to_string(cases_.outputs - 1));
      }
    }
  }

  /// What is no probability lowers a log loss below what can be reached.
  void check_outputs() const {
    constexpr double kRounding = 1e-6;  // of a logarithm that is taken by a subtraction
    if (experiment_.training.loss == spec::Loss::Bce) {
      cases_.refuse_outputs_beyond(0.0, 1.0, "no probability, which loss = \"bce\" asks for",
                                   "a number from 0 to 1; for logits the loss is bce_with_logits");
    } else if (experiment_.training.loss == spec::Loss::Nll) {
      cases_.refuse_outputs_beyond(std::numeric_limits<double>::lowest(), kRounding,
                                   "no logarithm of a probability, which loss = \"nll\" asks for",
                                   "a number of at most 0; for logits the loss is cross_entropy");
    }
  }

  void describe() {
    evidence_.made_elsewhere = true;
    const spec::Trial* const told = experiment_.trials.empty() ? nullptr : &experiment_.trials.front();
    evidence_.autocast = !files_.autocast.empty() ? files_.autocast
                         : told != nullptr        ? spec::to_text(told->autocast)
                                                  : kNotKnown;
    evidence_.device = !files_.device.empty()                 ? files_.device
                       : !experiment_.training.device.empty() ? experiment_.training.device
                                                              : kElsewhere;
    evidence_.cast_policy = told != nullptr ? told->cast_policy : kNotKnown;
    if (evidence_.autocast == kNotKnown) {
      notes_.emplace_back(
          "The precision of the trial is not known, so limits by dtype do not apply: --autocast tells it.");
    }
    notes_.emplace_back("The run was made elsewhere. Device and precision are as told.");
    evidence_.circumstances.emplace_back(
        "its rules were given with its files: nothing shows that they were fixed before its first step");
    cases_sha256_ = sha256_of_cases({}, cases_.rows);
  }

  json file_entry(const std::string& path) const {
    if (path.empty()) return nullptr;
    return {{"file", path}, {"sha256", sha256_of_file(path)}};
  }

  record::ExperimentStart experiment_start() const {
    record::ExperimentStart start;
    start.name = experiment_.name;
    start.file = std::filesystem::absolute(files_.rules).lexically_normal().string();
    start.text = experiment_.text;
    const json settings = {
        {"data", {{"task", spec::to_text(evidence_.task)}}},
        {"foreign",
         {{"autocast", evidence_.autocast},
          {"cases", cases_.rows.size()},
          {"device", evidence_.device},
          {"outputs", cases_.outputs},
          {"same_weights", cases_.has_same_weights}}},
        {"rules", json::parse(rules_)},
        {"training", {{"loss", experiment_.training.loss ? json(spec::to_text(*experiment_.training.loss)) : json()}}}};
    start.resolved = settings.dump();
    start.sha256 = sha256(start.resolved);
    start.rules = rules_;
    start.rules_sha256 = sha256(rules_);
    start.cases_sha256 = cases_sha256_;
    const json lock = {{"foreign",
                        {{"reference", file_entry(files_.reference)},
                         {"trial", file_entry(files_.trial)},
                         {"steps", file_entry(files_.steps)},
                         {"rules", file_entry(files_.rules)}}}};
    start.lock = lock.dump();
    start.lock_sha256 = sha256(start.lock);
    return start;
  }

  record::TrialStart arm(record::TrialKind kind, const std::string& name) const {
    record::TrialStart start;
    start.kind = kind;
    start.name = name;
    start.autocast = evidence_.autocast;
    start.cast_policy = evidence_.cast_policy;
    start.device = evidence_.device;
    return start;
  }

  std::string trial_policy() const {
    return json({{"autocast", evidence_.autocast}, {"cast_policy", evidence_.cast_policy}}).dump();
  }

  /// As a reference of our own is kept: it is its own trained model and its own same weights.
  std::vector<record::CaseRow> reference_rows() const {
    std::vector<record::CaseRow> rows;
    for (const record::CaseRow& row : cases_.rows) {
      record::CaseRow& own = rows.emplace_back();
      own.id = row.id;
      own.kind = row.kind;
      own.slice = row.slice;
      own.target = row.target;
      own.output_reference = own.output = own.output_same_weights = row.output_reference;
    }
    judge::compare(rows, evidence_.decision);
    return rows;
  }

  void add_quality(record::TrialEnd& end, const std::vector<record::CaseRow>& rows) const {
    const bool has_target =
        std::any_of(rows.begin(), rows.end(), [](const record::CaseRow& row) { return !row.target.empty(); });
    if (!has_target) return;
    const std::vector<spec::QualityRule>& asked = experiment_.rules->quality;
    end.quality_metric =
        asked.empty() || asked.front().metric.empty() ? spec::default_metric(evidence_.task) : asked.front().metric;
    end.quality =
        judge::quality(rows, end.quality_metric, spec::Of::Trained, false, evidence_.unit, evidence_.decision);
  }

  record::TrialEnd reference_end(const std::vector<record::CaseRow>& rows) const {
    record::TrialEnd end;
    add_quality(end, rows);
    end.notes = {"Made elsewhere: its outputs are known, nothing of its training."};
    return end;
  }

  record::TrialEnd trial_end() const {
    record::TrialEnd end;
    end.status = evidence_.status;
    end.failure = evidence_.failure;
    end.failure_text = evidence_.failure_text;
    end.counts = evidence_.counts;
    if (!steps_.steps.empty()) {
      end.final_loss = steps_.steps.back().loss;
      end.seconds = steps_.steps.back().wall_seconds.value_or(0.0);
    }
    add_quality(end, cases_.rows);
    if (!end.quality_metric.empty()) {
      end.quality_reference =
          judge::quality(cases_.rows, end.quality_metric, spec::Of::Trained, true, evidence_.unit, evidence_.decision);
    }
    count_flips(end);
    end.notes = notes_;
    end.verdict = judge::judge(experiment_.rules, sha256(rules_), evidence_);
    end.evidence = evidence_text(evidence_);
    if (evidence_.utility) {
      end.utility = judge::utility_of(evidence_.cases, evidence_.decision, *evidence_.utility);
    }
    return end;
  }

  void count_flips(record::TrialEnd& end) const {
    if (evidence_.decision.kind == judge::DecisionKind::None) return;
    const std::optional<spec::FlipsRule>& rule = experiment_.rules->flips;
    const bool trained = (rule && rule->of == spec::Of::Trained) || !cases_.has_same_weights;
    if (rule && rule->of == spec::Of::SameWeights && !cases_.has_same_weights) return;
    end.flips = std::count_if(cases_.rows.begin(), cases_.rows.end(), [trained](const record::CaseRow& row) {
      return trained ? row.flip : row.flip_same_weights;
    });
  }

  const ForeignFiles& files_;
  std::string name_;
  spec::Experiment experiment_;
  ForeignCases cases_;
  ForeignSteps steps_;
  judge::Evidence evidence_;
  std::string rules_;
  std::string cases_sha256_;
  std::vector<std::string> notes_;
};

std::string name_of(const ForeignFiles& files) {
  const bool told = !files.name.empty();
  return spec::checked_trial_name(told ? files.name : std::filesystem::path(files.trial).stem().string(), "--name");
}

/// "trial 2 (amp): rejected by the rules 0123abcd", the newest first: rules that were loosened until they held are
/// seen.
std::vector<std::string> earlier_judgements(const std::string& archive, const ForeignJudgement& judgement) {
  std::vector<std::string> earlier;
  if (!std::filesystem::exists(archive)) return earlier;
  constexpr std::size_t kHashShown = 8;
  const archive::Reader reader(archive);
  for (const record::TrialRow& row : reader.trials()) {
    if (row.start.kind != record::TrialKind::Foreign || !row.end.verdict) continue;
    const record::ExperimentStart experiment = reader.experiment(row.experiment_id);
    if (!judgement.is_of_the_same_outputs(experiment, reader.evidence(row.id).value_or(std::string()))) continue;
    earlier.push_back("trial " + std::to_string(row.id) + " (" + row.start.name + ") " +
                      std::string(record::to_text(row.end.verdict->word)) + " by the rules " +
                      row.end.verdict->rules_sha256.substr(0, kHashShown));
  }
  std::reverse(earlier.begin(), earlier.end());
  return earlier;
}

}  // namespace

JudgedForeign judge_foreign(const std::string& archive, const ForeignFiles& files) {
  ForeignJudgement judgement(files, name_of(files));
  archive::ForeignRun run = judgement.run(earlier_judgements(archive, judgement));
  archive::keep_foreign_run(archive, run);
  return {std::move(run.reference), std::move(run.trial), judgement.rules(), judgement.notes()};
}

spec::Experiment foreign_experiment(const record::ExperimentStart& start, spec::Task task, const std::string& archive) {
  spec::Experiment experiment = spec::foreign_experiment_of_text(start.text, start.file);
  experiment.data.task = task;
  experiment = spec::with_rules_of_text(start.text, start.file, std::move(experiment));
  if (spec::canonical_json_of_rules(experiment) == start.rules) return experiment;
  throw Error(ErrorKind::ArchiveDamaged,
              {"the archive is damaged: the text gives other rules than those that were kept", archive, 0, 0,
               "table experiments, column text", "", "", "Use a backup, or judge the files again"});
}

}  // namespace mantissa::session
