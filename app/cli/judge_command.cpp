// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"
#include "core/session/judge_again.h"

namespace mantissa::cli {
namespace {

struct JudgeOptions {
  std::string trial;
  std::string rules;
};

int judge(Program& program, const JudgeOptions& options) {
  const std::string archive = program.existing_archive();
  const record::TrialRow trial = program.find(archive::Reader(archive), options.trial);
  const session::JudgedAgain judged = session::judge_again(archive, trial.id, options.rules);
  for (const std::string& note : judged.notes) program.console.message("note: " + note);
  const int exit = exit_code_of(judged.judgement.verdict.word);
  if (program.json) {
    program.console.result(
        report::judgement_document(trial, judged.judgement, judged.of_run, judged.rules_of_run, exit));
  } else {
    program.console.result_for_people(
        report::judgement_page(trial, judged.judgement, judged.of_run, judged.rules_of_run));
  }
  return exit;
}

}  // namespace

void add_judge(Program& program) {
  const auto options = std::make_shared<JudgeOptions>();
  CLI::App* const command = program.add_command(
      "judge", "Judges an archived trial again, from what its run measured; by other rules it is post hoc and kept",
      [&program, options] { return judge(program, *options); });
  command->add_option("TRIAL", options->trial, "An id, experiment/trial, a name (the newest), or last")->required();
  command
      ->add_option("--rules", options->rules,
                   "TOML with [rules], also a whole experiment file; without it the rules fixed before the first step")
      ->type_name("FILE");
}

}  // namespace mantissa::cli
