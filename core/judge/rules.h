// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"

/// The rules one by one, as judge.cpp puts them together. Each looks at the evidence alone and knows nothing of what
/// may make a whole verdict undecided.
namespace mantissa::judge {

// Shares of attempted steps without any gradient. A step or two in a thousand happen beside an overflow and cost
// nothing; beyond half of them the trial has stopped learning.
constexpr double kHarmlessUnderflow = 0.01;
constexpr double kFatalUnderflow = 0.5;

// Rules on steps and on the state of the run (rules_on_steps.cpp).

/// How the trial ended, where it did not simply finish: rejected if it failed, undecided if it has no end.
record::RuleVerdict judge_end(const Evidence& evidence);
/// \param exceptions  of parameters and buffers; outputs and losses have none
record::RuleVerdict judge_non_finite(const std::vector<spec::NonFiniteException>& exceptions, const Evidence& evidence);
/// Call only where it was measured.
record::RuleVerdict judge_underflow(const Evidence& evidence);
std::vector<record::RuleVerdict> judge_progress(const spec::ProgressRule& rule, const Evidence& evidence);

// Rules on the frozen cases (rules_on_outputs.cpp, rules_on_flips.cpp, rules_on_quality.cpp,
// rules_on_utility.cpp).

record::RuleVerdict judge_output(const spec::OutputRule& rule, const Evidence& evidence);
std::vector<record::RuleVerdict> judge_flips(const spec::FlipsRule& rule, const Evidence& evidence);
/// Of the limits on its value. \param rule  has one
record::RuleVerdict judge_quality(const spec::QualityRule& rule, const Evidence& evidence);
/// Of the summed gains and losses. \param rule  has a limit
record::RuleVerdict judge_utility(const spec::UtilityRule& rule, const Evidence& evidence);
/// Over seeds. \param rule  has non_inferior
record::RuleVerdict judge_non_inferiority(const spec::QualityRule& rule, const Evidence& evidence);

/// Of the distribution of each output over the frozen cases (rules_on_distributions.cpp).
record::RuleVerdict judge_distribution(const spec::DistributionRule& rule, const Evidence& evidence);

/// One case whose outputs are so much larger than all others that it alone is the RMS by which `case_relative` measures
/// every case: without it the RMS is less than a tenth.
struct ScaleSetter {
  std::size_t place;  ///< in the evidence's cases
  double rms;         ///< of all cases
  double rms_of_others;
};
std::optional<ScaleSetter> scale_setter(const std::vector<record::CaseRow>& cases);

/// "case c17 alone sets the scale of case_relative: …"
std::string words_of(const ScaleSetter& setter, const std::vector<record::CaseRow>& cases);

// Rules on costs (rules_on_costs.cpp).

/// One row a limit. Where the 95 % interval of a figure holds the limit, and where there is no figure, it is undecided.
std::vector<record::RuleVerdict> judge_cost(const spec::CostRule& rule, const Evidence& evidence);

/// "same_weights" or "trained".
std::string to_text(spec::Of of);

/// Whether all outputs of a case are numbers, also where only counts over its positions are left; true where an output
/// is missing.
bool has_finite_output(const record::CaseRow& row, spec::Of of);
bool has_finite_reference(const record::CaseRow& row);

/// Cases in which the reference's output is non-finite: they make the reference unfit.
std::vector<std::string> non_finite_reference_cases(const Evidence& evidence);

}  // namespace mantissa::judge
