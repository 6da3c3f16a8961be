// SPDX-License-Identifier: Apache-2.0
#include "core/session/foreign_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/number_text.h"
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
      readers_.emplace_back(
          [this, at = *place, index, member](StepRecord& step) { read(table_, at, step.optimizers[index].*member); });
      optimizers_ = std::max(optimizers_, ++index);
    }
  }

  const ForeignTable& table_;
  std::vector<std::function<void(StepRecord&)>> readers_;
  std::size_t optimizers_ = 0;
};

/// What the file counts must fit together: a row that was left out would hide a skip.
class Counters {
 public:
  explicit Counters(const ForeignTable& table)
      : table_(table),
        step_(table.column("step")),
        skipped_(table.column("skipped")),
        applied_(table.column("applied_updates")),
        iteration_(table.column("iteration")) {}

  bool has_skips() const { return skipped_ || applied_; }

  void complete(StepRecord& step) {
    ++number_;
    if (step_ && step.step != number_) {
      table_.refuse(*step_, step.step < number_ ? "a step twice, or out of order" : "a step is missing",
                    "step " + std::to_string(number_) + ": every attempted step from 1 on, skipped ones included");
    }
    step.step = number_;
    if (!iteration_) step.iteration = number_;
    if (applied_) {
      const std::int64_t more = step.applied_updates - applied_updates_;
      if (more != 0 && more != 1) {
        table_.refuse(*applied_, "a step applies one update or none",
                      std::to_string(applied_updates_) + " or " + std::to_string(applied_updates_ + 1));
      }
      if (!skipped_) step.skipped = more == 0;
      if (skipped_ && step.skipped == (more == 1)) {
        table_.refuse(*applied_, step.skipped ? "an applied update in a skipped step" : "no update in an applied step",
                      std::to_string(applied_updates_ + (step.skipped ? 0 : 1)));
      }
    } else {
      step.applied_updates = applied_updates_ + (step.skipped ? 0 : 1);
    }
    applied_updates_ = step.applied_updates;
  }

 private:
  const ForeignTable& table_;
  std::optional<std::size_t> step_, skipped_, applied_, iteration_;
  std::int64_t number_ = 0;
  std::int64_t applied_updates_ = 0;
};

bool is_non_finite(const std::optional<double>& value) { return value && !std::isfinite(*value); }

std::int64_t size_of(const std::vector<StepRecord>& steps) { return static_cast<std::int64_t>(steps.size()); }

/// "losses", with how many are missing; empty where all are there.
std::string missing_of(const std::string& what, std::int64_t missing, std::int64_t all) {
  if (missing == 0) return {};
  return missing == all ? what : what + " of " + std::to_string(missing) + " steps";
}

void add_unless_empty(std::vector<std::string>& to, std::string what) {
  if (!what.empty()) to.push_back(std::move(what));
}

}  // namespace

ForeignSteps read_foreign_steps(const std::string& path) {
  ForeignTable table(path);
  table.refuse_unknown(known_columns(), "columns of mantissa-cli export steps");
  const StepReader reader(table);
  Counters counters(table);
  ForeignSteps file;
  file.has_skips = counters.has_skips();
  while (table.next()) {
    StepRecord step = reader.row();
    counters.complete(step);
    file.steps.push_back(std::move(step));
  }
  if (file.steps.empty()) table.refuse_row(0, "no step", "a header alone", "a row for each attempted step");
  return file;
}

void add_steps(judge::Evidence& evidence, const ForeignSteps& file) {
  const std::vector<StepRecord>& steps = file.steps;
  evidence.counts.attempted = size_of(steps);
  evidence.counts.iterations = steps.back().iteration;
  evidence.counts.samples = steps.back().samples;
  std::int64_t in_a_row = 0;
  std::int64_t without_loss = 0;
  std::int64_t without_norm = 0;
  for (const StepRecord& step : steps) {
    evidence.counts.skipped += step.skipped ? 1 : 0;
    in_a_row = step.skipped ? in_a_row + 1 : 0;
    evidence.max_consecutive_skips = std::max(evidence.max_consecutive_skips, in_a_row);
    without_loss += step.loss ? 0 : 1;
    if (is_non_finite(step.loss) && evidence.first_non_finite_loss_step == 0) {
      evidence.first_non_finite_loss_step = step.step;
    }
    if (is_non_finite(step.loss_reference) && evidence.non_finite_reference.empty()) {
      evidence.non_finite_reference.push_back("loss at step " + std::to_string(step.step));
    }
    if (step.skipped) continue;
    without_norm += step.grad_norm ? 0 : 1;
    if (!evidence.non_finite.empty()) continue;  // the first one says it
    if (is_non_finite(step.grad_norm)) {
      evidence.non_finite.push_back("gradients that step " + std::to_string(step.step) + " applied");
    } else if (is_non_finite(step.weight_change)) {
      evidence.non_finite.push_back("weights after step " + std::to_string(step.step));
    }
  }
  evidence.counts.applied = evidence.counts.attempted - evidence.counts.skipped;
  if (!file.has_skips) {
    evidence.counts.applied = 0;
    evidence.steps_missing = "the file of steps has neither skipped nor applied_updates, so skips are not known";
  }
  const std::int64_t applied = evidence.counts.attempted - evidence.counts.skipped;
  add_unless_empty(evidence.not_looked_at, missing_of("losses", without_loss, size_of(steps)));
  add_unless_empty(evidence.not_looked_at, missing_of("gradients", without_norm, applied));
  // A finite change leaves finite weights: the difference of a non-finite one is never finite.
  evidence.not_looked_at.push_back(steps.back().weight_change ? "buffers and optimizer state"
                                                              : "weights, buffers and optimizer state");
}

void add_missing_steps(judge::Evidence& evidence) {
  evidence.steps_missing = "no file of steps was given (--steps), so skips are not known";
  evidence.not_looked_at = {"losses", "gradients", "weights, buffers and optimizer state"};
}

}  // namespace mantissa::session
