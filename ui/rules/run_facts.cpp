// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/run_facts.h"

#include <algorithm>
#include <map>

#include "core/archive/reader.h"
#include "core/base/error.h"

namespace mantissa::ui::rules {
namespace {

bool isJudged(const record::TrialRow& arm) {
  const bool isTrial = arm.start.kind == record::TrialKind::Trial || arm.start.kind == record::TrialKind::Foreign;
  return isTrial && arm.end.status != record::Status::Running;
}

}  // namespace

std::vector<RunChoice> runChoices(const std::vector<record::TrialRow>& arms, const std::string& name,
                                  std::size_t most) {
  std::map<std::int64_t, const record::TrialRow*, std::greater<>> newestFirst;
  for (const record::TrialRow& arm : arms) {
    if (isJudged(arm)) newestFirst.emplace(arm.experiment_id, &arm);
  }
  std::vector<RunChoice> choices;
  for (const bool isSame : {true, false}) {
    for (const auto& [experiment, arm] : newestFirst) {
      if ((arm->experiment == name) != isSame || choices.size() == most) continue;
      choices.push_back({experiment, QString::fromStdString(arm->experiment), QString::fromStdString(arm->started_at)});
    }
  }
  return choices;
}

SharedRun readRun(const std::string& archive, std::int64_t experiment, const EvidenceReader& read) {
  const archive::Reader reader(archive);
  auto run = std::make_shared<RunFacts>();
  const record::ExperimentStart start = reader.experiment(experiment);
  run->experiment = experiment;
  run->name = start.name;
  run->fixedAt = QString::fromStdString(reader.fixed_at(experiment));
  run->rules = start.rules;
  for (const record::TrialRow& arm : reader.trials()) {
    if (arm.experiment_id != experiment || !isJudged(arm)) continue;
    RunFacts::Trial& trial = run->trials.emplace_back();
    trial.name = arm.start.name;
    try {
      trial.evidence = read(archive, arm.id);
    } catch (const Error& error) {
      trial.problem = sentence(error.facts());
    }
  }
  return run;
}

}  // namespace mantissa::ui::rules
