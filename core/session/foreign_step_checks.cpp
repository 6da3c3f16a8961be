// SPDX-License-Identifier: Apache-2.0
#include "core/session/foreign_step_checks.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"

namespace mantissa::session {
namespace {

using record::OptimizerStep;
using record::SkipCause;
using record::StepRecord;

std::string one_or_zero(bool flag) { return flag ? "1" : "0"; }

bool is_non_finite(const std::optional<double>& value) { return value && !std::isfinite(*value); }

/// What overflowed may stand beside an applied step whose gradients were non-finite: such a run is rejected.
bool has_non_finite_gradients(const StepRecord& step) {
  return is_non_finite(step.grad_norm) || is_non_finite(step.grad_norm_scaled) ||
         std::any_of(step.optimizers.begin(), step.optimizers.end(), [](const OptimizerStep& own) {
           return is_non_finite(own.grad_norm) || is_non_finite(own.grad_norm_scaled);
         });
}

void refuse_jump(const ForeignTable& table, std::size_t column, std::int64_t before, std::int64_t more) {
  if (more == 0 || more == 1) return;
  table.refuse(column, "a step applies one update or none",
               std::to_string(before) + " or " + std::to_string(before + 1));
}

}  // namespace

ForeignStepChecks::ForeignStepChecks(const ForeignTable& table, std::size_t optimizers)
    : table_(table),
      step_(table.column("step")),
      skipped_(table.column("skipped")),
      applied_(table.column("applied_updates")),
      iteration_(table.column("iteration")),
      cause_(table.column("skip_cause")),
      parameter_(table.column("overflow_parameter")),
      overflow_(table.column("overflow_optimizer")),
      rate_(table.column("lr")),
      clipped_(table.column("clipped")) {
  for (std::size_t i = 0; i < optimizers; ++i) {
    const std::string index = '[' + std::to_string(i) + ']';
    OfOptimizer& own = optimizers_.emplace_back();
    own.skipped = table.column("skipped" + index);
    own.applied = table.column("applied_updates" + index);
    own.cause = table.column("skip_cause" + index);
    own.parameter = table.column("overflow_parameter" + index);
    own.rate = table.column("lr" + index);
    own.clipped = table.column("clipped" + index);
  }
}

bool ForeignStepChecks::has_skips() const {
  if (skipped_ || applied_) return true;
  return !optimizers_.empty() &&
         std::all_of(optimizers_.begin(), optimizers_.end(), [](const OfOptimizer& own) { return own.has_skips(); });
}

void ForeignStepChecks::complete(StepRecord& step) {
  complete_place(step);
  complete_optimizers(step);
  complete_skip(step);
  fill_silent_optimizers(step);
  refuse_skips_that_differ(step);
  refuse_causes(step);
  refuse_strangers(step);
  refuse_sizes(step);
}

void ForeignStepChecks::complete_place(StepRecord& step) {
  ++number_;
  if (step_ && step.step != number_) {
    table_.refuse(*step_, step.step < number_ ? "a step twice, or out of order" : "a step is missing",
                  "step " + std::to_string(number_) + ": every attempted step from 1 on, skipped ones included");
  }
  step.step = number_;
  if (!iteration_) step.iteration = number_;
}

void ForeignStepChecks::complete_optimizers(StepRecord& step) {
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    OfOptimizer& columns = optimizers_[i];
    OptimizerStep& own = step.optimizers[i];
    if (columns.applied) {
      const std::int64_t more = own.applied_updates - columns.applied_updates;
      refuse_jump(table_, *columns.applied, columns.applied_updates, more);
      if (!columns.skipped) own.skipped = more == 0;
      if (columns.skipped && own.skipped == (more == 1)) {
        table_.refuse(*columns.applied, "an optimizer's updates beside its skips",
                      std::to_string(columns.applied_updates + (own.skipped ? 0 : 1)) + ", because skipped[" +
                          std::to_string(i) + "] is " + one_or_zero(own.skipped));
      }
    } else if (columns.skipped) {
      own.applied_updates = columns.applied_updates + (own.skipped ? 0 : 1);
    }
    columns.applied_updates = own.applied_updates;
  }
}

