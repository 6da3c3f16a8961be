// SPDX-License-Identifier: Apache-2.0
#include "core/archive/step_rows.h"

#include <string>

#include "core/archive/real_states.h"

namespace mantissa::archive {
namespace {

using record::StepRecord;

#define MANTISSA_COUNT_COLUMN(name, type, description) +1
constexpr int kColumns = 0 MANTISSA_STEP_COLUMNS(MANTISSA_COUNT_COLUMN);
#undef MANTISSA_COUNT_COLUMN

constexpr int kReal_Real = 1, kReal_Count = 0, kReal_Flag = 0, kReal_Cause = 0, kReal_Text = 0, kReal_OptionalCount = 0;
#define MANTISSA_COUNT_REAL(name, type, description) +kReal_##type
static_assert((0 MANTISSA_STEP_COLUMNS(MANTISSA_COUNT_REAL)) <= 31, "two bits a real column in one 64-bit integer");
#undef MANTISSA_COUNT_REAL

std::string column_names() {
  std::string names;
#define MANTISSA_NAME(name, type, description) names += ", " #name;
  MANTISSA_STEP_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  return names;
}

std::string insert_sql() {
  std::string sql = "INSERT INTO steps (trial, states" + column_names() + ") VALUES (?, ?";
  for (int i = 0; i < kColumns; ++i) sql += ", ?";
  return sql + ')';
}

std::string select_sql(const char* which) { return "SELECT trial, states" + column_names() + " FROM steps " + which; }

void bind_Count(Statement& to, int at, std::int64_t value, RealWriter&) { to.bind(at, value); }
void bind_Flag(Statement& to, int at, bool value, RealWriter&) { to.bind(at, value ? 1 : 0); }
void bind_Cause(Statement& to, int at, record::SkipCause value, RealWriter&) { to.bind(at, record::to_text(value)); }
void bind_Text(Statement& to, int at, const std::string& value, RealWriter&) { to.bind(at, std::string_view(value)); }
void bind_Real(Statement& to, int at, const std::optional<double>& value, RealWriter& reals) {
  reals.bind(to, at, value);
}
void bind_OptionalCount(Statement& to, int at, const std::optional<std::int64_t>& value, RealWriter&) {
  to.bind(at, value);
}

std::int64_t read_Count(const Statement& from, int at, RealReader&) { return from.integer(at); }
bool read_Flag(const Statement& from, int at, RealReader&) { return from.integer(at) != 0; }
record::SkipCause read_Cause(const Statement& from, int at, RealReader&) {
  const std::string_view word = from.bytes(at);
  if (word.empty()) return record::SkipCause::None;
  // A word of a newer version that this one may read: still a skip whose cause is an overflow of some kind.
  return record::skip_cause_from_text(word).value_or(record::SkipCause::Overflow);
}
std::string read_Text(const Statement& from, int at, RealReader&) { return from.text(at); }
std::optional<double> read_Real(const Statement& from, int at, RealReader& reals) { return reals.read(from, at); }
std::optional<std::int64_t> read_OptionalCount(const Statement& from, int at, RealReader&) {
  return from.optional_integer(at);
}

void read_row(const Statement& select, StepRecord& step) {
  step.trial = select.integer(0);
  RealReader reals(select.integer(1));
  int column = 2;
#define MANTISSA_READ(name, type, description) step.name = read_##type(select, column++, reals);
  MANTISSA_STEP_COLUMNS(MANTISSA_READ)
#undef MANTISSA_READ
}

}  // namespace

StepInsert::StepInsert(Connection& connection) : statement_(connection, insert_sql()) {}

void StepInsert::run(const StepRecord& step) {
  RealWriter reals;
  int position = 3;
#define MANTISSA_BIND(name, type, description) bind_##type(statement_, position++, step.name, reals);
  MANTISSA_STEP_COLUMNS(MANTISSA_BIND)
#undef MANTISSA_BIND
  statement_.bind(1, step.trial).bind(2, reals.states()).run();
}

void read_steps(Connection& connection, std::int64_t trial, std::int64_t after,
                const std::function<bool(const StepRecord&)>& use) {
  Statement select(connection, select_sql("WHERE trial = ?1 AND step > ?2 ORDER BY step"));
  select.bind(1, trial).bind(2, after);
  StepRecord step;
  while (select.step()) {
    read_row(select, step);
    if (!use(step)) return;
  }
}

std::optional<StepRecord> last_step(Connection& connection, std::int64_t trial) {
  Statement select(connection, select_sql("WHERE trial = ?1 ORDER BY step DESC LIMIT 1"));
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  StepRecord step;
  read_row(select, step);
  return step;
}

}  // namespace mantissa::archive
