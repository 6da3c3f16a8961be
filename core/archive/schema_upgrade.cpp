// SPDX-License-Identifier: Apache-2.0
#include "core/archive/schema_upgrade.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/clock.h"
#include "core/archive/schema.h"
#include "core/archive/sqlite.h"

namespace mantissa::archive {
namespace {

struct Part {
  std::string name;
  std::string sql;
};

struct Column {
  std::string name;
  std::string type;
  bool required = false;
};

// In the order in which they were made. What SQLite makes by itself has no SQL.
std::vector<Part> parts_of(Connection& connection, const char* type) {
  Statement select(
      connection,
      "SELECT name, sql FROM sqlite_schema WHERE type = ?1 AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
      "ORDER BY rowid");
  select.bind(1, type);
  std::vector<Part> parts;
  while (select.step()) parts.push_back({select.text(0), select.text(1)});
  return parts;
}

std::vector<Column> columns_of(Connection& connection, const std::string& table) {
  Statement select(connection, "SELECT name, type, \"notnull\" FROM pragma_table_info(?1)");
  select.bind(1, std::string_view(table));
  std::vector<Column> columns;
  while (select.step()) columns.push_back({select.text(0), select.text(1), select.integer(2) != 0});
  return columns;
}

template <class Named>
bool has(const std::vector<Named>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&name](const Named& one) { return one.name == name; });
}

// The rows that are there need a value in a column that must have one.
std::string empty_value(const std::string& type) {
  if (type == "TEXT") return "''";
  return type == "BLOB" ? "x''" : "0";
}

void add_missing_columns(Connection& connection, Connection& wanted, const std::string& table) {
  const std::vector<Column> there = columns_of(connection, table);
  for (const Column& column : columns_of(wanted, table)) {
    if (has(there, column.name)) continue;
    std::string sql = "ALTER TABLE " + table + " ADD COLUMN " + column.name + ' ' + column.type;
    if (column.required) sql += " NOT NULL DEFAULT " + empty_value(column.type);
    connection.execute(sql);
  }
}

// Views hold nothing: they are made anew, over the new columns.
void remove_views(Connection& connection, const std::vector<Part>& views) {
  for (const Part& view : views) connection.execute("DROP VIEW IF EXISTS " + view.name);
}

void add_what_is_missing(Connection& connection) {
  Connection wanted(":memory:", Connection::Mode::ReadWrite, std::chrono::milliseconds(0));
  wanted.execute(schema_sql());
  const std::vector<Part> views = parts_of(wanted, "view");
  remove_views(connection, views);
  const std::vector<Part> tables = parts_of(connection, "table");
  for (const Part& table : parts_of(wanted, "table")) {
    if (has(tables, table.name)) {
      add_missing_columns(connection, wanted, table.name);
    } else {
      connection.execute(table.sql);
    }
  }
  const std::vector<Part> indices = parts_of(connection, "index");
  for (const Part& index : parts_of(wanted, "index")) {
    if (!has(indices, index.name)) connection.execute(index.sql);
  }
  for (const Part& view : views) connection.execute(view.sql);
}

std::int64_t schema_of(Connection& connection) { return connection.integer("PRAGMA user_version"); }

}  // namespace

void upgrade_schema(Connection& connection) {
  if (schema_of(connection) >= kSchemaNumber) return;
  Transaction transaction(connection);
  const std::int64_t before = schema_of(connection);  // another process may have been first
  if (before < kSchemaNumber) {
    add_what_is_missing(connection);
    Statement insert(connection, "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)");
    const std::string key = "upgraded_from_" + std::to_string(before) + "_at";
    const std::string now = utc_text(utc_now());
    insert.bind(1, std::string_view(key)).bind(2, std::string_view(now)).run();
    connection.execute("PRAGMA user_version = " + std::to_string(kSchemaNumber));
  }
  transaction.commit();
}

void add_table(Connection& connection, std::string_view name) {
  if (has_table(connection, name)) return;
  Connection wanted(":memory:", Connection::Mode::ReadWrite, std::chrono::milliseconds(0));
  wanted.execute(schema_sql());
  for (const Part& table : parts_of(wanted, "table")) {
    if (table.name == name) connection.execute(table.sql);
  }
}

}  // namespace mantissa::archive
