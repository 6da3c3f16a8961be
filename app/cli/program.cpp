// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/record/trial.h"

namespace mantissa::cli {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

CLI::App* Program::add_command(const std::string& name, const std::string& description, std::function<int()> run) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->fallthrough();  // --json, -q, -v, --archive may stand after the command, too
  command->callback([this, run = std::move(run)] { action = run; });
  return command;
}

std::string Program::archive_path() const {
  if (!archive.empty()) return archive;
  // XDG Base Directory Specification: relative paths in the variable are to be ignored.
  std::filesystem::path folder = environment("XDG_DATA_HOME");
  if (!folder.is_absolute()) {
    const std::string home = environment("HOME");
    if (home.empty()) {
      throw Error(ErrorKind::InvalidSetting, {"there is no home folder for the archive", "", 0, 0, "--archive", "", "",
                                              "Name the archive with --archive FILE"});
    }
    folder = std::filesystem::path(home) / ".local" / "share";
  }
  return (folder / "mantissa" / "mantissa.db").string();
}

void Program::make_default_folder() const {
  if (!archive.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(archive_path()).parent_path();
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code) return;
  const ErrorKind kind = code == std::errc::no_space_on_device ? ErrorKind::DiskFull : ErrorKind::FileProblem;
  throw Error(kind, {"the folder of the archive cannot be made", folder.string(), 0, 0, "", code.message(), "",
                     "Name the archive with --archive FILE"});
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

record::TrialRow Program::find(const archive::Reader& reader, const std::string& text) {
  std::string choice;
  record::TrialRow trial = reader.find(text, &choice);
  if (!choice.empty()) console.message(choice);
  return trial;
}

}  // namespace mantissa::cli
