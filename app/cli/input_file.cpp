// SPDX-License-Identifier: Apache-2.0
#include "app/cli/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/base/error.h"

namespace mantissa::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::FileProblem, {problem, path, 0, 0, "", "", "", remedy});
}

}  // namespace

std::string read_start(const std::string& path, std::size_t limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, "this is a folder, not a file", "Name a file in it");
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    const int reason = errno;
    if (reason == ENOENT) refuse(path, "there is no such file", "Check the path");
    refuse(path, std::string("the file cannot be read: ") + std::strerror(reason), "Check its permissions");
  }
  std::string bytes(limit, '\0');
  bytes.resize(std::fread(bytes.data(), 1, limit, file.get()));
  if (std::ferror(file.get()) != 0) {
    refuse(path, std::string("the file cannot be read: ") + std::strerror(errno), "Check the disk");
  }
  return bytes;
}

std::string read_whole(const std::string& path, std::size_t limit) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::string bytes =
      read_start(path, error ? limit + 1 : static_cast<std::size_t>(std::min<std::uintmax_t>(size, limit)) + 1);
  if (bytes.size() > limit) {
    refuse(path, "the file is larger than " + std::to_string(limit / 1000000) + " MB", "Split it");
  }
  return bytes;
}

}  // namespace mantissa::cli
