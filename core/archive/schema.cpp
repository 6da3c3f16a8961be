// SPDX-License-Identifier: Apache-2.0
#include "core/archive/schema.h"

#include <cstddef>
#include <string_view>

#include "core/archive/clock.h"
#include "core/archive/sqlite.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/record/case_columns.h"
#include "core/record/step_columns.h"

namespace mantissa::archive {

extern const char* const kSchemaFile;  // schema.cpp.in

namespace {

namespace sql_types {
constexpr char Count[] = "INTEGER NOT NULL";
constexpr char Flag[] = "INTEGER NOT NULL";
constexpr char Cause[] = "TEXT NOT NULL";
constexpr char Kind[] = "TEXT NOT NULL";
constexpr char Text[] = "TEXT NOT NULL";
constexpr char Real[] = "REAL";
constexpr char Number[] = "REAL";
constexpr char OptionalCount[] = "INTEGER";
constexpr char OptionalFlag[] = "INTEGER";
constexpr char PositionCount[] = "INTEGER";
constexpr char PositionReal[] = "REAL";
constexpr char Target[] = "BLOB NOT NULL";
constexpr char Values[] = "BLOB NOT NULL";
}  // namespace sql_types

std::string column_line(std::string_view name, std::string_view type, std::string_view description) {
  std::string line = "  ";
  line += name;
  line += ' ';
  line += type;
  line += ",  -- ";
  line += description;
  line += '\n';
  return line;
}

std::string step_columns() {
  std::string lines;
#define MANTISSA_LINE(name, type, description) lines += column_line(#name, sql_types::type, description);
  MANTISSA_STEP_COLUMNS(MANTISSA_LINE)
#undef MANTISSA_LINE
  return lines;
}

std::string optimizer_columns() {
  std::string lines;
#define MANTISSA_LINE(name, type, description) lines += column_line(#name, sql_types::type, description);
  MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_LINE)
#undef MANTISSA_LINE
  return lines;
}

std::string case_columns() {
  std::string lines;
#define MANTISSA_LINE(member, column, type, description) lines += column_line(#member, sql_types::type, description);
  MANTISSA_CASE_COLUMNS(MANTISSA_LINE)
#undef MANTISSA_LINE
  return lines;
}

bool is_real(std::string_view sql_type) { return sql_type == sql_types::Real; }

// The two bits of the real column number `place` of a table as an expression: "(states >> 4 & 3)".
std::string state_expression(int place) { return "(states >> " + std::to_string(2 * place) + " & 3)"; }

std::string step_state(std::string_view wanted) {
  int reals = 0;
  std::string expression;
#define MANTISSA_STATE(name, type, description)                \
  if (is_real(sql_types::type)) {                              \
    if (wanted == #name) expression = state_expression(reals); \
    ++reals;                                                   \
  }
  MANTISSA_STEP_COLUMNS(MANTISSA_STATE)
#undef MANTISSA_STATE
  return expression;
}

// The columns of a table for a view: every column, and for a real one its state in words beside it.
class ValueLines {
 public:
  void add(const std::string& name, bool real) {
    if (!lines_.empty()) lines_ += ",\n";
    lines_ += "  " + name;
    if (!real) return;
    lines_ += ",\n  CASE WHEN " + name + " IS NOT NULL THEN 'finite' ELSE CASE " + state_expression(reals_++) +
              " WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS " +
              name + "_state";
  }
  std::string text() const { return lines_ + '\n'; }

 private:
  std::string lines_;
  int reals_ = 0;
};

std::string step_values() {
  ValueLines lines;
#define MANTISSA_VALUE(name, type, description) lines.add(#name, is_real(sql_types::type));
  MANTISSA_STEP_COLUMNS(MANTISSA_VALUE)
#undef MANTISSA_VALUE
  return lines.text();
}

std::string optimizer_values() {
  ValueLines lines;
#define MANTISSA_VALUE(name, type, description) lines.add(#name, is_real(sql_types::type));
  MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_VALUE)
#undef MANTISSA_VALUE
  return lines.text();
}

void replace_all(std::string& text, std::string_view mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
}

// What the file says about itself.
struct Identity {
  std::int64_t application = 0;
  std::int64_t schema = 0;
  bool empty = false;  // an SQLite file without anything in it, or no bytes at all
};

Identity identity_within_transaction(Connection& connection) {
  Identity identity;
  identity.application = connection.integer("PRAGMA application_id");
  identity.schema = connection.integer("PRAGMA user_version");
  identity.empty = identity.application == 0 && identity.schema == 0 &&
                   connection.integer("SELECT count(*) FROM sqlite_schema") == 0;
  return identity;
}

// All facts from one moment: between two statements another process may have made the schema.
Identity identity_of(Connection& connection) {
  ReadTransaction transaction(connection);
  return identity_within_transaction(connection);
}

void check(Connection& connection, const Identity& identity) {
  if (identity.application != kApplicationId) {
    connection.fail_damaged("an SQLite file, but not a Mantissa archive (its application_id says so)");
  }
  Statement statement(connection, "SELECT value FROM meta WHERE key = 'minimum_reader'");
  const auto needed = statement.step() ? integer_from_text(statement.text(0)) : std::nullopt;
  if (!needed || identity.schema < 1) connection.fail_damaged("the archive lost the number of its schema");
  if (*needed > kSchemaNumber) {
    throw Error(
        ErrorKind::ArchiveNewer,
        {"written by a newer Mantissa", connection.path(), 0, 0, "", "minimum reader " + std::to_string(*needed),
         "minimum reader " + std::to_string(kSchemaNumber) + " or lower",
         "Use a version of Mantissa that reads schema " + std::to_string(*needed) + " or later"});
  }
}

void create(Connection& connection) {
  // Another process may be at the same point: the one that gets the lock second finds the schema there.
  Transaction transaction(connection);
  if (identity_within_transaction(connection).empty) {
    connection.execute(schema_sql());
    Statement insert(connection, "INSERT INTO meta (key, value) VALUES (?1, ?2)");
    const std::string minimum = std::to_string(kMinimumReader);
    const std::string now = utc_text(utc_now());
    insert.bind(1, "minimum_reader").bind(2, minimum).run();
    insert.bind(1, "created_by").bind(2, "mantissa " MANTISSA_VERSION).run();
    insert.bind(1, "created_at").bind(2, now).run();
    // In the same transaction: the numbers stand in the file's header and roll back with it.
    connection.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
    connection.execute("PRAGMA user_version = " + std::to_string(kSchemaNumber));
  }
  transaction.commit();
}

}  // namespace

