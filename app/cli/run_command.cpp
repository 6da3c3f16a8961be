// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/log_file.h"
#include "app/cli/program.h"
#include "app/cli/run_result.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/session/run.h"
#include "core/spec/parse.h"

namespace mantissa::cli {
namespace {

struct RunCommandOptions {
  std::string file;
  std::vector<std::string> trials;
  std::vector<std::string> overrides;
  std::vector<std::string> required;
  std::string probes = "standard";
  std::string gains = "short";
  std::string memory = "on";
  std::optional<std::int64_t> stop_after;
  std::string cases_from;
};

/// The trial whose frozen cases are taken; 0: none is named.
std::int64_t cases_from(Program& program, const std::string& trial) {
  if (trial.empty()) return 0;
  return program.find(archive::Reader(program.archive_path()), trial).id;
}

/// Every name that an option gives must be one of `known`.
void require_known(const std::string& option, const std::vector<std::string>& names,
                   const std::vector<std::string>& known, const std::string& file) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ErrorKind::InvalidSetting,
                {"no such trial in this run", file, 0, 0, option, "'" + name + "'",
                 known.empty() ? "no name: the experiment has no trial" : joined(known), ""});
  }
}

int run(Program& program, const RunCommandOptions& options) {
  session::RunOptions run_options;
  run_options.probes = probes_from_text(options.probes);
  run_options.gains = gains_from_text(options.gains);
  run_options.memory = memory_from_text(options.memory);
  run_options.archive = program.archive_path();
  run_options.only_trials = options.trials;
  run_options.stop_after = stop_after_from(options.stop_after);
  run_options.cases_from = cases_from(program, options.cases_from);

  open_log_file();
  spdlog::info("run {} into {}", options.file, run_options.archive);
  const spec::Experiment experiment = spec::read_experiment(options.file, options.overrides);
  std::vector<std::string> names;
  for (const spec::Trial& trial : experiment.trials) names.push_back(trial.name);
  require_known("--trial", options.trials, names, options.file);
  require_known("--require", options.required, options.trials.empty() ? names : options.trials, options.file);
  for (const std::string& warning : experiment.warnings) program.console.message("warning: " + warning);

  program.make_default_folder();
  const auto train = [&](session::Observer& observer, const session::StopToken& stop) {
    return session::run(experiment, run_options, observer, stop);
  };
  return run_and_show(program, options.required, train);
}

}  // namespace

void add_run(Program& program) {
  const auto options = std::make_shared<RunCommandOptions>();
  CLI::App* const command =
      program.add_command("run", "Trains the reference and its trials, compares and judges them, keeps everything",
                          [&program, options] { return run(program, *options); });
  command->add_option("FILE", options->file, "The experiment file")->required();
  command->add_option("--trial", options->trials, "Only this trial; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--set", options->overrides,
                   "Replaces a value of the file: training.optimizer[0].lr=1e-4, trial[fp16].scaler.init_scale=1024")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--require", options->required, "Only this trial decides the exit code; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--probes", options->probes, "off: only what the steps need; standard (default)")
      ->type_name("off|standard");
  command
      ->add_option(
          "--gains", options->gains,
          "Afterwards measure what the arms cost, rejected trials left out. off; short (default): within 5 % of "
          "the training, 10 s at most; long: within a minute")
      ->type_name("off|short|long");
  command
      ->add_option("--memory", options->memory,
                   "on (default): traces smaller steps before the run, within 5 % of the training or a second, to "
                   "predict its memory, and compares it with what is measured; off")
      ->type_name("off|on");
  command->add_option("--stop-after", options->stop_after, "Stops after so many attempted steps, to be resumed later")
      ->type_name("N");
  command
      ->add_option("--cases-from", options->cases_from,
                   "Compares on the very frozen cases of this trial of the archive; refused where they are not there "
                   "any more")
      ->type_name("TRIAL")
      ->check(given_name);
}

}  // namespace mantissa::cli