void ForeignStepChecks::complete_skip(StepRecord& step) {
  if (applied_) {
    const std::int64_t more = step.applied_updates - applied_updates_;
    refuse_jump(table_, *applied_, applied_updates_, more);
    if (!skipped_) step.skipped = more == 0;
    if (skipped_ && step.skipped == (more == 1)) {
      table_.refuse(*applied_, step.skipped ? "an applied update in a skipped step" : "no update in an applied step",
                    std::to_string(applied_updates_ + (step.skipped ? 0 : 1)) + ", because skipped is " +
                        one_or_zero(step.skipped));
    }
  } else {
    if (!skipped_) {
      // Whether the other steps were skipped stays open, and this one was.
      step.skipped = step.skip_cause != SkipCause::None;
      for (std::size_t i = 0; i < optimizers_.size(); ++i) {
        step.skipped = step.skipped || (optimizers_[i].has_skips() && step.optimizers[i].skipped);
      }
    }
    step.applied_updates = applied_updates_ + (step.skipped ? 0 : 1);
  }
  applied_updates_ = step.applied_updates;
}

void ForeignStepChecks::fill_silent_optimizers(StepRecord& step) const {
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    if (optimizers_[i].has_skips()) continue;
    OptimizerStep& own = step.optimizers[i];
    own.skipped = step.skipped && (!optimizers_[i].cause || own.skip_cause != SkipCause::None);
  }
}

/// "skipped is 0"
std::string ForeignStepChecks::said(const StepRecord& step) const {
  if (skipped_) return "skipped is " + one_or_zero(step.skipped);
  if (applied_) return "applied_updates is " + std::to_string(step.applied_updates);
  return step.skipped ? "another column tells of a skip" : "no column tells of a skip";
}

void ForeignStepChecks::refuse_skips_that_differ(const StepRecord& step) const {
  bool any = false;
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    if (!optimizers_[i].has_skips() || !step.optimizers[i].skipped) continue;
    any = true;
    if (step.skipped) continue;
    table_.refuse(optimizers_[i].place(), "a skip of one optimizer in a step in which all applied",
                  (optimizers_[i].skipped ? "0" : std::to_string(step.optimizers[i].applied_updates + 1)) +
                      ", because " + said(step));
  }
  const bool all_told = !optimizers_.empty() && std::all_of(optimizers_.begin(), optimizers_.end(),
                                                            [](const OfOptimizer& own) { return own.has_skips(); });
  if (!step.skipped || any || !all_told || !(skipped_ || applied_)) return;
  table_.refuse(skipped_ ? *skipped_ : *applied_, "a skipped step in which every optimizer applied its update",
                (skipped_ ? "0" : std::to_string(step.applied_updates + 1)) + ", because column " +
                    table_.columns()[optimizers_.front().place()] + " has '" +
                    table_.text(optimizers_.front().place()) + "'");
}

void ForeignStepChecks::refuse_causes(const StepRecord& step) const {
  const bool applied_them = has_non_finite_gradients(step);
  const auto refuse_beside_update = [&](std::size_t column, const std::string& because) {
    if (table_.text(column).empty()) return;
    table_.refuse(column, "an update that was refused and applied", "nothing, because " + because);
  };
  if (!step.skipped && (skipped_ || applied_ || has_skips())) {
    if (cause_) refuse_beside_update(*cause_, said(step));
    for (const std::optional<std::size_t>& column : {parameter_, overflow_}) {
      if (column && !applied_them) refuse_beside_update(*column, said(step));
    }
  }
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    const OfOptimizer& columns = optimizers_[i];
    if (step.optimizers[i].skipped || !(columns.has_skips() || has_skips())) continue;
    const std::string because = columns.has_skips() ? "column " + table_.columns()[columns.place()] + " has '" +
                                                          table_.text(columns.place()) + "'"
                                                    : said(step);
    if (columns.cause) refuse_beside_update(*columns.cause, because);
    if (columns.parameter && !applied_them) refuse_beside_update(*columns.parameter, because);
  }
  if (cause_ && step.skip_cause == SkipCause::Loss && step.loss && std::isfinite(*step.loss)) {
    table_.refuse(*cause_, "a step refused for its loss, which is a number",
                  "another cause, because loss is " + to_text(*step.loss));
  }
}

