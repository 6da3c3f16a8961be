// SPDX-License-Identifier: Apache-2.0
#include "core/base/user_folders.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"

namespace mantissa {
namespace {

/// The folder that `variable` names, else `usual` in the home folder; empty where there is neither.
std::filesystem::path folder_of(const char* variable, const char* usual) {
  const char* const named = std::getenv(variable);
  if (named != nullptr && *named == '/') return named;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / usual;
}

std::string in_folder(const std::filesystem::path& folder, const char* file) {
  return folder.empty() ? std::string() : (folder / "mantissa" / file).string();
}

}  // namespace

std::string default_archive() { return in_folder(folder_of("XDG_DATA_HOME", ".local/share"), "mantissa.db"); }

void make_default_archive_folder() {
  const std::filesystem::path folder = std::filesystem::path(default_archive()).parent_path();
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code) return;
  const ErrorKind kind = code == std::errc::no_space_on_device ? ErrorKind::DiskFull : ErrorKind::FileProblem;
  throw Error(kind, {"the folder of the archive cannot be made", folder.string(), 0, 0, "", code.message(), "",
                     "Name the archive with --archive FILE"});
}

std::string log_file() { return in_folder(folder_of("XDG_STATE_HOME", ".local/state"), "mantissa.log"); }

std::string unsaved_folder() { return in_folder(folder_of("XDG_STATE_HOME", ".local/state"), "unsaved"); }

}  // namespace mantissa
