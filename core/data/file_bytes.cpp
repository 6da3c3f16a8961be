// SPDX-License-Identifier: Apache-2.0
#include "core/data/file_bytes.h"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include <zlib.h>

#include "core/base/error.h"

namespace mantissa::data {

namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;

[[noreturn]] void refuse(const std::string& path, std::string problem, std::string remedy = {}) {
  ErrorFacts facts;
  facts.problem = std::move(problem);
  facts.file = path;
  facts.remedy = std::move(remedy);
  throw Error(ErrorKind::FileProblem, std::move(facts));
}

}  // namespace

void FileBytes::CloseGzip::operator()(void* file) const { gzclose(static_cast<gzFile>(file)); }

FileBytes::FileBytes(const std::string& path) : path_(path), buffer_(kPieceBytes) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) {
    refuse(path, "there is no such file", "Paths in an experiment are relative to the experiment's file");
  }
  if (status.type() == std::filesystem::file_type::directory) {
    refuse(path, "this is a folder, not a file", "Name the data file in it");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    // Opening a pipe that nobody writes to waits for ever.
    refuse(path, "this is a pipe or a device, not a file", "Write the data to a file and name that");
  }
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) {
    const int reason = errno;
    refuse(path, "cannot be read: " + std::generic_category().message(reason != 0 ? reason : ENOMEM),
           reason == EACCES ? "Give this user the right to read it" : "");
  }
  gzbuffer(static_cast<gzFile>(file_.get()), static_cast<unsigned>(kPieceBytes));
}

std::string_view FileBytes::next() {
  const auto file = static_cast<gzFile>(file_.get());
  errno = 0;
  const int got = gzread(file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  const int read_errno = errno;
  if (got == static_cast<int>(buffer_.size())) return {buffer_.data(), buffer_.size()};

  // A short read is the end of the file, a gzip stream that stops too early (Z_BUF_ERROR), or damage.
  int state = Z_OK;
  gzerror(file, &state);
  if (state == Z_BUF_ERROR) {
    refuse(path_, "the gzip stream ends too early: the file is cut short", "Copy or download the file again");
  }
  if (state == Z_ERRNO) refuse(path_, "cannot be read: " + std::generic_category().message(read_errno));
  if (got < 0 || state != Z_OK) {
    refuse(path_, "the gzip stream is damaged (wrong checksum or content)", "Copy or download the file again");
  }
  return {buffer_.data(), static_cast<std::size_t>(got)};
}

}  // namespace mantissa::data
