// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/log_file.h"
#include "app/cli/program.h"
#include "app/cli/run_result.h"
#include "core/archive/reader.h"
#include "core/session/resume.h"

namespace mantissa::cli {
namespace {

struct ResumeCommandOptions {
  std::string trial;
  std::vector<std::string> overrides;
  std::vector<std::string> required;
  std::string probes = "standard";
  std::string gains = "short";
  std::string memory = "on";
  std::optional<std::int64_t> stop_after;
  std::optional<std::int64_t> at;
};

int resume(Program& program, const ResumeCommandOptions& options) {
  session::ResumeOptions resume_options;
  resume_options.archive = program.existing_archive();
  resume_options.overrides = options.overrides;
  resume_options.probes = probes_from_text(options.probes);
  resume_options.gains = gains_from_text(options.gains);
  resume_options.memory = memory_from_text(options.memory);
  resume_options.stop_after = stop_after_from(options.stop_after);
  resume_options.at = options.at;
  {
    const archive::Reader reader(resume_options.archive);
    resume_options.trial = program.find(reader, options.trial).id;
  }
  open_log_file();
  spdlog::info("resume trial {} in {}", resume_options.trial, resume_options.archive);

  const auto go_on = [&resume_options](session::Observer& observer, const session::StopToken& stop) {
    return session::resume(resume_options, observer, stop);
  };
  return run_and_show(program, options.required, go_on);
}

}  // namespace

void add_resume(Program& program) {
  const auto options = std::make_shared<ResumeCommandOptions>();
  CLI::App* const command = program.add_command(
      "resume",
      "Goes on from the last checkpoint of a run, its reference included; relative paths begin in the folder of the "
      "experiment file, as they did. A run that was killed after its last step is compared and judged. Another policy "
      "makes a child trial",
      [&program, options] { return resume(program, *options); });
  command
      ->add_option("TRIAL", options->trial, "Any arm of the run: an id, experiment/trial, a name, last, or reference")
      ->required();
  command
      ->add_option("--set", options->overrides,
                   "More steps: training.steps=4000; another policy: trial[bf16].autocast=\"float16\"")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--require", options->required, "Only this trial decides the exit code; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--probes", options->probes, "off: only what the steps need; standard (default)")
      ->type_name("off|standard");
  command->add_option("--gains", options->gains, "Measure what the arms cost, as run does: off, short (default), long")
      ->type_name("off|short|long");
  command
      ->add_option("--memory", options->memory,
                   "Compare predicted with measured memory, as run does: on (default), off")
      ->type_name("off|on");
  command
      ->add_option("--stop-after", options->stop_after,
                   "Stops after so many attempted steps, counted from the very first")
      ->type_name("N");
  command
      ->add_option("--at", options->at,
                   "Goes on from the checkpoint at this step instead of the last one; show lists them. What the run "
                   "made after it is replaced")
      ->type_name("STEP");
}

}  // namespace mantissa::cli
