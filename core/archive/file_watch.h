// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace mantissa::archive {

class Connection;

/// Notices that the file a connection writes is no longer the one under its path: what is written then is in no file
/// that anybody will open. SQLite does not say so while it writes a log.
///
/// The path is the one that the file was opened under, whole and with links followed: neither another working folder
/// nor a link that points elsewhere now matters. Used by the connection's thread.
class FileWatch {
 public:
  /// `connection` must outlive it.
  explicit FileWatch(Connection& connection);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Looks where the last time is half a second ago (on a network drive each look is a question to its server), or
  /// where the file was not there then. \throws Error WriteFailed as `look_now` does.
  void look();

  /// \throws Error WriteFailed: the file was deleted, moved away or replaced; what is lost stands in its remedy.
  void look_now();

  /// Whether another file stood under the path at the last look.
  bool is_replaced() const { return replaced_; }

  /// Whether no name is left of the file itself: it will not come back.
  bool is_deleted() const;

 private:
  Connection& connection_;
  int file_;  // for its count of links alone; -1 where the system does not give it
  std::chrono::steady_clock::time_point last_look_;
  bool away_ = false;      // at the last look
  bool replaced_ = false;  // the same: by another file
};

}  // namespace mantissa::archive
