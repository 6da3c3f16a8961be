// SPDX-License-Identifier: Apache-2.0
#include "core/archive/context_rows.h"

#include <string_view>

#include "core/archive/real_states.h"
#include "core/archive/schema.h"

namespace mantissa::archive {
namespace {

constexpr const char* kRemove[] = {
    "DELETE FROM context_scores WHERE trial = ?1", "DELETE FROM input_columns WHERE trial = ?1",
    "DELETE FROM input_cases WHERE trial = ?1", "DELETE FROM input_quality WHERE trial = ?1"};

constexpr char kInsertScore[] =
    "INSERT INTO context_scores (trial, position, predictor, metric, value, states, note) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr char kInsertQuality[] = "INSERT INTO input_quality (trial, cases, columns, missing) VALUES (?1, ?2, ?3, ?4)";
constexpr char kInsertColumn[] =
    "INSERT INTO input_columns (trial, position, name, training_minimum, training_maximum, states, constant, "
    "non_finite, outside) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr char kInsertCase[] =
    "INSERT INTO input_cases (trial, position, case_id, slice, non_finite, outside, columns) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

constexpr char kSelectScores[] =
    "SELECT predictor, metric, value, states, note FROM context_scores WHERE trial = ?1 ORDER BY position";
constexpr char kSelectQuality[] = "SELECT cases, columns, missing FROM input_quality WHERE trial = ?1";
constexpr char kSelectColumns[] =
    "SELECT position, name, training_minimum, training_maximum, states, constant, non_finite, outside "
    "FROM input_columns WHERE trial = ?1 ORDER BY position";
constexpr char kSelectCases[] =
    "SELECT position, case_id, slice, non_finite, outside, columns FROM input_cases WHERE trial = ?1 ORDER BY position";

void insert_scores(Connection& connection, std::int64_t trial, const std::vector<record::ContextScore>& scores) {
  Statement insert(connection, kInsertScore);
  std::int64_t position = 0;
  for (const record::ContextScore& score : scores) {
    RealWriter reals;
    reals.bind(insert, 5, score.value);
    insert.bind(1, trial)
        .bind(2, position++)
        .bind(3, std::string_view(score.predictor))
        .bind(4, std::string_view(score.metric))
        .bind(6, reals.states())
        .bind(7, std::string_view(score.note))
        .run();
  }
}

void insert_inputs(Connection& connection, std::int64_t trial, const record::InputQuality& inputs) {
  Statement(connection, kInsertQuality)
      .bind(1, trial)
      .bind(2, inputs.cases)
      .bind(3, inputs.columns)
      .bind(4, std::string_view(inputs.missing))
      .run();
  Statement insert_column(connection, kInsertColumn);
  for (const record::InputColumn& column : inputs.noted) {
    RealWriter reals;
    reals.bind(insert_column, 4, column.training_minimum);
    reals.bind(insert_column, 5, column.training_maximum);
    insert_column.bind(1, trial)
        .bind(2, column.position)
        .bind(3, std::string_view(column.name))
        .bind(6, reals.states())
        .bind(7, std::int64_t{column.constant ? 1 : 0})
        .bind(8, column.non_finite)
        .bind(9, column.outside)
        .run();
  }
  Statement insert_case(connection, kInsertCase);
  for (const record::InputCase& one : inputs.of_cases) {
    insert_case.bind(1, trial)
        .bind(2, one.position)
        .bind(3, std::string_view(one.id))
        .bind(4, std::string_view(one.slice))
        .bind(5, one.non_finite)
        .bind(6, one.outside)
        .bind(7, std::string_view(one.columns))
        .run();
  }
}

void read_inputs(Connection& connection, std::int64_t trial, record::InputQuality& inputs) {
  Statement select_columns(connection, kSelectColumns);
  select_columns.bind(1, trial);
  while (select_columns.step()) {
    record::InputColumn& column = inputs.noted.emplace_back();
    RealReader reals(select_columns.integer(4));
    column.position = select_columns.integer(0);
    column.name = select_columns.text(1);
    column.training_minimum = reals.read(select_columns, 2);
    column.training_maximum = reals.read(select_columns, 3);
    column.constant = select_columns.integer(5) != 0;
    column.non_finite = select_columns.integer(6);
    column.outside = select_columns.integer(7);
  }
  Statement select_cases(connection, kSelectCases);
  select_cases.bind(1, trial);
  while (select_cases.step()) {
    record::InputCase& one = inputs.of_cases.emplace_back();
    one.position = select_cases.integer(0);
    one.id = select_cases.text(1);
    one.slice = select_cases.text(2);
    one.non_finite = select_cases.integer(3);
    one.outside = select_cases.integer(4);
    one.columns = select_cases.text(5);
  }
}

}  // namespace

void replace_context(Connection& connection, std::int64_t trial, const record::ReferenceContext& context) {
  for (const char* const remove : kRemove) Statement(connection, remove).bind(1, trial).run();
  insert_scores(connection, trial, context.scores);
  insert_inputs(connection, trial, context.inputs);
}

std::optional<record::ReferenceContext> read_context(Connection& connection, std::int64_t trial) {
  if (!has_table(connection, "input_quality")) return std::nullopt;
  Statement select(connection, kSelectQuality);
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  record::ReferenceContext context;
  context.inputs.cases = select.integer(0);
  context.inputs.columns = select.integer(1);
  context.inputs.missing = select.text(2);
  read_inputs(connection, trial, context.inputs);
  Statement select_scores(connection, kSelectScores);
  select_scores.bind(1, trial);
  while (select_scores.step()) {
    record::ContextScore& score = context.scores.emplace_back();
    RealReader reals(select_scores.integer(3));
    score.predictor = select_scores.text(0);
    score.metric = select_scores.text(1);
    score.value = reals.read(select_scores, 2);
    score.note = select_scores.text(4);
  }
  return context;
}

}  // namespace mantissa::archive
