// SPDX-License-Identifier: Apache-2.0
#include "core/archive/file_watch.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/archive/sqlite.h"
#include "core/base/error.h"

namespace mantissa::archive {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};

}  // namespace

// O_PATH: closing any other kind of descriptor would take away the locks that SQLite holds on the file.
FileWatch::FileWatch(Connection& connection)
    : connection_(connection), file_(::open(connection.file().c_str(), O_PATH | O_CLOEXEC)) {
  look_now();
}

FileWatch::~FileWatch() {
  if (file_ >= 0) ::close(file_);
}

void FileWatch::look() {
  if (away_ || std::chrono::steady_clock::now() - last_look_ >= kBetweenLooks) look_now();
}

bool FileWatch::is_deleted() const {
  struct stat status {};
  return file_ >= 0 && ::fstat(file_, &status) == 0 && status.st_nlink == 0;
}

void FileWatch::look_now() {
  last_look_ = std::chrono::steady_clock::now();
  away_ = replaced_ = false;
  if (!connection_.has_moved()) return;
  struct stat status {};
  const bool replaced = ::stat(connection_.file().c_str(), &status) == 0;
  // A folder or a server that cannot be asked says nothing about the file.
  if (!replaced && errno != ENOENT && errno != ENOTDIR) return;
  away_ = true;
  replaced_ = replaced;
  const bool deleted = is_deleted();
  std::string problem = replaced ? "another file has taken the archive's place" : "the archive's file was moved away";
  if (deleted && !replaced) problem = "the archive's file was deleted";
  std::string remedy = deleted
                           ? "What it held is lost, this run with it: bring back a backup, or run the experiment again"
                           : "Nothing more is written. Bring it back under its name, beside its log (-wal): it holds "
                             "what was committed, and the run can go on from its last checkpoint";
  if (replaced) remedy += ". Its log is set aside as -wal.replaced, because it is not the other file's";
  throw Error(ErrorKind::WriteFailed,
              {problem + " while a run was writing it", connection_.path(), 0, 0, "", "", "", remedy});
}

}  // namespace mantissa::archive
