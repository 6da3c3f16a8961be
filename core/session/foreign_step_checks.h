// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/step_record.h"
#include "core/session/foreign_table.h"

namespace mantissa::session {

/// Completes the rows of a file of steps, and refuses what cannot be true together. A row that was left out would hide
/// a skip, and so would a column that denies what another one tells.
///
/// Refused: a step that is missing or comes twice; counters that grow by more than one, or beside a skip; an
/// optimizer's skip in a step in which all applied, and the reverse; a cause of a skip, or a parameter that overflowed,
/// in a step that was applied with finite gradients; the cause `loss` beside a finite loss; a cause, rate or clipping
/// of the step that none of its optimizers has; norms, times and scales below 0; times that are no number; an applied
/// step with a scale of 0, by which nothing can be divided.
class ForeignStepChecks {
 public:
  /// \param optimizers  of which the file has columns
  ForeignStepChecks(const ForeignTable& table, std::size_t optimizers);

  /// Whether each step was skipped is told by some column.
  bool has_skips() const;

  /// Call for the rows in order. \throws Error DataProblem with file, line and column
  void complete(record::StepRecord& step);

 private:
  struct OfOptimizer {
    std::optional<std::size_t> skipped, applied, cause, parameter, rate, clipped;
    std::int64_t applied_updates = 0;
    std::size_t place() const { return skipped ? *skipped : *applied; }
    bool has_skips() const { return skipped || applied; }
  };

  void complete_place(record::StepRecord& step);
  void complete_optimizers(record::StepRecord& step);
  void complete_skip(record::StepRecord& step);
  void fill_silent_optimizers(record::StepRecord& step) const;
  void refuse_skips_that_differ(const record::StepRecord& step) const;
  void refuse_causes(const record::StepRecord& step) const;
  void refuse_strangers(const record::StepRecord& step) const;
  void refuse_sizes(const record::StepRecord& step) const;
  std::string said(const record::StepRecord& step) const;

  const ForeignTable& table_;
  std::optional<std::size_t> step_, skipped_, applied_, iteration_, cause_, parameter_, overflow_, rate_, clipped_;
  std::vector<OfOptimizer> optimizers_;
  std::int64_t number_ = 0;
  std::int64_t applied_updates_ = 0;
};

}  // namespace mantissa::session
