// SPDX-License-Identifier: Apache-2.0
#include "core/archive/sqlite.h"

#include <cerrno>
#include <cstring>
#include <new>

#include <sqlite3.h>

#include "core/archive/file_size_limit.h"
#include "core/base/error.h"
#include "core/base/given_file.h"

namespace mantissa::archive {
namespace {

// A path as a URI: everything that has a meaning there is escaped.
std::string uri_of(const std::string& path, const char* parameters) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri = path.rfind('/', 0) == 0 ? "file://" : "file:";  // an authority that is empty: "//x" is a path too
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '%' || byte == '?' || byte == '#') {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri + parameters;
}

// Why the system refused. SQLite forgets it of a write into the WAL; the file itself remembers.
int system_error(sqlite3* handle) {
  if (handle == nullptr) return 0;
  if (const int number = sqlite3_system_errno(handle); number != 0) return number;
  for (const int pointer : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(handle, "main", pointer, &file) != SQLITE_OK || file == nullptr) continue;
    int number = 0;
    if (file->pMethods != nullptr &&
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK && number != 0) {
      return number;
    }
  }
  return 0;
}

// After a full disk SQLite has rolled back already. Nothing more can be done where ROLLBACK itself fails.
void roll_back(const Connection& connection) {
  if (connection.in_transaction()) sqlite3_exec(connection.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace

Connection::Connection(const std::string& path, Mode mode, std::chrono::milliseconds busy_timeout) : path_(path) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  const bool writes = mode == Mode::ReadWrite || mode == Mode::ReadWriteExisting;
  flags |= writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (mode == Mode::ReadWrite) flags |= SQLITE_OPEN_CREATE;
  const std::string uri = uri_of(path, mode == Mode::Immutable ? "?immutable=1" : "");
  const int code = sqlite3_open_v2(uri.c_str(), &handle_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_busy_timeout(handle_, static_cast<int>(busy_timeout.count()));
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    // The schema of a foreign file must not run functions of ours; damaged cells are refused before they are used.
    execute("PRAGMA trusted_schema = OFF");
    execute("PRAGMA cell_size_check = ON");
    execute("PRAGMA foreign_keys = ON");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Connection::~Connection() {
  for (const auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

sqlite3_stmt* Connection::prepare(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end()) {
    sqlite3_stmt* const statement = found->second;
    idle_.erase(found);
    return statement;
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return statement;
}

void Connection::give_back(sqlite3_stmt* statement) noexcept {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  try {
    if (idle_.emplace(sqlite3_sql(statement), statement).second) return;
  } catch (const std::bad_alloc&) {
    // It is prepared again.
  }
  sqlite3_finalize(statement);
}

void Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Connection::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

bool Connection::has_table(std::string_view name) {
  Statement select(*this, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1");
  return select.bind(1, name).step();
}

bool Connection::is_read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }
bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
std::int64_t Connection::last_row() const { return sqlite3_last_insert_rowid(handle_); }

std::string Connection::file() const {
  const char* const name = sqlite3_db_filename(handle_, "main");
  return name == nullptr ? std::string() : name;
}

bool Connection::has_moved() {
  int moved = 0;
  return sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

void Connection::fail(int code) const {
  const int os_error = system_error(handle_);
  const std::string said = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  const auto raise = [this](ErrorKind kind, std::string problem, std::string found, std::string remedy) {
    throw Error(kind, {std::move(problem), path_, 0, 0, "", std::move(found), "", std::move(remedy)});
  };
  const bool no_space = os_error == ENOSPC || os_error == EDQUOT;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      raise(ErrorKind::ArchiveLocked, "another program holds the archive locked", "",
            "Wait for it to end or close it, then try again");
      break;
    case SQLITE_FULL:
      raise(ErrorKind::DiskFull, "no space left for the archive", "",
            "Free some space and try again; everything committed is intact");
      break;
    case SQLITE_NOMEM:
      raise(ErrorKind::OutOfMemory, "not enough memory to read or write the archive", "", "");
      break;
    case SQLITE_IOERR:
      if (os_error == EFBIG) {
        raise(ErrorKind::DiskFull, kFileSizeLimit, "",
              "Raise the limit (ulimit -f) and try again; everything committed is intact");
      }
      if (no_space) {
        raise(ErrorKind::DiskFull, "no space left for the archive", "",
              "Free some space and try again; everything committed is intact");
      }
      if (code == SQLITE_IOERR_NOMEM) raise(ErrorKind::OutOfMemory, "not enough memory for the archive", "", "");
      if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_CORRUPTFS) fail_damaged("the archive is cut short");
      if (os_error == EROFS) raise(ErrorKind::ArchiveReadOnly, "the archive cannot be written", "", "");
      raise(ErrorKind::WriteFailed, "the disk refused to read or write the archive",
            os_error != 0 ? std::strerror(os_error) : said, "");
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      if (code == SQLITE_READONLY_DBMOVED) {
        raise(ErrorKind::FileProblem, "the archive was moved or deleted while it was in use", "", "");
      }
      raise(ErrorKind::ArchiveReadOnly, "the archive cannot be written", "",
            "Give write permission to the file and its folder, or use --archive with another place");
      break;
    case SQLITE_CANTOPEN:
      if (is_limit_of_open_files(os_error)) {
        raise(ErrorKind::OutOfMemory, "the archive cannot be opened", std::strerror(os_error), kMoreOpenFiles);
      }
      if (no_space) raise(ErrorKind::DiskFull, "no space left for the archive", "", "Free some space and try again");
      if (os_error == EACCES || os_error == EROFS || os_error == EPERM) {
        raise(ErrorKind::ArchiveReadOnly, "the archive or its folder cannot be written", std::strerror(os_error),
              "Give write permission to the file and its folder, or use --archive with another place");
      }
      raise(ErrorKind::FileProblem, "the archive cannot be opened", os_error != 0 ? std::strerror(os_error) : said, "");
      break;
    case SQLITE_NOTADB:
      fail_damaged("not a Mantissa archive, or one with a damaged header");
      break;
    case SQLITE_CORRUPT:
      fail_damaged("the archive is damaged", said);
      break;
    case SQLITE_CONSTRAINT:
      raise(ErrorKind::CallOrder, "the archive refused a row", said, "");
      break;
    case SQLITE_ERROR:
      fail_damaged("the archive lacks something that it should hold", said);
      break;
    default:
      raise(ErrorKind::WriteFailed, "the archive failed", said, "");
      break;
  }
  throw Error(ErrorKind::WriteFailed, {"the archive failed", path_, 0, 0, "", said, "", ""});
}

void Connection::fail_damaged(const std::string& problem, const std::string& found, const std::string& place) const {
  throw Error(ErrorKind::ArchiveDamaged,
              {problem, path_, 0, 0, place, found, "", "Use a backup, or --archive with another file"});
}

Statement::Statement(Connection& connection, std::string_view sql)
    : connection_(connection), statement_(connection.prepare(sql)) {}

Statement::~Statement() { connection_.give_back(statement_); }

Statement& Statement::bind(int position, std::int64_t value) {
  sqlite3_bind_int64(statement_, position, value);
  return *this;
}

Statement& Statement::bind(int position, double value) {
  sqlite3_bind_double(statement_, position, value);
  return *this;
}

Statement& Statement::bind(int position, std::string_view text) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* const address = text.empty() ? "" : text.data();
  const int code = sqlite3_bind_text64(statement_, position, address, text.size(), SQLITE_STATIC,
                                       static_cast<unsigned char>(SQLITE_UTF8));
  if (code != SQLITE_OK) connection_.fail(code);
  return *this;
}

Statement& Statement::bind_bytes(int position, std::string_view bytes) {
  const char* const address = bytes.empty() ? "" : bytes.data();
  const int code = sqlite3_bind_blob64(statement_, position, address, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) connection_.fail(code);
  return *this;
}

Statement& Statement::bind_null(int position) {
  sqlite3_bind_null(statement_, position);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    try {
      connection_.fail(code);
    } catch (...) {
      sqlite3_reset(statement_);  // after the message was read: reset may replace it
      throw;
    }
  }
  sqlite3_reset(statement_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() { sqlite3_reset(statement_); }

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::string_view Statement::bytes(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection.execute("BEGIN IMMEDIATE");
  try {
    connection.run_guard();
  } catch (...) {
    roll_back(connection);
    throw;
  }
}

Transaction::~Transaction() { roll_back(connection_); }

void Transaction::commit() { connection_.execute("COMMIT"); }

ReadTransaction::ReadTransaction(Connection& connection) : connection_(connection) { connection.execute("BEGIN"); }

ReadTransaction::~ReadTransaction() { roll_back(connection_); }

}  // namespace mantissa::archive
