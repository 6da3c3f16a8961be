// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

/// Nothing has been run yet: that is no mistake. An archive that was named and is not there is one.
bool is_first_use(const Program& program) {
  std::error_code ignored;
  return program.archive.empty() && !std::filesystem::exists(program.archive_path(), ignored);
}

bool fits(const record::TrialRow& trial, const std::string& pattern) {
  const std::string full = trial.experiment + '/' + trial.start.name;
  for (const std::string& name : {trial.start.name, trial.experiment, full}) {
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

int list(Program& program, const std::string& pattern) {
  std::vector<record::TrialRow> trials;
  if (!is_first_use(program)) trials = archive::Reader(program.existing_archive()).trials();
  const std::size_t all = trials.size();
  if (!pattern.empty()) {
    trials.erase(std::remove_if(trials.begin(), trials.end(),
                                [&pattern](const record::TrialRow& trial) { return !fits(trial, pattern); }),
                 trials.end());
  }
  if (program.json) {
    program.console.result(report::list_document(trials));
  } else if (!trials.empty()) {
    program.console.result_for_people(report::trial_list(trials, Console::result_columns()));
  }
  if (all == 0) {
    program.console.message(program.archive_path() + " holds no trials yet. mantissa-cli run FILE makes some.");
  } else if (trials.empty()) {
    program.console.message("no trial of " + std::to_string(all) + " fits '" + pattern + "'");
  }
  return exit_code::kDone;
}

}  // namespace

void add_list(Program& program) {
  const auto pattern = std::make_shared<std::string>();
  CLI::App* const command =
      program.add_command("list", "Trials of the archive, oldest first; on a terminal as many columns as fit",
                          [&program, pattern] { return list(program, *pattern); });
  command->add_option("PATTERN", *pattern,
                      "Only trials whose name, experiment or experiment/name fits, such as 'fp16*' or 'digits/*'");
}

}  // namespace mantissa::cli
