// SPDX-License-Identifier: Apache-2.0
#include "core/archive/case_rows.h"

#include <cstddef>
#include <list>
#include <set>
#include <string>
#include <string_view>

#include "core/archive/real_states.h"
#include "core/archive/value_bytes.h"
#include "core/record/case_columns.h"

namespace mantissa::archive {
namespace {

using record::CaseRow;

#define MANTISSA_COUNT_COLUMN(member, column, type, description) +1
constexpr int kColumns = 0 MANTISSA_CASE_COLUMNS(MANTISSA_COUNT_COLUMN);
#undef MANTISSA_COUNT_COLUMN

std::set<std::string> stored_columns(Connection& connection) {
  std::set<std::string> names;
  Statement select(connection, "SELECT name FROM pragma_table_info('cases')");
  while (select.step()) names.insert(select.text(0));
  return names;
}

// The columns of a task with positions came later than the others: an archive may lack them.
constexpr bool came_later(std::string_view type) { return type == "PositionCount" || type == "PositionReal"; }

/// Adds them where they are missing, so that rows can be inserted.
Connection& with_later_columns(Connection& connection) {
  std::string missing;
  const auto find_missing = [&missing](const std::set<std::string>& stored) {
    missing.clear();
#define MANTISSA_FIND(member, column, type, description)                         \
  if (came_later(#type) && stored.count(#member) == 0) {                         \
    missing += "ALTER TABLE cases ADD COLUMN " #member " ";                      \
    missing += #type == std::string_view("PositionReal") ? "REAL;" : "INTEGER;"; \
  }
    MANTISSA_CASE_COLUMNS(MANTISSA_FIND)
#undef MANTISSA_FIND
  };
  find_missing(stored_columns(connection));
  if (missing.empty()) return connection;
  Transaction transaction(connection);
  find_missing(stored_columns(connection));  // another process may have been first
  connection.execute(missing);
  transaction.commit();
  return connection;
}

std::string insert_sql() {
  std::string sql = "INSERT INTO cases (trial, position, states";
#define MANTISSA_NAME(member, column, type, description) sql += ", " #member;
  MANTISSA_CASE_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  sql += ") VALUES (?, ?, ?";
  for (int i = 0; i < kColumns; ++i) sql += ", ?";
  return sql + ')';
}

// What one row is bound from; the bytes must live until the statement has run.
struct Row {
  Statement& statement;
  RealWriter reals;
  std::list<std::string> bytes;
};

void bind_Text(Row& row, int at, const std::string& value) { row.statement.bind(at, std::string_view(value)); }
void bind_Kind(Row& row, int at, record::CaseKind value) { row.statement.bind(at, record::to_text(value)); }
void bind_Values(Row& row, int at, const std::vector<double>& values) {
  row.statement.bind_bytes(at, row.bytes.emplace_back(bytes_of(values)));
}
void bind_Target(Row& row, int at, const std::vector<double>& values) { bind_Values(row, at, values); }
void bind_Number(Row& row, int at, double value) { row.reals.bind(row.statement, at, value); }
void bind_Real(Row& row, int at, const std::optional<double>& value) { row.reals.bind(row.statement, at, value); }
void bind_OptionalCount(Row& row, int at, const std::optional<std::int64_t>& value) { row.statement.bind(at, value); }
void bind_PositionCount(Row& row, int at, const std::optional<std::int64_t>& value) {
  bind_OptionalCount(row, at, value);
}
void bind_PositionReal(Row& row, int at, const std::optional<double>& value) { bind_Real(row, at, value); }
void bind_Flag(Row& row, int at, bool value) { row.statement.bind(at, value ? 1 : 0); }
void bind_OptionalFlag(Row& row, int at, const std::optional<bool>& value) {
  if (value) {
    bind_Flag(row, at, *value);
  } else {
    row.statement.bind_null(at);
  }
}

std::string read_Text(const Statement& from, int at, RealReader&) { return from.text(at); }
record::CaseKind read_Kind(const Statement& from, int at, RealReader&) {
  return record::case_kind_from_text(from.bytes(at)).value_or(record::CaseKind::Ordinary);
}
std::vector<double> read_Values(const Statement& from, int at, RealReader&) { return values_of(from.bytes(at)); }
std::vector<double> read_Target(const Statement& from, int at, RealReader&) { return values_of(from.bytes(at)); }
double read_Number(const Statement& from, int at, RealReader& reals) { return reals.read(from, at).value_or(0.0); }
std::optional<double> read_Real(const Statement& from, int at, RealReader& reals) { return reals.read(from, at); }
std::optional<std::int64_t> read_OptionalCount(const Statement& from, int at, RealReader&) {
  return from.optional_integer(at);
}
std::optional<std::int64_t> read_PositionCount(const Statement& from, int at, RealReader& reals) {
  return read_OptionalCount(from, at, reals);
}
std::optional<double> read_PositionReal(const Statement& from, int at, RealReader& reals) {
  return read_Real(from, at, reals);
}
bool read_Flag(const Statement& from, int at, RealReader&) { return from.integer(at) != 0; }
std::optional<bool> read_OptionalFlag(const Statement& from, int at, RealReader&) {
  if (from.is_null(at)) return std::nullopt;
  return from.integer(at) != 0;
}

}  // namespace

CaseInsert::CaseInsert(Connection& connection) : statement_(with_later_columns(connection), insert_sql()) {}

void CaseInsert::run(std::int64_t trial, std::int64_t position, const CaseRow& values) {
  Row row{statement_, {}, {}};
  int at = 4;
#define MANTISSA_BIND(member, column, type, description) bind_##type(row, at++, values.member);
  MANTISSA_CASE_COLUMNS(MANTISSA_BIND)
#undef MANTISSA_BIND
  statement_.bind(1, trial).bind(2, position).bind(3, row.reals.states()).run();
}

std::vector<CaseRow> read_cases(Connection& connection, std::int64_t trial) {
  // Rows without the count are what a killed run left half-written.
  const std::set<std::string> stored = stored_columns(connection);
  std::string columns;
#define MANTISSA_NAME(member, column, type, description) columns += stored.count(#member) > 0 ? ", " #member : ", NULL";
  MANTISSA_CASE_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  Statement select(connection, "SELECT states" + columns +
                                   " FROM cases WHERE trial = ?1 AND EXISTS (SELECT 1 FROM trials WHERE id = ?1 AND "
                                   "cases_stored IS NOT NULL) ORDER BY position");
  select.bind(1, trial);
  std::vector<CaseRow> rows;
  while (select.step()) {
    CaseRow& row = rows.emplace_back();
    RealReader reals(select.integer(0));
    int column = 1;
#define MANTISSA_READ(member, name, type, description) row.member = read_##type(select, column++, reals);
    MANTISSA_CASE_COLUMNS(MANTISSA_READ)
#undef MANTISSA_READ
  }
  return rows;
}

}  // namespace mantissa::archive
