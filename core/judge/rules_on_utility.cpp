// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/number_text.h"
#include "core/judge/case_evidence.h"
#include "core/judge/rules.h"
#include "core/judge/utility.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::RuleVerdict;
using record::VerdictWord;

/// Whether a drop stays within its limit, the rounding of the sums aside: sums of tenths are no tenths.
bool drop_within(double drop, double limit, double reference, double value) {
  constexpr double kRoundings = 64;  // of a few hundred additions, far below any gain that somebody would declare
  const double size = std::max(std::fabs(reference), std::fabs(value));
  return drop <= limit + kRoundings * std::numeric_limits<double>::epsilon() * size;
}

RuleVerdict judge_utility_of(const spec::UtilityRule& rule, const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = "utility";
  verdict.of = to_text(rule.of);
  std::vector<std::string> limits;
  if (rule.min) limits.push_back("at least " + mantissa::to_text(*rule.min));
  if (rule.max_drop) limits.push_back("at most " + mantissa::to_text(*rule.max_drop) + " below the reference");
  verdict.limit = "summed utility " + listed(limits);
  if (!evidence.utility) {
    verdict.reason = "no gains and losses were declared: [utility] is missing";
    return verdict;
  }
  verdict.unit = evidence.utility->unit;
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;
  if (evidence.decision.kind == DecisionKind::None || evidence.decision.positions > 0) {
    verdict.reason = "the task makes no decision a case, which could have a utility";
    return verdict;
  }
  const record::Utility utility = utility_of(evidence.cases, evidence.decision, *evidence.utility);
  const record::UtilitySum& sum = utility.sums.front();
  verdict.cases = sum.cases;
  if (sum.cases == 0) {
    verdict.reason = "no frozen case has a truth that a decision could gain or lose by";
    return verdict;
  }
  const double value = (rule.of == spec::Of::Trained ? sum.trained : sum.same_weights).value();
  verdict.value = value;
  const bool enough = !rule.min || value >= *rule.min;
  const bool near = !rule.max_drop || drop_within(sum.reference - value, *rule.max_drop, sum.reference, value);
  const bool by_min = rule.min && (!enough || !rule.max_drop || (near && *rule.min >= sum.reference - *rule.max_drop));
  verdict.limit_value = by_min ? *rule.min : sum.reference - *rule.max_drop;
  verdict.verdict = enough && near ? VerdictWord::Accepted : VerdictWord::Rejected;
  const std::string unit = verdict.unit.empty() ? "" : ' ' + verdict.unit;
  verdict.reason = "the summed utility (" + verdict.of + ") is " + number_beside(value, *verdict.limit_value) + unit +
                   " over " + counted_cases(sum.cases, evidence.cases) + ", the reference has " +
                   short_number(sum.reference) + unit + "; " + limits[by_min || !rule.min ? 0 : 1] + " is " +
                   (enough && near ? "required" : "required and not met");
  const std::string too_few = too_few_cases(sum.cases, evidence.cases);
  if (!too_few.empty()) {
    verdict.verdict = VerdictWord::Undecided;
    verdict.reason += "; " + too_few;
  }
  return verdict;
}

}  // namespace

RuleVerdict judge_utility(const spec::UtilityRule& rule, const Evidence& whole) {
  return judge_on_slice(rule, whole, judge_utility_of);
}

}  // namespace mantissa::judge
