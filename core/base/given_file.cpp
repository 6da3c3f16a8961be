// SPDX-License-Identifier: Apache-2.0
#include "core/base/given_file.h"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/base/error.h"

namespace mantissa {

const char* const kMoreOpenFiles = "Close programs, or raise the limit of open files (ulimit -n)";

void refuse_special_file(const std::string& path, const std::string& called) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
  const bool is_folder = std::filesystem::is_directory(status);
  throw Error(ErrorKind::FileProblem,
              {is_folder ? "this is a folder, not a file" : "this is a pipe, a socket or a device, not a file", path, 0,
               0, "", "", "", is_folder ? "Name " + called + " in it" : "Write it to a file and name that"});
}

bool is_handed_over(const std::string& path) {
  const auto below = [&path](std::string_view folder) { return path.compare(0, folder.size(), folder) == 0; };
  return path == "/dev/stdin" || below("/dev/fd/") || below("/proc/self/fd/");
}

bool is_limit_of_open_files(int error_number) { return error_number == EMFILE || error_number == ENFILE; }

void fail_to_open(const std::string& path, int error_number, const std::string& if_missing) {
  if (error_number == ENOENT) {
    throw Error(ErrorKind::FileProblem, {"there is no such file", path, 0, 0, "", "", "", if_missing});
  }
  const std::string reason = "cannot be read: " + std::generic_category().message(error_number);
  if (is_limit_of_open_files(error_number)) {
    throw Error(ErrorKind::OutOfMemory, {reason, path, 0, 0, "", "", "", kMoreOpenFiles});
  }
  if (error_number == ENOMEM) throw Error(ErrorKind::OutOfMemory, {reason, path, 0, 0, "", "", "", ""});
  const bool no_right = error_number == EACCES || error_number == EPERM;
  throw Error(ErrorKind::FileProblem,
              {reason, path, 0, 0, "", "", "", no_right ? "Give this user the right to read it" : "Check the path"});
}

}  // namespace mantissa
