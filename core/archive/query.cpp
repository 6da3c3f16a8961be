// SPDX-License-Identifier: Apache-2.0
#include "core/archive/query.h"

#include <chrono>
#include <optional>
#include <string_view>

#include <sqlite3.h>

#include "core/archive/archive_file.h"
#include "core/archive/sqlite.h"
#include "core/base/error.h"

namespace mantissa::archive {
namespace {

constexpr int kLongestText = 1'000'000;  // bytes of SQL: far beyond what a person writes
constexpr std::chrono::milliseconds kBusyTimeout{5000};

/// What a statement wanted to do that is not reading; empty: nothing.
struct Refused {
  std::string what;
};

std::string words_of(int action, const char* name) {
  const std::string named = name == nullptr ? "" : ' ' + std::string(name);
  switch (action) {
    case SQLITE_ATTACH:
      return "ATTACH reads another file";
    case SQLITE_PRAGMA:
      return "PRAGMA" + named + " changes or tells settings";
    case SQLITE_FUNCTION:
      return "the function" + named + " reaches beyond the archive";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "a transaction is no SELECT";
    default:
      return "it would write" + named;
  }
}

int authorize(void* context, int action, const char* first, const char* second, const char* /*database*/,
              const char* /*view*/) {
  if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE) return SQLITE_OK;
  const std::string_view function = action == SQLITE_FUNCTION && second != nullptr ? second : "";
  if (action == SQLITE_FUNCTION && function != "load_extension") return SQLITE_OK;
  auto& refused = *static_cast<Refused*>(context);
  if (refused.what.empty()) refused.what = words_of(action, action == SQLITE_FUNCTION ? second : first);
  return SQLITE_DENY;
}

/// Blanks and comments compile to nothing.
bool holds_a_statement(sqlite3* handle, const char* sql) {
  while (*sql != '\0') {
    sqlite3_stmt* statement = nullptr;
    const char* rest = sql;
    const int code = sqlite3_prepare_v2(handle, sql, -1, &statement, &rest);
    sqlite3_finalize(statement);
    if (code != SQLITE_OK || statement != nullptr) return true;
    if (rest == sql) return false;
    sql = rest;
  }
  return false;
}

}  // namespace

struct Query::Parts {
  std::unique_ptr<Connection> connection;
  std::optional<ReadTransaction> moment;
  sqlite3_stmt* statement = nullptr;
  std::vector<std::string> columns;
  Refused refused;

  ~Parts() {
    sqlite3_finalize(statement);
    moment.reset();
    if (connection) {
      const std::string path = connection->path();
      connection.reset();
      take_away_side_files(path);
    }
  }

  [[noreturn]] void refuse(const std::string& problem, int place, const std::string& remedy) const {
    throw Error(ErrorKind::InvalidSetting, {problem, "", 0, place, "query", "", "", remedy});
  }

  void prepare(const std::string& sql);
};

void Query::Parts::prepare(const std::string& sql) {
  sqlite3* const handle = connection->handle();
  if (sql.size() > kLongestText) refuse("the SQL has more than " + std::to_string(kLongestText) + " bytes", 0, "");
  if (sql.find('\0') != std::string::npos) refuse("the SQL holds a byte 0", int(sql.find('\0')) + 1, "");
  sqlite3_set_authorizer(handle, &authorize, &refused);
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(handle, sql.c_str(), int(sql.size()), 0, &statement, &tail);
  if (!refused.what.empty()) refuse("a query only reads: " + refused.what, 0, "Write one SELECT");
  if (code == SQLITE_ERROR) {
    const int offset = sqlite3_error_offset(handle);
    refuse(sqlite3_errmsg(handle), offset < 0 ? 0 : offset + 1,
           "The views to read from are told by mantissa-cli help query");
  }
  if (code != SQLITE_OK) connection->fail(code);
  if (statement == nullptr && !holds_a_statement(handle, tail)) refuse("there is no statement", 0, "Write one SELECT");
  if (holds_a_statement(handle, tail)) {
    refuse("there is more than one statement", int(tail - sql.c_str()) + 1, "Write one SELECT");
  }
  if (sqlite3_stmt_readonly(statement) == 0 || sqlite3_column_count(statement) == 0) {
    refuse("a query only reads", 0, "Write one SELECT");
  }
  if (sqlite3_bind_parameter_count(statement) > 0) {
    refuse("the SQL has a parameter that has no value", 0, "Write the value in its place");
  }
  for (int i = 0; i < sqlite3_column_count(statement); ++i) columns.emplace_back(sqlite3_column_name(statement, i));
}

Query::Query(const std::string& archive, const std::string& sql) : parts_(std::make_unique<Parts>()) {
  parts_->connection = open_for_reading(archive, kBusyTimeout);
  parts_->moment.emplace(*parts_->connection);
  parts_->prepare(sql);
}

Query::~Query() {
  // The rollback that ends the moment is a statement, too.
  if (parts_->connection) sqlite3_set_authorizer(parts_->connection->handle(), nullptr, nullptr);
}

const std::vector<std::string>& Query::columns() const { return parts_->columns; }

bool Query::next() {
  const int code = sqlite3_step(parts_->statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* const handle = parts_->connection->handle();
  const int kind = code & 0xff;
  const bool is_of_the_sql = kind == SQLITE_ERROR || kind == SQLITE_TOOBIG || kind == SQLITE_MISMATCH;
  if (kind == SQLITE_INTERRUPT) parts_->refuse("the query was interrupted", 0, "");
  if (is_of_the_sql) parts_->refuse(sqlite3_errmsg(handle), 0, "");
  parts_->connection->fail(code);
}

Query::Value Query::value(std::size_t column) const {
  const int place = static_cast<int>(column);
  const auto text = [&] {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(parts_->statement, place));
    const int size = sqlite3_column_bytes(parts_->statement, place);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
  };
  switch (sqlite3_column_type(parts_->statement, place)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(parts_->statement, place)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(parts_->statement, place);
    case SQLITE_TEXT:
      return text();
    case SQLITE_BLOB:
      return Bytes{text()};
    default:
      return std::monostate();
  }
}

void Query::interrupt() { sqlite3_interrupt(parts_->connection->handle()); }

std::vector<std::string> documented_views(const std::string& archive) {
  Query views(archive, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name");
  std::vector<std::string> names;
  while (views.next()) names.push_back(std::get<std::string>(views.value(0)));
  return names;
}

}  // namespace mantissa::archive
