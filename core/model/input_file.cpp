// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_file.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/given_file.h"

namespace mantissa::model {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorKind::FileProblem, {problem, path, 0, 0, "", "", "a model or weights file", ""});
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  refuse_special_file(path_, "the model or weights file");
  errno = 0;
  stream_.open(path_, std::ios::binary);
  if (!stream_) fail_to_open(path_, errno, "Check the path");
  std::error_code error;
  size_ = std::filesystem::file_size(path_, error);
  if (error) refuse(path_, "cannot be read");
}

void InputFile::read(std::uint64_t offset, void* to, std::uint64_t length) {
  if (!holds(offset, length)) refuse(path_, "ends too early");
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(length));
  if (!stream_) refuse(path_, "cannot be read");
}

std::string InputFile::read(std::uint64_t offset, std::uint64_t length) {
  if (!holds(offset, length)) refuse(path_, "ends too early");
  std::string bytes(length, '\0');
  read(offset, bytes.data(), length);
  return bytes;
}

}  // namespace mantissa::model
