// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/report/context_section.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"
#include "core/session/judge_again.h"
#include "core/session/judge_foreign.h"
#include "core/session/outcomes.h"
#include "core/session/verdict_context.h"

namespace mantissa::cli {
namespace {

struct JudgeOptions {
  std::string of;
  session::ForeignFiles files;
};

[[noreturn]] void refuse(const std::string& problem, const std::string& option, const std::string& remedy) {
  throw Error(ErrorKind::InvalidSetting, {problem, "", 0, 0, option, "", "", remedy});
}

int judge_archived(Program& program, const JudgeOptions& options) {
  const std::vector<std::pair<const char*, const std::string*>> of_files = {{"--trial", &options.files.trial},
                                                                            {"--steps", &options.files.steps},
                                                                            {"--name", &options.files.name},
                                                                            {"--autocast", &options.files.autocast},
                                                                            {"--device", &options.files.device}};
  for (const auto& [option, value] : of_files) {
    if (!value->empty()) refuse("belongs to a run that was made elsewhere", option, "Name its --reference as well");
  }
  if (options.of.empty()) {
    refuse("nothing to judge", "judge", "Name a TRIAL of the archive, or files: --reference, --trial and --rules");
  }
  const std::string archive = program.existing_archive();
  record::TrialRow trial = program.find(archive::Reader(archive), options.of);
  const session::JudgedAgain judged = session::judge_again(archive, trial.id, options.files.rules);
  trial.end.utility = judged.utility;
  for (const std::string& note : judged.notes) program.console.message("note: " + note);
  const std::optional<record::MatureQuality> mature = session::mature_quality(archive::Reader(archive), trial.id);
  const record::VerdictContext beside = session::verdict_context(archive::Reader(archive), trial.id);
  const int exit = exit_code_of(judged.judgement.verdict.word);
  if (judged.judgement.post_hoc && judged.judgement.verdict.word != judged.of_run.word) {
    program.console.message("note: exit code " + std::to_string(exit) +
                            " is that of the rules named, post hoc; the "
                            "verdict of the run stays " +
                            std::string(record::to_text(judged.of_run.word)));
  }
  if (program.json) {
    program.console.result(
        report::judgement_document(trial, judged.judgement, judged.of_run, judged.rules_of_run, exit, mature, beside));
  } else {
    program.console.result_for_people(
        report::judgement_page(trial, judged.judgement, judged.of_run, judged.rules_of_run, mature) +
        "\nBeside the verdict\n" + report::context_section(beside, 2));
  }
  return exit;
}

int judge_files(Program& program, const JudgeOptions& options) {
  if (!options.of.empty()) refuse("a TRIAL beside files", "judge", "Name one of them");
  if (options.files.trial.empty()) refuse("the trial's outputs are missing", "--trial", "Name its CSV file");
  if (options.files.rules.empty()) refuse("the rules are missing", "--rules", "Name a TOML file with [rules]");
  program.make_default_folder();
  const session::JudgedForeign judged = session::judge_foreign(program.archive_path(), options.files);
  for (const std::string& note : judged.notes) program.console.message("note: " + note);
  const record::VerdictContext beside =
      session::verdict_context(archive::Reader(program.archive_path()), judged.trial.id);
  const int exit = exit_code_of(judged.trial.end.verdict->word);
  if (program.json) {
    record::Judgement judgement;
    judgement.trial = judged.trial.id;
    judgement.rules = judged.rules;
    judgement.rules_file = options.files.rules;
    judgement.verdict = *judged.trial.end.verdict;
    program.console.result(
        report::judgement_document(judged.trial, judgement, judgement.verdict, judged.rules, exit, {}, beside));
  } else {
    program.console.result_for_people(report::foreign_page(judged.trial) + "\nBeside the verdict\n" +
                                      report::context_section(beside, 2));
  }
  return exit;
}

}  // namespace

void add_judge(Program& program) {
  const auto options = std::make_shared<JudgeOptions>();
  CLI::App* const command = program.add_command(
      "judge",
      "Judges an archived trial again, by other rules post hoc; or a run that was made elsewhere, from its files",
      [&program, options] {
        return options->files.reference.empty() ? judge_archived(program, *options) : judge_files(program, *options);
      });
  session::ForeignFiles& files = options->files;
  command->add_option("TRIAL", options->of, "An id, experiment/trial, a name (the newest), or last");
  command
      ->add_option("--rules", files.rules,
                   "TOML with mantissa = 1 and [rules], also a whole experiment file; without it the rules fixed "
                   "before the first step")
      ->type_name("FILE")
      ->check(given_name);
  const char* const elsewhere = "A run that was made elsewhere";
  command
      ->add_option("--reference", files.reference,
                   "CSV: case, output[0] …; as one likes target, kind (ordinary, edge, boundary), slice")
      ->type_name("FILE")
      ->group(elsewhere);
  command
      ->add_option("--trial", files.trial,
                   "CSV: case, output[0] … of the trained model; as one likes output_same_weights[0] … of the "
                   "reference's weights in the trial's precision")
      ->type_name("FILE")
      ->group(elsewhere);
  command->add_option("--steps", files.steps, "CSV: step, loss, skipped, grad_norm … as export steps has them")
      ->type_name("FILE")
      ->group(elsewhere);
  command->add_option("--name", files.name, "Of the trial; default: the stem of its file")->group(elsewhere);
  command
      ->add_option("--autocast", files.autocast, "off, float16, bfloat16; default: that of [[trial]], else not known")
      ->check(CLI::IsMember({"off", "float16", "bfloat16"}))
      ->group(elsewhere);
  command->add_option("--device", files.device, "cpu, cuda, …; default: training.device, else foreign")
      ->group(elsewhere);
  command->footer(
      "The exit code is that of the judgement made: by the rules of the run, or with --rules by those named, post "
      "hoc,\n"
      "while the verdict of the run stays. Leave --rules out to gate by what was fixed before the run.\n\n"
      "A run that was made elsewhere is kept as a trial of kind foreign. Task and decision follow from data.task and\n"
      "training.loss of the file of rules; without them several outputs and targets that are class indices are a\n"
      "classification by arg-max, everything else is a regression. What the files do not hold is named in the "
      "verdict.");
}

}  // namespace mantissa::cli