std::string schema_sql() {
  std::string text = kSchemaFile;
  // The introduction names the marks: only what stands on a line of its own, or in an expression, is one.
  replace_all(text, "\n@step_columns@\n", '\n' + step_columns());
  replace_all(text, "\n@optimizer_columns@\n", '\n' + optimizer_columns());
  replace_all(text, "\n@case_columns@\n", '\n' + case_columns());
  replace_all(text, "\n@step_values@\n", '\n' + step_values());
  replace_all(text, "\n@optimizer_values@\n", '\n' + optimizer_values());
  replace_all(text, "@state(loss)@ <>", step_state("loss") + " <>");
  return text;
}

void create_or_check_for_writing(Connection& connection) {
  Identity identity = identity_of(connection);
  if (identity.empty) {
    create(connection);
    identity = identity_of(connection);
  }
  check(connection, identity);
  if (identity.schema > kSchemaNumber) {
    throw Error(ErrorKind::ArchiveNewer,
                {"written by a newer Mantissa; this version may read it but not write it", connection.path(), 0, 0, "",
                 "schema " + std::to_string(identity.schema), "schema " + std::to_string(kSchemaNumber),
                 "Use the newer version, or --archive with another file"});
  }
}

void check_for_reading(Connection& connection) {
  const Identity identity = identity_of(connection);
  if (identity.empty) connection.fail_damaged("an empty file, not a Mantissa archive");
  check(connection, identity);
}

bool has_table(Connection& connection, std::string_view name) {
  Statement select(connection, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1");
  select.bind(1, name);
  return select.step();
}

}  // namespace mantissa::archive
