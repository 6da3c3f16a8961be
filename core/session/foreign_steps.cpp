// SPDX-License-Identifier: Apache-2.0
#include "core/session/foreign_steps.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "core/base/number_text.h"
#include "core/session/foreign_step_checks.h"
#include "core/session/foreign_table.h"

namespace mantissa::session {
namespace {

using record::StepRecord;

// One reader a type of step_columns.h.

std::int64_t count_of(const ForeignTable& table, std::size_t column) {
  const std::optional<std::int64_t> value = integer_from_text(table.text(column));
  if (!value || *value < 0) table.refuse(column, "", "an integer of at least 0");
  return *value;
}

void read(const ForeignTable& table, std::size_t column, std::int64_t& into) { into = count_of(table, column); }

void read(const ForeignTable& table, std::size_t column, bool& into) {
  const std::string text = table.text(column);
  if (text == "1" || text == "true" || text == "True") {
    into = true;
  } else if (text == "0" || text == "false" || text == "False") {
    into = false;
  } else {
    table.refuse(column, "", "1 or 0");
  }
}

void read(const ForeignTable& table, std::size_t column, record::SkipCause& into) {
  if (table.text(column).empty()) return;
  const std::optional<record::SkipCause> cause = record::skip_cause_from_text(table.text(column));
  if (!cause) table.refuse(column, "", "a cause of mantissa-cli export steps, or nothing");
  into = *cause;
}

void read(const ForeignTable& table, std::size_t column, std::string& into) { into = table.text(column); }

void read(const ForeignTable& table, std::size_t column, std::optional<double>& into) {
  if (!table.text(column).empty()) into = table.number(column);
}

void read(const ForeignTable& table, std::size_t column, std::optional<std::int64_t>& into) {
  if (!table.text(column).empty()) into = count_of(table, column);
}

std::vector<std::string> known_columns() {
  return {
#define MANTISSA_COLUMN(name, type, description) #name,
      MANTISSA_STEP_COLUMNS(MANTISSA_COLUMN)
#undef MANTISSA_COLUMN
  };
}

/// The columns of a file beside the members that they fill.
class StepReader {
 public:
  explicit StepReader(const ForeignTable& table) : table_(table) {
#define MANTISSA_READER(name, type, description)                                                    \
  if (const auto place = table.column(#name)) {                                                     \
    readers_.emplace_back([&table, at = *place](StepRecord& step) { read(table, at, step.name); }); \
  }
    MANTISSA_STEP_COLUMNS(MANTISSA_READER)
#undef MANTISSA_READER
#define MANTISSA_READER(name, type, description) add_optimizers(#name, &record::OptimizerStep::name);
    MANTISSA_OPTIMIZER_COLUMNS(MANTISSA_READER)
#undef MANTISSA_READER
  }

  std::size_t optimizers() const { return optimizers_; }

  /// A column with an index that is not read would be taken for looked at.
  void refuse_unread() const {
    for (const std::string& column : table_.columns()) {
      if (column == without_index(column) || read_.count(column) > 0) continue;
      table_.refuse_row(1, "a column with an index that is not read", '\'' + column + '\'',
                        "columns of optimizers, counted from [0] without a gap");
    }
  }

  StepRecord row() const {
    StepRecord step;
    step.optimizers.resize(optimizers_);
    for (const auto& reader : readers_) reader(step);
    return step;
  }

 private:
  template <class Member>
  void add_optimizers(const std::string& name, Member record::OptimizerStep::*member) {
    std::size_t index = 0;
    while (const auto place = table_.column(name + '[' + std::to_string(index) + ']')) {
      read_.insert(table_.columns()[*place]);
      readers_.emplace_back(
          [this, at = *place, index, member](StepRecord& step) { read(table_, at, step.optimizers[index].*member); });
      optimizers_ = std::max(optimizers_, ++index);
    }
  }

  const ForeignTable& table_;
  std::vector<std::function<void(StepRecord&)>> readers_;
  std::size_t optimizers_ = 0;
  std::set<std::string> read_;
};

}  // namespace

ForeignSteps read_foreign_steps(const std::string& path) {
  ForeignTable table(path);
  table.refuse_unknown(known_columns(), "columns of mantissa-cli export steps");
  const StepReader reader(table);
  reader.refuse_unread();
  ForeignStepChecks checks(table, reader.optimizers());
  ForeignSteps file;
  file.has_skips = checks.has_skips();
  file.file = std::filesystem::path(path).filename().string();
  file.columns.insert(table.columns().begin(), table.columns().end());
  while (table.next()) {
    StepRecord step = reader.row();
    checks.complete(step);
    file.steps.push_back(std::move(step));
    file.lines.push_back(table.line());
  }
  if (file.steps.empty()) table.refuse_row(0, "no step", "a header alone", "a row for each attempted step");
  return file;
}

}  // namespace mantissa::session
