// SPDX-License-Identifier: Apache-2.0
#include "core/session/judge_again.h"

#include <optional>
#include <utility>

#include "core/archive/judgement_rows.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/judge/judge.h"
#include "core/judge/utility.h"
#include "core/session/archived_evidence.h"
#include "core/session/archived_settings.h"
#include "core/session/decision_check.h"
#include "core/session/judge_foreign.h"
#include "core/session/other_seeds.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

void decide_by(judge::Evidence& evidence, const spec::Experiment& experiment) {
  if (!experiment.rules) return;
  const spec::Rules& rules = *experiment.rules;
  if (evidence.decision.positions > 0) return;  // outputs at positions are not kept: the rules see to that
  judge::DecisionRule& decision = evidence.decision;
  take_flips(decision, rules);
  switch (decision.kind) {
    case judge::DecisionKind::Probability:
      decision.threshold = rules.threshold;
      break;
    case judge::DecisionKind::None:
    case judge::DecisionKind::Threshold:
      if (evidence.task != spec::Task::Regression) break;
      decision.kind = rules.threshold_given ? judge::DecisionKind::Threshold : judge::DecisionKind::None;
      if (rules.threshold_given) decision.threshold = threshold_in_model_units(experiment, evidence.unit);
      break;
    default:
      break;
  }
  const std::size_t outputs = evidence.cases.empty() ? 0 : evidence.cases.front().output_reference.size();
  if (outputs > 0) check_decision(experiment, decision, static_cast<std::int64_t>(outputs));
  judge::compare(evidence.cases, decision);
  for (auto& rows : evidence.rounding) judge::compare(rows, decision);
  for (auto& rows : evidence.spread) judge::compare(rows, decision);
}

}  // namespace

JudgedAgain judge_again(const std::string& archive, std::int64_t id, const std::string& rules_file) {
  JudgedAgain result;
  std::optional<spec::Experiment> experiment;
  judge::Evidence evidence;
  {
    const archive::Reader reader(archive);
    const record::TrialRow trial = reader.trial(id);
    const ArchivedSettings settings(reader.experiment(trial.experiment_id), trial.experiment_id, archive);
    evidence = archived_evidence(reader, id);
    experiment = trial.start.kind == record::TrialKind::Foreign
                     ? foreign_experiment(settings.start(), evidence.task, archive)
                     : settings.experiment(settings.start().file);
    if (trial.end.verdict) result.of_run = *trial.end.verdict;
    result.rules_of_run = settings.start().rules;
  }
  if (!rules_file.empty()) {
    experiment->data.task = evidence.task;  // the data had decided it
    experiment = spec::with_rules_of_file(rules_file, std::move(*experiment));
    result.notes = experiment->warnings;
  }
  record::Judgement& judgement = result.judgement;
  judgement.trial = id;
  judgement.rules = spec::canonical_json_of_rules(*experiment);
  judgement.rules_file = rules_file;
  judgement.post_hoc = judgement.rules != result.rules_of_run;
  if (judgement.post_hoc) decide_by(evidence, *experiment);
  evidence.utility = experiment->utility;
  if (evidence.utility && !evidence.cases.empty()) {
    result.utility = judge::utility_of(evidence.cases, evidence.decision, *evidence.utility);
  }
  {
    const archive::Reader reader(archive);
    const record::TrialRow trial = reader.trial(id);
    evidence.other_seeds =
        other_seeds(reader, trial.experiment_id, trial.start.name, experiment->rules, evidence.decision);
  }
  judgement.verdict =
      judge::judge(experiment->rules, judgement.rules.empty() ? std::string() : sha256(judgement.rules), evidence);
  // By its own rules a trial may be judged otherwise once more seeds have run.
  if (judgement.post_hoc || judgement.verdict.word != result.of_run.word) archive::keep_judgement(archive, judgement);
  return result;
}

}  // namespace mantissa::session