void ForeignStepChecks::refuse_strangers(const StepRecord& step) const {
  if (optimizers_.empty()) return;
  const auto all_have = [this](const std::optional<std::size_t> OfOptimizer::*column) {
    return std::all_of(optimizers_.begin(), optimizers_.end(),
                       [column](const OfOptimizer& own) { return (own.*column).has_value(); });
  };
  const auto any_is = [&step](const auto& is_it) {
    return std::any_of(step.optimizers.begin(), step.optimizers.end(), is_it);
  };
  if (cause_ && step.skipped && all_have(&OfOptimizer::cause) &&
      !any_is([&step](const OptimizerStep& own) { return own.skip_cause == step.skip_cause; })) {
    table_.refuse(
        *cause_, "a cause that no optimizer has",
        "one of the columns skip_cause[i], which start with '" + table_.text(*optimizers_.front().cause) + "'");
  }
  if (overflow_ && step.overflow_optimizer) {
    if (*step.overflow_optimizer >= static_cast<std::int64_t>(optimizers_.size())) {
      table_.refuse(*overflow_, "no optimizer of this index",
                    "at most " + std::to_string(optimizers_.size() - 1) + ", by the columns with an index");
    }
  }
  if (rate_ && optimizers_.front().rate && step.lr != step.optimizers.front().lr &&
      !(is_non_finite(step.lr) && is_non_finite(step.optimizers.front().lr))) {
    table_.refuse(*rate_, "another rate than the first optimizer's",
                  "'" + table_.text(*optimizers_.front().rate) + "', as lr[0]");
  }
  if (clipped_ && all_have(&OfOptimizer::clipped)) {
    const bool any = any_is([](const OptimizerStep& own) { return own.clipped; });
    if (any != step.clipped) {
      table_.refuse(*clipped_, "clipping that the columns clipped[i] deny",
                    one_or_zero(any) + ", because " + (any ? "one of them is 1" : "all of them are 0"));
    }
  }
}

void ForeignStepChecks::refuse_sizes(const StepRecord& step) const {
  const auto refuse_below_zero = [this](const char* name, const std::optional<double>& value) {
    if (value && *value < 0) table_.refuse(*table_.column(name), "", "a number of at least 0");
  };
  const auto refuse_no_number = [this](const char* name, const std::optional<double>& value) {
    if (is_non_finite(value)) table_.refuse(*table_.column(name), "", "a finite number of at least 0");
  };
#define MANTISSA_CHECK(name) refuse_below_zero(#name, step.name)
  MANTISSA_CHECK(wall_seconds);
  MANTISSA_CHECK(step_seconds);
  MANTISSA_CHECK(scale_before);
  MANTISSA_CHECK(scale_after);
  MANTISSA_CHECK(grad_norm_scaled);
  MANTISSA_CHECK(grad_norm);
  MANTISSA_CHECK(grad_norm_clipped);
  MANTISSA_CHECK(weight_change);
  MANTISSA_CHECK(largest_finite_gradient);
#undef MANTISSA_CHECK
  refuse_no_number("wall_seconds", step.wall_seconds);
  refuse_no_number("step_seconds", step.step_seconds);
  refuse_no_number("largest_finite_gradient", step.largest_finite_gradient);
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    const OptimizerStep& own = step.optimizers[i];
    const std::string index = '[' + std::to_string(i) + ']';
    refuse_below_zero(("grad_norm_scaled" + index).c_str(), own.grad_norm_scaled);
    refuse_below_zero(("grad_norm" + index).c_str(), own.grad_norm);
    refuse_below_zero(("grad_norm_clipped" + index).c_str(), own.grad_norm_clipped);
    refuse_no_number(("largest_finite_gradient" + index).c_str(), own.largest_finite_gradient);
  }
  if (step.scale_before && *step.scale_before == 0.0 && !step.skipped) {
    table_.refuse(*table_.column("scale_before"), "a scale by which no gradient can be divided",
                  "a number above 0, because " + said(step));
  }
}

}  // namespace mantissa::session
