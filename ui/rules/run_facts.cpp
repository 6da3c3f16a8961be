// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/run_facts.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::rules {
namespace {

bool isJudged(const record::TrialRow& arm) {
  const bool isTrial = arm.start.kind == record::TrialKind::Trial || arm.start.kind == record::TrialKind::Foreign;
  return isTrial && arm.end.status != record::Status::Running;
}

}  // namespace

std::vector<RunChoice> runChoices(const std::vector<record::TrialRow>& arms, const std::string& name,
                                  std::size_t most) {
  std::map<std::int64_t, std::vector<const record::TrialRow*>, std::greater<>> newestFirst;
  for (const record::TrialRow& arm : arms) {
    if (isJudged(arm)) newestFirst[arm.experiment_id].push_back(&arm);
  }
  std::vector<RunChoice> choices;
  std::size_t runs = 0;
  for (const bool isSame : {true, false}) {
    for (const auto& [experiment, trials] : newestFirst) {
      const record::TrialRow& first = *trials.front();
      if ((first.experiment == name) != isSame || runs == most) continue;
      ++runs;
      RunChoice whole{
          experiment, 0, QString::fromStdString(first.experiment), QString::fromStdString(first.started_at), {}};
      for (const record::TrialRow* const trial : trials) whole.trials << QString::fromStdString(trial->start.name);
      choices.push_back(whole);
      if (trials.size() == 1) continue;
      for (const record::TrialRow* const trial : trials) {
        choices.push_back(
            {experiment, trial->id, whole.name, whole.startedAt, {QString::fromStdString(trial->start.name)}});
      }
    }
  }
  return choices;
}

std::vector<record::TrialRow> trialsOf(const std::vector<record::TrialRow>& arms, std::int64_t experiment,
                                       std::int64_t trial) {
  std::vector<record::TrialRow> trials;
  for (const record::TrialRow& arm : arms) {
    if (arm.experiment_id == experiment && isJudged(arm) && (trial == 0 || arm.id == trial)) trials.push_back(arm);
  }
  return trials;
}

SharedRun readRun(const mantissa::archive::Reader& reader, const std::string& archive, std::int64_t experiment,
                  const std::vector<record::TrialRow>& trials, const EvidenceReader& read,
                  const std::function<bool()>& isWanted) {
  auto run = std::make_shared<RunFacts>();
  const record::ExperimentStart start = reader.experiment(experiment);
  run->experiment = experiment;
  run->name = start.name;
  run->fixedAt = QString::fromStdString(reader.fixed_at(experiment));
  run->rules = start.rules;
  for (const record::TrialRow& arm : trials) {
    if (!isWanted()) return nullptr;
    RunFacts::Trial& trial = run->trials.emplace_back();
    trial.name = arm.start.name;
    try {
      trial.evidence = read(archive, arm.id);
    } catch (const Error& error) {
      trial.problem =
          error.kind() == ErrorKind::UnknownTrial
              ? QCoreApplication::translate("RuleWords",
                                            "Left out: nothing is kept of what its verdict rests on. It was "
                                            "interrupted, or is from an older version.")
                    .toStdString()
              : models::errorText(error).toStdString();
    }
  }
  return run;
}

}  // namespace mantissa::ui::rules
