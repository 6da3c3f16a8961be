// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/judge/judge.h"

namespace mantissa::judge {

/// What a task decides about one case.
struct Decision {
  bool made = false;                  ///< false: no decision in this task, or a non-finite or missing output
  std::vector<std::int64_t> classes;  ///< one index (ArgMax), or 0 or 1 for each output
  bool tie = false;
  std::optional<double> margin;

  /// As one number for a record: the index, or bit i = output i; nothing where it does not fit.
  std::optional<std::int64_t> as_number() const;
};

Decision decide(const DecisionRule& rule, const std::vector<double>& output);

/// The decision that the target asks for; not made where the target is missing, ignored, or no class.
Decision wanted(const DecisionRule& rule, const std::vector<double>& target);

}  // namespace mantissa::judge
