// SPDX-License-Identifier: Apache-2.0
#include "core/archive/archive_file.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "core/archive/schema.h"
#include "core/archive/schema_upgrade.h"
#include "core/base/error.h"

namespace mantissa::archive {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kPermissionRemedy[] =
    "Give write permission to the file and its folder, or use --archive with another place";

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void refuse_what_is_no_file(const std::string& path, const fs::file_status& status) {
  if (fs::is_directory(status)) {
    throw Error(ErrorKind::FileProblem, {"is a folder", path, 0, 0, "", "", "the name of an archive file", ""});
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorKind::FileProblem,
                {"is not a regular file", path, 0, 0, "", "", "the name of an archive file", ""});
  }
}

// A folder that is made without asking hides a mistyped path.
void require_folder(const std::string& path) {
  std::error_code code;
  const fs::path folder = folder_of(path);
  if (fs::is_directory(folder, code)) return;
  if (code == std::errc::permission_denied) {
    throw Error(ErrorKind::ArchiveReadOnly,
                {"the archive's folder cannot be reached", folder.string(), 0, 0, "", "", "", kPermissionRemedy});
  }
  throw Error(ErrorKind::FileProblem, {"the folder of the archive does not exist", folder.string(), 0, 0, "", "",
                                       "a folder that exists", "Make it, or name the archive with another path"});
}

void refuse_what_cannot_be_written(const std::string& path, bool exists) {
  // SQLite would open such a file without a word, for reading only.
  if (exists && ::access(path.c_str(), R_OK | W_OK) != 0) {
    throw Error(ErrorKind::ArchiveReadOnly,
                {"the archive cannot be written", path, 0, 0, "", "", "", kPermissionRemedy});
  }
  if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) {
    throw Error(ErrorKind::ArchiveReadOnly,
                {"the archive's folder cannot be written", path, 0, 0, "", "", "", kPermissionRemedy});
  }
}

