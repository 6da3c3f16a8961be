// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/archive/reader.h"
#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/base/user_folders.h"
#include "core/record/trial.h"

namespace mantissa::cli {
CLI::App* Program::add_command(const std::string& name, const std::string& description, std::function<int()> run) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->fallthrough();  // --json, -q, -v, --archive may stand after the command, too
  command->callback([this, run = std::move(run)] { action = run; });
  return command;
}

std::string Program::archive_path() const {
  if (!archive.empty()) return archive;
  std::string path = default_archive();
  if (path.empty()) {
    throw Error(ErrorKind::InvalidSetting, {"there is no home folder for the archive", "", 0, 0, "--archive", "", "",
                                            "Name the archive with --archive FILE"});
  }
  return path;
}

void Program::make_default_folder() const {
  if (archive.empty()) make_default_archive_folder();
}

std::string Program::existing_archive() const {
  const std::string path = archive_path();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ErrorKind::FileProblem, {"there is no archive here", path, 0, 0, "", "", "",
                                         "mantissa-cli run FILE makes one; --archive FILE names another"});
  }
  return path;
}

std::string Program::nearest_command(const std::string& name) const {
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3);  // a slip is about one edit in three letters
  std::string remedy = "mantissa-cli help lists the commands";
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::size_t edits = edit_distance(name, command->get_name());
    if (edits > fewest) continue;
    if (edits == fewest && remedy.back() == '?') continue;  // the first of equals
    fewest = edits;
    remedy = "Did you mean " + command->get_name() + '?';
  }
  return remedy;
}

record::TrialRow Program::find(const archive::Reader& reader, const std::string& text) {
  std::string choice;
  record::TrialRow trial = reader.find(text, &choice);
  if (!choice.empty()) console.message(choice);
  return trial;
}

std::string given_name(const std::string& text) {
  return text.empty() ? std::string("found an empty text, expected a name") : std::string();
}

}  // namespace mantissa::cli
