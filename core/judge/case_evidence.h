// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/judge/judge.h"

/// What the rules on cases have in common: which outputs a rule looks at, and whether they are there.
namespace mantissa::judge {

inline constexpr std::size_t kMostNamed = 3;  // cases by id in a reason

std::int64_t size_of(const std::vector<record::CaseRow>& rows);

const std::vector<double>& output_of(const record::CaseRow& row, spec::Of of);

/// Which outputs a rule needs and the cases lack; empty where it can be judged.
std::string missing_outputs(const Evidence& evidence, spec::Of of);

/// "non-finite", with the cases; nothing where all outputs of the trial are finite.
std::string non_finite_outputs(const Evidence& evidence, spec::Of of);

/// "3 cases", or of which of them a measure is that needs a target: "1 of 4 cases (3 have no target)".
std::string counted_cases(std::int64_t counted, const std::vector<record::CaseRow>& rows);

/// Why so few cases decide nothing about the frozen set; empty where at least half of them count.
std::string too_few_cases(std::int64_t counted, const std::vector<record::CaseRow>& rows);

/// "output.logits"
std::string name_of(const char* rule, const std::string& name);

/// Says in a rule's verdict that it is of a slice alone, and that the slice has no case. Does nothing without a slice.
/// \param part  `on_slice` of `whole`
void add_slice(record::RuleVerdict& verdict, const std::string& slice, const Evidence& whole, const Evidence& part);

/// The evidence that a rule on a slice looks at: the cases of that slice, of the repeats as well.
Evidence on_slice(const Evidence& evidence, const std::string& slice);

/// The outputs beside the prediction that were recorded of the cases, by selector.
std::vector<std::string> other_outputs(const Evidence& evidence);

/// The evidence that a rule on another output looks at: that output in the place of the prediction, in the cases and
/// the repeats, and compared. A case or a repeat that lacks it has no output. Outputs of a side that are not as many as
/// the reference's are left out, too: see `wrong_size`.
Evidence on_output(const Evidence& evidence, const std::string& selector);

/// Which case of the trial has another number of elements in this output than the reference, in words; empty: none.
std::string wrong_size(const Evidence& evidence, const std::string& selector, spec::Of of);

/// A rule that may be on a slice, judged on the cases it is of.
/// \param judge_one  makes its verdict of the evidence that it is given
template <class Rule>
record::RuleVerdict judge_on_slice(const Rule& rule, const Evidence& whole,
                                   record::RuleVerdict (*judge_one)(const Rule&, const Evidence&)) {
  if (rule.slice.empty()) return judge_one(rule, whole);
  const Evidence part = on_slice(whole, rule.slice);
  record::RuleVerdict verdict = judge_one(rule, part);
  add_slice(verdict, rule.slice, whole, part);
  return verdict;
}

}  // namespace mantissa::judge
