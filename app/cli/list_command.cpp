// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
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

int list(Program& program) {
  std::vector<record::TrialRow> trials;
  if (!is_first_use(program)) trials = archive::Reader(program.existing_archive()).trials();
  if (program.json) {
    program.console.result(report::list_document(trials));
  } else if (!trials.empty()) {
    program.console.result_for_people(report::trial_list(trials));
  }
  if (trials.empty()) {
    program.console.message(program.archive_path() + " holds no trials yet. mantissa-cli run FILE makes some.");
  }
  return exit_code::kDone;
}

}  // namespace

void add_list(Program& program) {
  program.add_command("list", "All trials of the archive, oldest first", [&program] { return list(program); });
}

}  // namespace mantissa::cli
