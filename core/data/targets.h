// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/built_in.h"
#include "core/data/table.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// What the targets of all parts mean, decided once over all of them.
struct TargetPlan {
  spec::Task task = spec::Task::Regression;
  bool class_indices = false;  ///< int64 [rows], for cross_entropy and nll; otherwise FP32 [rows, T]
  std::int64_t classes = 0;    ///< classification only
  std::vector<std::string> class_names;
  spec::TargetTransform transform = spec::TargetTransform::None;
  std::vector<std::string> notes;

  /// Per table, [rows, T] row by row: class indices, 0/1, or numbers in the target's own unit.
  std::vector<std::vector<double>> values;
};

/// Applies the contract's defaults for task, labels and classes to the targets of `tables`.
/// `set` is the descriptor of a built-in set whose target this is.
/// \throws Error DataProblem naming up to five lines, InvalidSetting for settings that exclude each other.
TargetPlan plan_targets(const spec::Experiment& experiment, const std::optional<BuiltIn>& set,
                        const std::vector<const Table*>& tables);

/// The targets of a table that the plan was not made for, as `TargetPlan::values` has them; NaN where one is missing.
/// \throws Error DataProblem with the lines of labels that the data does not have.
std::vector<double> targets_by_plan(const TargetPlan& plan, const spec::Experiment& experiment, const Table& table);

}  // namespace mantissa::data
