// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/judge/case_evidence.h"
#include "core/judge/prediction_shift.h"
#include "core/judge/rules.h"
#include "core/judge/wording.h"

namespace mantissa::judge {

record::RuleVerdict judge_distribution(const spec::DistributionRule& rule, const Evidence& evidence) {
  const bool psi = rule.measure == "psi";
  const std::string measure = psi ? "population stability" : "Kolmogorov–Smirnov distance";
  record::RuleVerdict verdict;
  verdict.name = name_of("distribution", rule.name);
  verdict.of = to_text(rule.of);
  verdict.limit = "largest " + measure + " of an output at most " + mantissa::to_text(rule.max);
  verdict.limit_value = rule.max;
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;
  const std::string missing = shifts_missing(evidence.cases, rule.of);
  if (!missing.empty()) {
    verdict.reason = "the distribution of outputs (" + verdict.of + ") is not measured: " + missing;
    return verdict;
  }
  verdict.cases = size_of(evidence.cases);
  const auto value_of = [psi](const record::PredictionShift& shift) {
    return psi ? shift.population_stability : shift.kolmogorov_smirnov;
  };
  const std::vector<record::PredictionShift> shifts = prediction_shifts(evidence.cases, rule.of);
  const record::PredictionShift* worst = nullptr;
  for (const record::PredictionShift& shift : shifts) {
    const bool is_worse = worst == nullptr || std::isnan(value_of(shift)) || value_of(shift) > value_of(*worst);
    if (is_worse) worst = &shift;
    if (std::isnan(value_of(shift))) break;
  }
  if (worst == nullptr) {
    verdict.reason = "the model has no output";
    return verdict;
  }
  const double value = value_of(*worst);
  verdict.value = value;
  const bool holds = value <= rule.max;  // NaN does not
  verdict.verdict = holds ? record::VerdictWord::Accepted : record::VerdictWord::Rejected;
  if (std::isnan(value)) {
    verdict.reason = "non-finite: output " + count(worst->output) + " (" + verdict.of + ") is NaN in a case";
    return verdict;
  }
  verdict.reason = measure + " (" + verdict.of + ") of output " + count(worst->output) + ", which moved most, is " +
                   number_beside(value, rule.max) + " over " + count(verdict.cases, "case") + "; at most " +
                   mantissa::to_text(rule.max) + (holds ? " is required" : " is required and not met");
  return verdict;
}

}  // namespace mantissa::judge
