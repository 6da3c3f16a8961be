// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/record/trial.h"

namespace mantissa::compare {

/// Which trials of an archive fit an expression (spec/expression.h) over their columns and settings:
///
///     trial.autocast == "float16" and skipped > 0
///     quality < 0.9 or quality is non_finite
///     training.batch >= 64 and model.kind == "resnet"
///
/// A name is a column (trial_columns.h), else a key path of the experiment file; `trial.…` are the settings of the
/// trial itself. A number that is NaN or missing fits no comparison. Used by one thread at a time.
class TrialFilter {
 public:
  /// \param resolved_of  the resolved settings of an experiment as JSON (record::ExperimentStart::resolved); asked once
  ///                     an experiment, and only where the expression reads settings
  /// \throws Error InvalidSetting  where it is no expression or a name is neither, with the nearest ones
  TrialFilter(std::string_view expression, std::function<std::string(std::int64_t experiment)> resolved_of);
  ~TrialFilter();
  TrialFilter(TrialFilter&&) noexcept;
  TrialFilter& operator=(TrialFilter&&) noexcept;

  /// \throws Error InvalidSetting  where a number is compared with a text
  bool fits(const record::TrialRow& trial) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mantissa::compare
