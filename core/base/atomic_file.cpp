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
#include "core/base/given_file.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

// As many as the kernel follows (path_resolution(7)).
constexpr int kMostLinks = 40;

bool is_kernel_link(const fs::path& link) { return link.string().rfind("/proc/", 0) == 0; }

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), target_(path_) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::is_directory(status)) {
    throw Error(ErrorKind::FileProblem,
                {"is a folder", path_.string(), 0, 0, "", "", "the name of a file to write", ""});
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    open_in_place();
    return;
  }
  // A link stays a link: what it leads to is replaced, also where that is not there yet.
  for (int links = 0; fs::is_symlink(fs::symlink_status(target_, ignored)); ++links) {
    if (links == kMostLinks) fail(ELOOP);
    // /dev/stdout ends in a link of the kernel to a file that somebody holds open: a new file would not reach them.
    if (is_kernel_link(target_)) {
      open_in_place();
      return;
    }
    const fs::path next = fs::read_symlink(target_, ignored);
    if (next.empty()) fail(EACCES);
    target_ = target_.parent_path() / next;  // `next` alone where it is absolute
  }
  temporary_ = target_;
  temporary_ += ".part-" + std::to_string(::getpid());
  stream_ = std::fopen(temporary_.c_str(), "wbe");
  if (stream_ == nullptr) fail(errno);
  // A file system without permissions has none to keep: no reason to refuse the file.
  struct ::stat old {};
  struct ::stat made {};
  if (::stat(target_.c_str(), &old) == 0 && ::fstat(::fileno(stream_), &made) == 0 && S_ISREG(made.st_mode)) {
    static_cast<void>(::fchmod(::fileno(stream_), old.st_mode & 0777U));
  }
}

void AtomicFile::open_in_place() {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  stream_ = ::fdopen(descriptor, "ab");
  if (stream_ == nullptr) {
    const int error_number = errno;
    ::close(descriptor);
    fail(error_number);
  }
}

AtomicFile::~AtomicFile() {
  if (stream_ != nullptr) std::fclose(stream_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error_number) const {
  if (error_number == EFBIG) {
    throw Error(ErrorKind::DiskFull, {"the file would be larger than this system lets it be", path_.string(), 0, 0, "",
                                      "", "", "Raise the limit (ulimit -f) or write less; nothing was changed"});
  }
  if (is_limit_of_open_files(error_number)) {
    throw Error(ErrorKind::OutOfMemory, {std::string("cannot be written (") + std::strerror(error_number) + ")",
                                         path_.string(), 0, 0, "", "", "", kMoreOpenFiles});
  }
  if (error_number == ENOSPC || error_number == EDQUOT) {
    throw Error(ErrorKind::DiskFull, {"no space left on the disk", path_.string(), 0, 0, "", "", "",
                                      "Free some space and try again; nothing was changed"});
  }
  const bool given_wrong = error_number == ENOENT || error_number == EACCES || error_number == ENOTDIR ||
                           error_number == EROFS || error_number == ELOOP || error_number == ENXIO;
  throw Error(given_wrong ? ErrorKind::FileProblem : ErrorKind::WriteFailed,
              {std::string("cannot be written (") + std::strerror(error_number) + ")", path_.string(), 0, 0, "", "",
               "a folder that exists and can be written", ""});
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail(errno);
}

void AtomicFile::commit() {
  const bool in_place = temporary_.empty();
  if (std::fflush(stream_) != 0) fail(errno);
  if (!in_place && ::fsync(::fileno(stream_)) != 0) fail(errno);  // devices and pipes have none
  std::FILE* const stream = std::exchange(stream_, nullptr);
  if (std::fclose(stream) != 0) fail(errno);
  if (in_place) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace mantissa
