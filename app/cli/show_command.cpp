// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

int show(Program& program, const std::string& name) {
  const archive::Reader reader(program.existing_archive());
  const record::TrialRow trial = program.find(reader, name);
  const record::ExperimentStart experiment = reader.experiment(trial.experiment_id);
  report::LossSummary losses;
  reader.steps(trial.id, [&losses](const record::StepRecord& step) {
    losses.add(step.loss);
    return true;
  });
  const record::History history = reader.history(trial.id);
  if (program.json) {
    program.console.result(report::show_document(trial, experiment, losses, history));
  } else {
    program.console.result_for_people(report::trial_page(trial, experiment, losses, history));
  }
  return exit_code::kDone;
}

}  // namespace

void add_show(Program& program) {
  const auto trial = std::make_shared<std::string>();
  CLI::App* const command =
      program.add_command("show", "One trial: verdict with its rules, counts, checkpoints, settings, reference lock",
                          [&program, trial] { return show(program, *trial); });
  command->add_option("TRIAL", *trial, "An id, experiment/trial, a name (the newest), last, or reference")->required();
}

}  // namespace mantissa::cli
