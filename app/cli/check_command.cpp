// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "app/cli/session_documents.h"
#include "core/session/run.h"
#include "core/spec/parse.h"

namespace mantissa::cli {
namespace {

int check(Program& program, const std::string& file, const std::vector<std::string>& overrides) {
  const spec::Experiment experiment = spec::read_experiment(file, overrides);
  const std::vector<std::string> notes = session::check(experiment);
  if (program.json) {
    program.console.result(check_document(experiment, notes));
    return exit_code::kDone;
  }
  program.console.result_for_people(experiment_page(experiment));
  for (const std::string& note : notes) program.console.result_for_people("note: " + note + '\n');
  program.console.result("\nNothing speaks against running it.\n");
  return exit_code::kDone;
}

}  // namespace

void add_check(Program& program) {
  const auto file = std::make_shared<std::string>();
  const auto overrides = std::make_shared<std::vector<std::string>>();
  CLI::App* const command =
      program.add_command("check", "Validates an experiment with its data and model, without running it",
                          [&program, file, overrides] { return check(program, *file, *overrides); });
  command->add_option("FILE", *file, "The experiment file")->required();
  command->add_option("--set", *overrides, "Replaces a value of the file, as run does")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

}  // namespace mantissa::cli
