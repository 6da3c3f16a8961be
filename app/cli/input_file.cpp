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
#include "core/base/given_file.h"

namespace mantissa::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::FileProblem, {problem, path, 0, 0, "", "", "", remedy});
}

std::string read_up_to(const std::string& path, std::size_t limit) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail_to_open(path, errno, "Check the path");
  std::string bytes(limit, '\0');
  bytes.resize(std::fread(bytes.data(), 1, limit, file.get()));
  if (std::ferror(file.get()) != 0) {
    refuse(path, std::string("the file cannot be read: ") + std::strerror(errno), "Check the disk");
  }
  return bytes;
}

}  // namespace

std::string read_start(const std::string& path, std::size_t limit) {
  refuse_special_file(path, "a file");
  return read_up_to(path, limit);
}

std::string read_whole(const std::string& path, std::size_t limit) {
  if (!is_handed_over(path)) refuse_special_file(path, "a file");
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::string bytes =
      read_up_to(path, error ? limit + 1 : static_cast<std::size_t>(std::min<std::uintmax_t>(size, limit)) + 1);
  if (bytes.size() > limit) {
    refuse(path, "the file is larger than " + std::to_string(limit / 1000000) + " MB", "Split it");
  }
  return bytes;
}

}  // namespace mantissa::cli
