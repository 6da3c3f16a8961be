// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"
#include "core/session/outcomes.h"

namespace mantissa::cli {
namespace {

int add(Program& program, const std::string& name, const std::string& file) {
  const std::string archive = program.existing_archive();
  const record::TrialRow trial = program.find(archive::Reader(archive), name);
  const std::int64_t added = session::add_outcomes(archive, trial.id, file);
  const std::optional<record::MatureQuality> mature = session::mature_quality(archive::Reader(archive), trial.id);
  if (program.json) {
    program.console.result(report::outcomes_document(trial, added, mature));
  } else {
    program.console.message(file + ": " + std::to_string(added) + " outcomes are new");
    program.console.result_for_people(report::mature_section(mature));
  }
  return exit_code::kDone;
}

}  // namespace

void add_outcomes(Program& program) {
  const auto trial = std::make_shared<std::string>();
  const auto file = std::make_shared<std::string>();
  CLI::App* const command =
      program.add_command("outcomes", "Adds outcomes that arrived later to a trial: mature quality beside its verdict",
                          [&program, trial, file] { return add(program, *trial, *file); });
  command->add_option("TRIAL", *trial, "An id, experiment/trial, a name (the newest), or last")->required();
  command->add_option("FILE", *file, "CSV: case, outcome (class index, or the target in its own unit)")->required();
  command->footer(
      "Outcomes are joined by the ids of exactly this trial's frozen cases. Cases may come in several files; show and\n"
      "judge tell the quality that they give beside the verdict, which stays.");
}

}  // namespace mantissa::cli
