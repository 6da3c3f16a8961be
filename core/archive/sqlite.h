// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace mantissa::archive {

/// One connection to an SQLite file. Used by one thread at a time. Every failure is an Error that names the file.
///
/// What a Statement has prepared is kept for the next one of the same text: a statement is prepared once, however often
/// a Statement is made of it.
class Connection {
 public:
  enum class Mode {
    ReadWrite,  ///< creates the file if it is not there
    ReadWriteExisting,
    ReadOnly,
    Immutable,  ///< read-only media: no locks, no side files; the write-ahead log is ignored
  };

  Connection(const std::string& path, Mode mode, std::chrono::milliseconds busy_timeout);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements that return nothing and take no values: the schema and pragmas.
  void execute(const std::string& sql);

  /// First column of the first row of a query without values.
  std::int64_t integer(const std::string& sql);

  /// An archive of an earlier version lacks tables that came later.
  bool has_table(std::string_view name);

  bool is_read_only() const;
  bool in_transaction() const;
  std::int64_t last_row() const;
  const std::string& path() const { return path_; }

  /// The path that the file was opened under, whole and with links followed.
  std::string file() const;

  /// Whether another file, or none, is under that path now. True also where that cannot be told.
  bool has_moved();

  /// Called within every Transaction of this connection, before its first write; where it throws, nothing is written.
  void set_guard(std::function<void()> guard) { guard_ = std::move(guard); }
  void run_guard() const {
    if (guard_) guard_();
  }

  sqlite3* handle() const { return handle_; }

  /// Turns the connection's last failure into the Error it means. Damage is only what SQLite calls damage: busy, full,
  /// out of memory and read-only have kinds of their own.
  [[noreturn]] void fail(int code) const;

  /// The same for a file that is not what it should be. \param place  "table tensors, row 7, column shape"
  [[noreturn]] void fail_damaged(const std::string& problem, const std::string& found = {},
                                 const std::string& place = {}) const;

 private:
  friend class Statement;
  sqlite3_stmt* prepare(std::string_view sql);
  void give_back(sqlite3_stmt* statement) noexcept;

  std::string path_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> idle_;  // by text
  std::function<void()> guard_;
};

/// A prepared statement. Values are bound by position from 1, columns are read by position from 0. Bound text and bytes
/// must live until the next `step` or `run` is done. It does not outlive its connection.
class Statement {
 public:
  /// \throws Error ArchiveDamaged where the file lacks what the statement names: our own SQL is right.
  Statement(Connection& connection, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int position, std::int64_t value);
  Statement& bind(int position, int value) { return bind(position, std::int64_t{value}); }
  Statement& bind(int position, double value);
  Statement& bind(int position, std::string_view text);
  Statement& bind(int position, const char* text) { return bind(position, std::string_view(text)); }
  Statement& bind_bytes(int position, std::string_view bytes);
  Statement& bind_null(int position);
  template <class Value>
  Statement& bind(int position, const std::optional<Value>& value) {
    return value ? bind(position, *value) : bind_null(position);
  }

  /// True while there is a row; after the last one the statement is ready to be bound again.
  bool step();

  /// Runs to the end and makes the statement ready to be bound again.
  void run();

  /// Leaves a row set early.
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  /// Valid until the next step.
  std::string_view bytes(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;

 private:
  Connection& connection_;
  sqlite3_stmt* statement_;
};

/// BEGIN IMMEDIATE, the connection's guard … COMMIT; rolled back where `commit` was not reached.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Connection& connection_;
};

/// BEGIN … ROLLBACK: everything read within it is of one moment.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

 private:
  Connection& connection_;
};

}  // namespace mantissa::archive
