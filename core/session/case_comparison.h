// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/case_row.h"
#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"

namespace mantissa::session {

/// The frozen cases after the training: the reference's outputs, and the arms' beside them.
///
/// A model that fails here fails its arm (reason "forward" or "memory"); errors of ours are thrown.
class CaseComparison {
 public:
  /// What it is given must outlive it. `asked` holds the rules.
  CaseComparison(const spec::Experiment& asked, const Prepared& prepared, FrozenCases& cases)
      : asked_(asked), prepared_(prepared), cases_(cases) {}

  /// First of all. Chooses the boundary cases where the set waits for them, by the margins of this reference.
  void evaluate_reference(train::Arm& reference);
  bool has_reference() const { return reference_outputs_.prediction.cases() > 0; }

  /// The reference beside itself.
  std::vector<record::CaseRow> reference_rows() const;

  /// The reference's own quality, in the metric of `summarise`.
  double reference_quality() const;

  /// Both comparisons of a trial; empty where its model fails.
  std::vector<record::CaseRow> trial_rows(train::Arm& reference, train::Arm& trial) const;

  /// The reference's weights once more, on another number of threads or in FP64: in the columns *_same_weights.
  /// \throws whatever the model throws.
  std::vector<record::CaseRow> rounding_rows(train::Arm& reference, int threads) const;
  std::vector<record::CaseRow> float64_rows(const train::Arm& reference) const;

  /// A whole repeat of the reference beside it: in the columns of an arm's own weights.
  /// \throws whatever the model throws.
  std::vector<record::CaseRow> repeat_rows(train::Arm& repeat) const;

  /// Fills in quality and flips of an arm with these rows.
  void summarise(const std::vector<record::CaseRow>& rows, record::TrialEnd& end) const;

  judge::TargetUnit unit() const;

  /// The quality of an arm's own weights as they are now, in the midst of the training; nothing where its model fails.
  /// Of a model that gives its loss and no prediction: the mean of the cases' losses.
  std::optional<double> quality_now(train::Arm& arm) const;

  /// What quality is measured by: the first quality rule's metric, else the task's own, or "loss" where the model gives
  /// nothing else.
  std::string metric() const;
  record::Direction direction() const;

 private:
  void choose_boundary_cases(train::Arm& reference);
  /// No outputs: that side was not measured.
  std::vector<record::CaseRow> compared_rows(const AllOutputs& reference, const AllOutputs& trained,
                                             const AllOutputs& same_weights) const;
  std::int64_t count_flips(const std::vector<record::CaseRow>& rows) const;

  const spec::Experiment& asked_;
  const Prepared& prepared_;
  FrozenCases& cases_;
  AllOutputs reference_outputs_;
  std::vector<std::string> others_;  // what its other outputs are called
};

}  // namespace mantissa::session
