// SPDX-License-Identifier: Apache-2.0
#include "core/data/file_bytes.h"

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <zlib.h>

#include "core/base/error.h"
#include "core/base/given_file.h"

namespace mantissa::data {

namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;

// A few kilobytes of gzip can unpack to more than any memory: deflate reaches 1032 to 1. Images and tables reach 5 to
// 30 (MNIST 4.8); beyond this, past a size that any memory holds, a person should have unpacked the file on purpose.
constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMostPerByte = 250;

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
  refuse_special_file(path, "the data file");
  errno = 0;
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) {
    const int reason = errno;
    fail_to_open(path, reason != 0 ? reason : ENOMEM, "Paths in an experiment are relative to the experiment's file");
  }
  gzbuffer(static_cast<gzFile>(file_.get()), static_cast<unsigned>(kPieceBytes));
}

void FileBytes::refuse_bomb() const {
  const auto file = static_cast<gzFile>(file_.get());
  if (unpacked_ <= kFreeBytes || gzdirect(file) == 1) return;
  const auto packed = static_cast<std::uint64_t>(gzoffset(file));
  if (unpacked_ / kMostPerByte <= packed) return;
  ErrorFacts facts;
  facts.problem = "the gzip stream unpacks to far more than data do";
  facts.file = path_;
  facts.found = std::to_string(unpacked_ >> 20U) + " MiB out of " + std::to_string((packed >> 10U) + 1) + " KiB so far";
  facts.expected = "at most " + std::to_string(kMostPerByte) + " times its size";
  facts.remedy = "Unpack it (gunzip) and name the unpacked file, if it is meant to be so";
  throw Error(ErrorKind::FileProblem, std::move(facts));
}

std::string_view FileBytes::next() {
  const auto file = static_cast<gzFile>(file_.get());
  errno = 0;
  const int got = gzread(file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  const int read_errno = errno;
  if (got > 0) unpacked_ += static_cast<std::uint64_t>(got);
  refuse_bomb();
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
