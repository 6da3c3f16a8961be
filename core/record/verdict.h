// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::record {

enum class VerdictWord { Accepted, Rejected, Undecided };
std::string_view to_text(VerdictWord word);
std::optional<VerdictWord> verdict_word_from_text(std::string_view text);

/// The judgement of one rule.
struct RuleVerdict {
  std::string name;  ///< key of the rule: "non_finite", "output", "flips", "quality", "progress.min_applied_fraction"
  VerdictWord verdict = VerdictWord::Undecided;
  std::string of;     ///< "same_weights", "trained" or empty
  std::string limit;  ///< as a person reads it: "q0.99 of case_relative at most 0.02"
  std::optional<double> limit_value;
  std::optional<double> value;  ///< the value found
  std::string unit;
  std::int64_t cases = 0;  ///< number of cases or steps behind the value
  std::string reason;      ///< one plain sentence: what was found, or which evidence is missing
};

/// A verdict on a trial, with where it was reached.
struct Verdict {
  VerdictWord word = VerdictWord::Undecided;
  std::string scope_device;       ///< "cpu", "cuda"
  std::string scope_cast_policy;  ///< "device" …
  std::string target;             ///< where it must hold: "as-run", "cpu", "cuda"
  std::vector<RuleVerdict> rules;
  std::vector<std::string> reasons;  ///< for the overall word, most important first
  std::string rules_sha256;
};

}  // namespace mantissa::record
