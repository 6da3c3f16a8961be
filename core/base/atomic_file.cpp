// SPDX-License-Identifier: Apache-2.0
#include "core/base/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

namespace mantissa {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    throw Error(ErrorKind::FileProblem,
                {"is a folder", path_.string(), 0, 0, "", "", "the name of a file to write", ""});
  }
  temporary_ = path_;
  temporary_ += ".part-" + std::to_string(::getpid());
  stream_ = std::fopen(temporary_.c_str(), "wb");
  if (stream_ == nullptr) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (stream_ != nullptr) std::fclose(stream_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error_number) const {
  if (error_number == ENOSPC || error_number == EDQUOT) {
    throw Error(ErrorKind::DiskFull, {"no space left on the disk", path_.string(), 0, 0, "", "", "",
                                      "Free some space and try again; nothing was changed"});
  }
  const bool given_wrong =
      error_number == ENOENT || error_number == EACCES || error_number == ENOTDIR || error_number == EROFS;
  throw Error(given_wrong ? ErrorKind::FileProblem : ErrorKind::WriteFailed,
              {std::string("cannot be written (") + std::strerror(error_number) + ")", path_.string(), 0, 0, "", "",
               "a folder that exists and can be written", ""});
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail(errno);
}

void AtomicFile::commit() {
  if (std::fflush(stream_) != 0 || ::fsync(::fileno(stream_)) != 0) fail(errno);
  std::FILE* const stream = std::exchange(stream_, nullptr);
  if (std::fclose(stream) != 0) fail(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace mantissa
