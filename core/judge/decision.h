// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"

namespace mantissa::judge {

/// What is decided about one case, by the form of its rule.
struct Decision {
  bool made = false;  ///< false: no decision in this task, or a non-finite or missing output
  /// ArgMax: one index. Thresholds: 0 or 1 for each output, -1 for a tie that is a decision. TopK: the indices of the
  /// set, rising. Ranking: all indices, the largest output first.
  std::vector<std::int64_t> classes;
  /// Of ties that are a decision, else empty. ArgMax: the tied indices, and `classes` is empty. TopK: those that share
  /// the last places, and `classes` holds the others. Ranking: for every place of `classes` 1 where it is tied with the
  /// next.
  std::vector<std::int64_t> tied;
  bool tie = false;  ///< the margin is at most tie_within, whatever the rule made of it
  std::optional<double> margin;

  bool is_same(const Decision& other) const;

  /// As one number for a record: the index, bit i = output i (several thresholds, TopK), -1 for a tie that is a
  /// decision (but of a ranking); nothing where it does not fit, and of a ranking.
  std::optional<std::int64_t> as_number(const DecisionRule& rule) const;
};

Decision decide(const DecisionRule& rule, const std::vector<double>& output);

/// The same rule with the task's own decision: what qualities and utilities are of.
DecisionRule of_task(DecisionRule rule);

/// The task's own decision that the target asks for; not made where the target is missing, ignored, or no class.
Decision wanted(const DecisionRule& rule, const std::vector<double>& target);

/// Whether a decision is what `wanted` asks for: equal to it; TopK: has it; Ranking: begins with it, untied.
bool is_right(const DecisionRule& rule, const Decision& decision, const Decision& wanted);

/// "3", "tie of 1 and 4", "{1, 4, 7}", "{1, 2 of 4, 7, 8}", "2 > 0 > 1", "2 > 0 = 1"; several thresholds: "0 1 tie";
/// empty where no decision is made.
std::string decision_words(const DecisionRule& rule, const std::vector<double>& output);

}  // namespace mantissa::judge
