// SPDX-License-Identifier: Apache-2.0
#include "core/archive/step_rows.h"

#include <string>

#include "core/archive/real_states.h"

namespace mantissa::archive {
namespace {

// Archives of before there were several optimizers lack it, and their steps lack `largest_finite_gradient`.
constexpr char kOptimizerTable[] = "step_optimizers";

using record::OptimizerStep;
using record::StepRecord;

#define MANTISSA_COUNT_COLUMN(name, type, description) +1
constexpr int kColumns = 0 MANTISSA_STEP_COLUMNS(MANTISSA_COUNT_COLUMN);
constexpr int kOptimizerColumns = 0 MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_COUNT_COLUMN);
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

std::string optimizer_column_names() {
  std::string names;
#define MANTISSA_NAME(name, type, description) names += ", " #name;
  MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
  return names;
}

std::string with_values(std::string sql, int columns) {
  sql += ") VALUES (?";
  for (int i = 1; i < columns; ++i) sql += ", ?";
  return sql + ')';
}

std::string insert_sql() { return with_values("INSERT INTO steps (trial, states" + column_names(), 2 + kColumns); }

std::string insert_optimizer_sql() {
  return with_values("INSERT INTO step_optimizers (trial, step, optimizer, states" + optimizer_column_names(),
                     4 + kOptimizerColumns);
}

std::string select_sql(Connection& connection, const char* which) {
  std::string names = column_names();
  const std::string added = ", largest_finite_gradient";
  if (!connection.has_table(kOptimizerTable)) names.replace(names.find(added), added.size(), ", NULL");
  return "SELECT trial, states" + names + " FROM steps " + which;
}

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

/// The rows of `step_optimizers` beside those of `steps`, both in the order of the steps.
class OptimizerRows {
 public:
  OptimizerRows(Connection& connection, std::int64_t trial, std::int64_t first_step)
      : select_(connection, "SELECT step, states" + optimizer_column_names() +
                                " FROM step_optimizers WHERE trial = ?1 AND step >= ?2 ORDER BY step, optimizer") {
    select_.bind(1, trial).bind(2, first_step);
    more_ = select_.step();
  }

  void read(StepRecord& step) {
    step.optimizers.clear();
    while (more_ && select_.integer(0) <= step.step) {
      if (select_.integer(0) == step.step) read_row(step.optimizers.emplace_back());
      more_ = select_.step();
    }
  }

 private:
  void read_row(OptimizerStep& optimizer) {
    RealReader reals(select_.integer(1));
    int column = 2;
#define MANTISSA_READ(name, type, description) optimizer.name = read_##type(select_, column++, reals);
    MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_READ)
#undef MANTISSA_READ
  }

  Statement select_;
  bool more_ = false;
};

}  // namespace

StepInsert::StepInsert(Connection& connection)
    : statement_(connection, insert_sql()), optimizer_statement_(connection, insert_optimizer_sql()) {}

void StepInsert::run(const StepRecord& step) {
  RealWriter reals;
  int position = 3;
#define MANTISSA_BIND(name, type, description) bind_##type(statement_, position++, step.name, reals);
  MANTISSA_STEP_COLUMNS(MANTISSA_BIND)
#undef MANTISSA_BIND
  statement_.bind(1, step.trial).bind(2, reals.states()).run();
  for (std::size_t i = 0; i < step.optimizers.size(); ++i) run(step, static_cast<std::int64_t>(i), step.optimizers[i]);
}

void StepInsert::run(const StepRecord& step, std::int64_t index, const OptimizerStep& optimizer) {
  RealWriter reals;
  int position = 5;
#define MANTISSA_BIND(name, type, description) bind_##type(optimizer_statement_, position++, optimizer.name, reals);
  MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_BIND)
#undef MANTISSA_BIND
  optimizer_statement_.bind(1, step.trial).bind(2, step.step).bind(3, index).bind(4, reals.states()).run();
}

void read_steps(Connection& connection, std::int64_t trial, std::int64_t after,
                const std::function<bool(const StepRecord&)>& use) {
  Statement select(connection, select_sql(connection, "WHERE trial = ?1 AND step > ?2 ORDER BY step"));
  select.bind(1, trial).bind(2, after);
  std::optional<OptimizerRows> optimizers;
  if (connection.has_table(kOptimizerTable)) optimizers.emplace(connection, trial, after + 1);
  StepRecord step;
  while (select.step()) {
    read_row(select, step);
    if (optimizers) optimizers->read(step);
    if (!use(step)) return;
  }
}

std::optional<StepRecord> last_step(Connection& connection, std::int64_t trial) {
  Statement select(connection, select_sql(connection, "WHERE trial = ?1 ORDER BY step DESC LIMIT 1"));
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  StepRecord step;
  read_row(select, step);
  if (connection.has_table(kOptimizerTable)) OptimizerRows(connection, trial, step.step).read(step);
  return step;
}

}  // namespace mantissa::archive
