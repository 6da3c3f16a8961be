// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "app/cli/resolved_page.h"
#include "core/archive/reader.h"
#include "core/report/context_section.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"
#include "core/session/archived_utility.h"
#include "core/session/outcomes.h"
#include "core/session/verdict_context.h"

namespace mantissa::cli {
namespace {

int show(Program& program, const std::string& name, bool resolved) {
  const archive::Reader reader(program.existing_archive());
  record::TrialRow trial = program.find(reader, name);
  const record::ExperimentStart experiment = reader.experiment(trial.experiment_id);
  if (resolved && !program.json) {
    program.console.result_for_people(resolved_page(experiment.resolved));
    return exit_code::kDone;
  }
  report::LossSummary losses;
  reader.steps(trial.id, [&losses](const record::StepRecord& step) {
    losses.add(step.loss);
    return true;
  });
  session::add_utility(reader, trial);
  const record::History history = reader.history(trial.id);
  const std::optional<record::MatureQuality> mature = session::mature_quality(reader, trial.id);
  std::optional<record::VerdictContext> beside;
  if (trial.end.verdict) beside = session::verdict_context(reader, trial.id);
  if (program.json) {
    program.console.result(report::show_document(trial, experiment, losses, history, mature, beside));
  } else {
    std::string page = report::trial_page(trial, experiment, losses, history, mature);
    if (beside) page += "\nBeside the verdict\n" + report::context_section(*beside, 2);
    program.console.result_for_people(page);
  }
  return exit_code::kDone;
}

}  // namespace

void add_show(Program& program) {
  const auto trial = std::make_shared<std::string>();
  const auto resolved = std::make_shared<bool>(false);
  CLI::App* const command =
      program.add_command("show", "One trial: verdict with its rules, counts, checkpoints, settings, reference lock",
                          [&program, trial, resolved] { return show(program, *trial, *resolved); });
  command->add_option("TRIAL", *trial, "An id, experiment/trial, a name (the newest), last, or reference")->required();
  command->add_flag("--resolved", *resolved, "Only the settings, one line each, with every default told");
}

}  // namespace mantissa::cli
