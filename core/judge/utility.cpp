// SPDX-License-Identifier: Apache-2.0
#include "core/judge/utility.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "core/judge/decision.h"

namespace mantissa::judge {
namespace {

using record::CaseRow;

/// \param decision  negative: for no class
double worth(const spec::Utility& utility, std::size_t truth, std::int64_t decision) {
  const std::vector<double>& row = utility.matrix[truth];
  if (decision >= 0 && decision < static_cast<std::int64_t>(row.size())) return row[static_cast<std::size_t>(decision)];
  return utility.no_decision.value_or(*std::min_element(row.begin(), row.end()));
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
  if (sum && value) *sum += *value;
}

record::UtilitySum sum_of(const std::vector<const CaseRow*>& rows, const DecisionRule& decision,
                          const spec::Utility& utility) {
  record::UtilitySum sum;
  const auto has = [&rows](const std::vector<double> CaseRow::*output) {
    return std::none_of(rows.begin(), rows.end(), [output](const CaseRow* row) { return (row->*output).empty(); });
  };
  if (has(&CaseRow::output)) sum.trained = 0.0;
  if (has(&CaseRow::output_same_weights)) sum.same_weights = 0.0;
  for (const CaseRow* const row : rows) {
    const std::optional<double> reference = utility_of_case(*row, row->output_reference, decision, utility);
    if (!reference) continue;
    ++sum.cases;
    sum.reference += *reference;
    add(sum.trained, utility_of_case(*row, row->output, decision, utility));
    add(sum.same_weights, utility_of_case(*row, row->output_same_weights, decision, utility));
  }
  return sum;
}

}  // namespace

std::optional<double> utility_of_case(const CaseRow& row, const std::vector<double>& output,
                                      const DecisionRule& decision, const spec::Utility& utility) {
  const DecisionRule rule = of_task(decision);
  const Decision truth = wanted(rule, row.target);
  if (!truth.made) return std::nullopt;
  const Decision made = decide(rule, output);
  const bool for_classes = made.made && made.tied.empty();
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.classes.size(); ++i) {
    const std::int64_t one = truth.classes[i];
    if (one < 0 || one >= static_cast<std::int64_t>(utility.matrix.size())) return std::nullopt;
    const bool is_there = for_classes && i < made.classes.size();
    sum += worth(utility, static_cast<std::size_t>(one), is_there ? made.classes[i] : -1);
  }
  return sum;
}

record::Utility utility_of(const std::vector<CaseRow>& rows, const DecisionRule& decision,
                           const spec::Utility& utility) {
  record::Utility result;
  result.unit = utility.unit;
  std::vector<const CaseRow*> all;
  std::map<std::string, std::vector<const CaseRow*>> slices;
  for (const CaseRow& row : rows) {
    all.push_back(&row);
    if (!row.slice.empty()) slices[row.slice].push_back(&row);
  }
  result.sums.push_back(sum_of(all, decision, utility));
  for (const auto& [slice, members] : slices) {
    result.sums.push_back(sum_of(members, decision, utility));
    result.sums.back().slice = slice;
  }
  return result;
}

std::int64_t classes_of_utility(const DecisionRule& decision, std::int64_t outputs) {
  return decision.kind == DecisionKind::ArgMax ? outputs : 2;
}

}  // namespace mantissa::judge
