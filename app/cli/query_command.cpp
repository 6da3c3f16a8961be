// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/query.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text_list.h"
#include "core/report/table_writer.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

using archive::Query;

constexpr char kDigits[] = "0123456789abcdef";

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

/// The members of a JSON object, and the columns of a CSV, must be told apart.
void refuse_double_columns(const std::vector<std::string>& columns) {
  std::set<std::string> seen;
  for (const std::string& column : columns) {
    if (seen.insert(column).second) continue;
    throw Error(ErrorKind::InvalidSetting, {"two columns are called alike", "", 0, 0, "query", "'" + column + "'",
                                            "names that differ", "Write AS and another name behind one of them"});
  }
}

void write_value(report::TableWriter& writer, const Query::Value& value) {
  if (const auto* const number = std::get_if<double>(&value)) {
    writer.number(*number);
  } else if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    writer.integer(*integer);
  } else if (const auto* const text = std::get_if<std::string>(&value)) {
    writer.text(*text);
  } else if (const auto* const bytes = std::get_if<Query::Bytes>(&value)) {
    writer.text(hexadecimal(bytes->bytes));
  } else {
    writer.missing();
  }
}

std::string cell_of(const Query::Value& value) {
  if (const auto* const number = std::get_if<double>(&value)) return to_text(*number);
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  if (const auto* const bytes = std::get_if<Query::Bytes>(&value)) return hexadecimal(bytes->bytes);
  return "";
}

void write(Program& program, Query& query, report::TableFormat format) {
  refuse_double_columns(query.columns());
  report::TableWriter writer(format, query.columns(),
                             [&program](std::string_view bytes) { program.console.result(bytes); });
  while (query.next()) {
    for (std::size_t column = 0; column < query.columns().size(); ++column) write_value(writer, query.value(column));
    writer.end_row();
  }
  writer.finish();
}

void write_for_people(Program& program, Query& query) {
  std::vector<std::vector<std::string>> rows;
  std::vector<report::Table::Column> columns;
  for (const std::string& name : query.columns()) columns.push_back({name, report::Table::Align::Left});
  while (query.next()) {
    std::vector<std::string> cells;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const Query::Value value = query.value(column);
      if (std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value)) {
        columns[column].align = report::Table::Align::Right;
      }
      cells.push_back(cell_of(value));
    }
    rows.push_back(std::move(cells));
  }
  report::Table table(columns);
  for (std::vector<std::string>& row : rows) table.add_row(std::move(row));
  program.console.result_for_people(table.text());
  program.console.message(rows.size() == 1 ? "1 row" : std::to_string(rows.size()) + " rows");
}

int query(Program& program, const std::string& sql, const std::string& format) {
  const std::string archive = program.existing_archive();
  Query rows(archive, sql);
  if (format == "csv") {
    write(program, rows, report::TableFormat::Csv);
  } else if (format == "json" || (format.empty() && program.json)) {
    write(program, rows, report::TableFormat::Json);
  } else {
    write_for_people(program, rows);
  }
  return exit_code::kDone;
}

int tell_views(Program& program) {
  const std::string archive = program.existing_archive();
  std::string text;
  for (const std::string& view : archive::documented_views(archive)) {
    text += view + ": " + joined(Query(archive, "SELECT * FROM " + view + " LIMIT 0").columns(), ", ") + "\n";
  }
  program.console.result_for_people(text);
  return exit_code::kDone;
}

}  // namespace

void add_query(Program& program) {
  const auto sql = std::make_shared<std::string>();
  const auto format = std::make_shared<std::string>();
  const auto views = std::make_shared<bool>(false);
  CLI::App* const command =
      program.add_command("query", "Reads the archive with one SELECT of your own", [&program, sql, format, views] {
        if (*views) return tell_views(program);
        if (!sql->empty()) return query(program, *sql, *format);
        throw Error(ErrorKind::InvalidSetting,
                    {"nothing is asked", "", 0, 0, "query", "", "one SELECT, or --views", ""});
      });
  command->add_option("SQL", *sql, "\"SELECT name, skipped FROM trial_summary WHERE skipped > 0\"");
  command->add_option("--format", *format, "table, csv or json; without it a table, with --json JSON")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command->add_flag("--views", *views, "Tells the views to read from, with their columns");
  command->footer(
      "The archive is read and never written: statements that write, attach a file or change a setting are refused.\n"
      "Views keep their columns from version to version; tables (schema.sql) may change. SQLite has no NaN: a number\n"
      "that is not finite is NULL, and the column behind it that ends in _state says what it was. Bytes are written "
      "in\n"
      "hexadecimal.");
}

}  // namespace mantissa::cli