// The change of the journal needs the file alone for a moment and does not wait by itself.
void use_write_ahead_log(Connection& connection, std::chrono::milliseconds busy_timeout) {
  const Clock::time_point deadline = Clock::now() + busy_timeout;
  for (;;) {
    try {
      connection.execute("PRAGMA journal_mode = WAL");
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::ArchiveLocked || Clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool has_content(const std::string& path) {
  std::error_code code;
  const auto size = fs::file_size(path, code);
  return !code && size > 0;
}

bool has_pending_log(const std::string& path) { return has_content(path + "-wal"); }

/// Whether SQLite wrote it. https://www.sqlite.org/fileformat.html, 3: the first eight bytes of a rollback journal.
bool is_journal(const std::string& path) {
  constexpr std::array<unsigned char, 8> kMagic = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  std::array<char, kMagic.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return file && std::memcmp(begin.data(), kMagic.data(), kMagic.size()) == 0;
}

/// An archive has a journal only while it is made: beside a finished one it was left by something else, and keeps
/// readers away from the log.
void refuse_a_journal(const std::string& path) {
  const std::string journal = path + "-journal";
  if (!has_content(journal)) return;
  const std::string name = fs::path(journal).filename().string();
  if (is_journal(journal)) {
    throw Error(ErrorKind::FileProblem,
                {"an unfinished change lies beside the archive (-journal), which a reader cannot take back", path, 0, 0,
                 "", name, "",
                 "Keep a copy of the archive and of the files beside it, then open it with a program that writes, such "
                 "as sqlite3 or mantissa-cli run"});
  }
  throw Error(ErrorKind::FileProblem,
              {"beside the archive lies a file with the name of its journal that SQLite did not write, and it keeps "
               "the archive from being read",
               path, 0, 0, "", name, "", "Move " + name + " to another folder: the archive holds nothing in it"});
}

// SQLite notices lost pages, but takes a last page that is cut for one that ends in zeros.
void refuse_a_cut_file(Connection& connection) {
  if (has_pending_log(connection.path())) return;  // a writer may be extending the file at this moment
  std::error_code code;
  const auto size = static_cast<std::int64_t>(fs::file_size(connection.path(), code));
  if (!code && size % connection.integer("PRAGMA page_size") != 0) {
    connection.fail_damaged("the archive is cut short", std::to_string(size) + " bytes");
  }
}

std::unique_ptr<Connection> connect_for_reading(const std::string& path, Connection::Mode mode,
                                                std::chrono::milliseconds busy_timeout) {
  auto connection = std::make_unique<Connection>(path, mode, busy_timeout);
  connection->execute("PRAGMA query_only = ON");
  check_for_reading(*connection);
  refuse_a_cut_file(*connection);
  return connection;
}

// SQLite puts its side files beside whatever it opens, and a reader cannot take them away again. A file that will be
// refused anyway is looked at without them: with nothing beside it, it holds all there is.
void refuse_without_a_trace(const std::string& path, std::chrono::milliseconds busy_timeout) {
  const auto is_alone = [&path] { return !has_pending_log(path) && !has_content(path + "-journal"); };
  if (!is_alone()) return;
  try {
    connect_for_reading(path, Connection::Mode::Immutable, busy_timeout);
  } catch (const Error&) {
    if (is_alone()) throw;  // otherwise a writer has come: the file alone was not the truth
  }
}

std::unique_ptr<Connection> connect_for_writing(const std::string& path, std::chrono::milliseconds busy_timeout) {
  auto connection = std::make_unique<Connection>(path, Connection::Mode::ReadWrite, busy_timeout);
  create_or_check_for_writing(*connection);
  refuse_a_cut_file(*connection);
  // The permissions were tried above: what is left is a header that claims a format nobody writes.
  if (connection->is_read_only()) connection->fail_damaged("the archive's header is damaged");
  upgrade_schema(*connection);
  use_write_ahead_log(*connection, busy_timeout);
  // A power cut may cost the last commits, never the file. The end of an arm is written with FULL.
  connection->execute("PRAGMA synchronous = NORMAL");
  connection->execute("PRAGMA wal_autocheckpoint = 4096");  // 16 MiB: a quarter of the default's syncs
  connection->execute("PRAGMA journal_size_limit = 67108864");
  return connection;
}

}  // namespace

std::unique_ptr<Connection> open_for_writing(const std::string& path, std::chrono::milliseconds busy_timeout) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  refuse_what_is_no_file(path, status);
  require_folder(path);
  refuse_what_cannot_be_written(path, fs::exists(status));
  try {
    return connect_for_writing(path, busy_timeout);
  } catch (const Error& error) {
    // No space even for the schema: leave no empty file behind.
    if (error.kind() == ErrorKind::DiskFull && !fs::exists(status) && fs::file_size(path, ignored) == 0) {
      fs::remove(path, ignored);
    }
    throw;
  }
}

std::unique_ptr<Connection> open_for_reading(const std::string& path, std::chrono::milliseconds busy_timeout) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  refuse_what_is_no_file(path, status);
  if (!fs::exists(status)) {
    throw Error(ErrorKind::FileProblem,
                {"no such archive", path, 0, 0, "", "", "", "Check --archive, or run an experiment first"});
  }
  if (::access(path.c_str(), R_OK) != 0) {
    throw Error(ErrorKind::FileProblem,
                {"the archive cannot be read", path, 0, 0, "", "", "", "Give read permission to it"});
  }
  refuse_without_a_trace(path, busy_timeout);
  try {
    return connect_for_reading(path, Connection::Mode::ReadOnly, busy_timeout);
  } catch (const Error& error) {
    // Where no side file can be made (read-only media), nobody writes either: the file alone is the truth, unless a log
    // lies beside it that only a writer can fold in.
    const bool cannot_share = error.kind() == ErrorKind::ArchiveReadOnly || error.kind() == ErrorKind::FileProblem;
    if (!cannot_share) throw;
    if (has_pending_log(path) || is_journal(path + "-journal")) refuse_a_journal(path);
    if (has_pending_log(path)) {
      if (::access(folder_of(path).c_str(), W_OK | X_OK) == 0) throw;
      throw Error(ErrorKind::ArchiveReadOnly,
                  {"the archive has unmerged records beside it (-wal) and its folder cannot be written", path, 0, 0, "",
                   "", "", "Copy the archive and its -wal file to a folder that can be written, and read it there"});
    }
  }
  return connect_for_reading(path, Connection::Mode::Immutable, busy_timeout);
}

void take_away_side_files(const std::string& path) noexcept {
  try {
    std::error_code ignored;
    const bool are_there = fs::exists(path + "-wal", ignored) || fs::exists(path + "-shm", ignored);
    if (!are_there || has_pending_log(path) || ::access(folder_of(path).c_str(), W_OK | X_OK) != 0) return;
    // The last connection that may write takes them away when it closes, and SQLite knows whether it is the last.
    Connection connection(path, Connection::Mode::ReadWriteExisting, std::chrono::milliseconds(0));
    connection.integer("SELECT count(*) FROM sqlite_schema");
  } catch (const std::exception&) {
    // They do no harm.
  }
}

}  // namespace mantissa::archive
