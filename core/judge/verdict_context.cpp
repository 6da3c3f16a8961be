// SPDX-License-Identifier: Apache-2.0
#include "core/judge/verdict_context.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/judge/prediction_shift.h"

namespace mantissa::judge {
namespace {

std::optional<double> quality_of(const std::vector<record::CaseRow>& rows, const std::string& metric, bool reference,
                                 const TargetUnit& unit, const DecisionRule& decision) {
  if (rows.empty()) return std::nullopt;
  try {
    return quality(rows, metric, spec::Of::Trained, reference, unit, decision);
  } catch (const Error&) {
    return std::nullopt;  // a metric of a later version, or targets that do not fit: the rules say so
  }
}

record::WeighedQuality& of_metric(std::vector<record::WeighedQuality>& qualities, const std::string& metric) {
  const auto found = std::find_if(qualities.begin(), qualities.end(),
                                  [&metric](const record::WeighedQuality& one) { return one.metric == metric; });
  if (found != qualities.end()) return *found;
  record::WeighedQuality& added = qualities.emplace_back();
  added.metric = metric;
  added.higher_is_better = spec::higher_is_better(metric);
  return added;
}

}  // namespace

record::VerdictContext verdict_context(const std::vector<record::CaseRow>& rows, const DecisionRule& decision,
                                       const TargetUnit& unit, const std::optional<record::ReferenceContext>& context,
                                       const std::string& metric) {
  record::VerdictContext whole;
  if (context) {
    for (const record::ContextScore& score : context->scores) {
      of_metric(whole.qualities, score.metric).scores.push_back(score);
    }
    whole.inputs = context->inputs;
  } else {
    whole.missing = "the reference came to no comparison, or is from before these were measured";
    whole.inputs.missing = whole.missing;
  }
  if (whole.qualities.empty() && !metric.empty()) of_metric(whole.qualities, metric);
  for (record::WeighedQuality& one : whole.qualities) {
    one.reference = quality_of(rows, one.metric, true, unit, decision);
    one.trial = quality_of(rows, one.metric, false, unit, decision);
  }
  for (const spec::Of of : {spec::Of::SameWeights, spec::Of::Trained}) {
    const std::string missing = shifts_missing(rows, of);
    if (!missing.empty() && whole.shifts_missing.empty()) whole.shifts_missing = missing;
    for (record::PredictionShift& shift : prediction_shifts(rows, of)) whole.shifts.push_back(std::move(shift));
  }
  whole.paired = paired_decisions(rows);
  return whole;
}

}  // namespace mantissa::judge
