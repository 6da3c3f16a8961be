// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/judge/case_evidence.h"
#include "core/judge/paired_tests.h"
#include "core/judge/rules.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::CaseRow;
using record::RuleVerdict;
using record::VerdictWord;

struct Bound {
  std::string limit;  ///< "at least 0.95"
  double value;       ///< as a bound of the metric itself
  bool holds;
};

/// Whether `drop` stays within `limit`, the rounding of the subtraction that made it aside: with 200 cases 0.98 - 0.975
/// is one case, which a limit of 0.005 allows.
bool drop_within(double drop, double limit, double reference) {
  return drop <= limit + 8 * std::numeric_limits<double>::epsilon() * std::fabs(reference);
}

std::vector<Bound> bounds_of(const spec::QualityRule& rule, bool higher, double value, double reference) {
  std::vector<Bound> bounds;
  if (rule.min) bounds.push_back({"at least " + mantissa::to_text(*rule.min), *rule.min, value >= *rule.min});
  if (rule.max) bounds.push_back({"at most " + mantissa::to_text(*rule.max), *rule.max, value <= *rule.max});
  const double drop = higher ? reference - value : value - reference;
  const auto add_drop = [&](double allowed, const std::string& text) {
    const double bound = higher ? reference - allowed : reference + allowed;
    bounds.push_back({text, bound, drop_within(drop, allowed, reference)});
  };
  const std::string worse = higher ? " below the reference" : " above the reference";
  if (rule.max_drop) {
    add_drop(*rule.max_drop, "at most " + mantissa::to_text(*rule.max_drop) + worse);
  }
  if (rule.max_drop_relative) {
    add_drop(*rule.max_drop_relative * std::fabs(reference),
             "at most " + mantissa::to_text(*rule.max_drop_relative) + " of the reference's value" + worse);
  }
  return bounds;
}

std::string metric_of(const spec::QualityRule& rule, const Evidence& evidence) {
  return rule.metric.empty() ? spec::default_metric(evidence.task) : rule.metric;
}

bool counts_decisions(const std::string& metric) {
  return metric == "accuracy" || metric == "f1" || metric == "auc" || metric == "log_loss";
}

std::int64_t counted_by(const std::string& metric, const std::vector<CaseRow>& cases) {
  return std::count_if(cases.begin(), cases.end(), [&metric](const CaseRow& row) {
    return row.positions || (counts_decisions(metric) ? row.correct_reference.has_value() : !row.target.empty());
  });
}

bool is_no_probability(double value) { return value < 0.0 || value > 1.0; }

/// Outputs that can lower a metric below what it can reach; a NaN is told by others.
bool is_beyond_probabilities(const CaseRow& row, const std::string& metric, spec::Of of, DecisionKind kind) {
  if (metric == "perplexity") {
    const auto& nll = of == spec::Of::Trained ? row.nll : row.nll_same_weights;
    return (nll && *nll < 0.0) || (row.nll_reference && *row.nll_reference < 0.0);
  }
  if (metric != "log_loss" || kind != DecisionKind::Probability) return false;
  const std::vector<double>& output = output_of(row, of);
  return std::any_of(output.begin(), output.end(), is_no_probability) ||
         std::any_of(row.output_reference.begin(), row.output_reference.end(), is_no_probability);
}

/// Which cases leave a metric without a meaning; empty: none.
std::string no_probabilities(const std::string& metric, spec::Of of, const Evidence& evidence) {
  std::vector<std::string> ids;
  for (const CaseRow& row : evidence.cases) {
    if (is_beyond_probabilities(row, metric, of, evidence.decision.kind)) ids.push_back(row.id);
  }
  if (ids.empty()) return {};
  const std::string expected = metric == "perplexity" ? "log-probabilities above 0" : "probabilities outside 0 to 1";
  return metric + " (" + to_text(of) + ") has no meaning: " + count(static_cast<std::int64_t>(ids.size())) + " of " +
         count(size_of(evidence.cases), "case") + " have " + expected +
         " in the trial or the reference: " + first_three(ids);
}

RuleVerdict judge_quality_of(const spec::QualityRule& rule, const Evidence& evidence) {
  const std::string metric = metric_of(rule, evidence);
  const bool higher = rule.direction.empty() ? spec::higher_is_better(metric) : rule.direction == "higher";
  RuleVerdict verdict;
  verdict.name = name_of("quality", rule.name);
  verdict.of = to_text(rule.of);
  verdict.limit = metric;
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;
  verdict.cases = counted_by(metric, evidence.cases);
  if (verdict.cases == 0) {
    verdict.reason = "no frozen case has a target that " + metric + " could be taken of";
    return verdict;
  }

  verdict.reason = no_probabilities(metric, rule.of, evidence);
  if (!verdict.reason.empty()) return verdict;
  const std::string cases = counted_cases(verdict.cases, evidence.cases);
  const double value = quality(evidence.cases, metric, rule.of, false, evidence.unit, evidence.decision);
  const double reference = quality(evidence.cases, metric, rule.of, true, evidence.unit, evidence.decision);
  verdict.value = value;
  if (!std::isfinite(reference)) {
    verdict.reason = "the reference's own " + metric + " is " + short_number(reference);
    return verdict;
  }
  const std::vector<Bound> bounds = bounds_of(rule, higher, value, reference);
  if (bounds.empty()) {
    verdict.reason = "the rule on " + metric + " states no limit";
    return verdict;
  }
  // The deciding bound: the first that does not hold, else the tightest.
  const Bound* deciding = &bounds.front();
  std::vector<std::string> limits;
  for (const Bound& bound : bounds) {
    limits.push_back(bound.limit);
    const bool tighter = higher ? bound.value > deciding->value : bound.value < deciding->value;
    if (deciding->holds && (!bound.holds || tighter)) deciding = &bound;
  }
  verdict.limit = metric + ' ' + listed(limits);
  verdict.limit_value = deciding->value;
  verdict.verdict = VerdictWord::Rejected;
  if (!std::isfinite(value)) {
    verdict.reason = "non-finite: " + metric + " (" + verdict.of + ") is " + short_number(value) + " over " + cases;
    return verdict;
  }
  if (deciding->holds) verdict.verdict = VerdictWord::Accepted;
  verdict.reason = metric + " (" + verdict.of + ") is " + number_beside(value, deciding->value) + " over " + cases +
                   ", the reference has " + short_number(reference) + "; " + deciding->limit + " is " +
                   (deciding->holds ? "required" : "required and not met");
  const std::string too_few = too_few_cases(verdict.cases, evidence.cases);
  if (!too_few.empty()) {
    verdict.verdict = VerdictWord::Undecided;
    verdict.reason += "; " + too_few;
  }
  return verdict;
}

/// Trial less reference with the better side up.
double improvement(const spec::QualityRule& rule, const std::string& metric, const std::vector<CaseRow>& cases,
                   const Evidence& evidence) {
  const double value = quality(cases, metric, rule.of, false, evidence.unit, evidence.decision);
  const double reference = quality(cases, metric, rule.of, true, evidence.unit, evidence.decision);
  const bool higher = rule.direction.empty() ? spec::higher_is_better(metric) : rule.direction == "higher";
  return higher ? value - reference : reference - value;
}

RuleVerdict judge_non_inferiority_of(const spec::QualityRule& rule, const Evidence& evidence) {
  const spec::NonInferior& asked = *rule.non_inferior;
  const std::string metric = metric_of(rule, evidence);
  RuleVerdict verdict;
  verdict.name = name_of("quality", rule.name) + ".non_inferior";
  verdict.of = to_text(rule.of);
  verdict.limit = metric + " not worse by more than " + mantissa::to_text(asked.margin) + ", one-sided " +
                  (asked.test == spec::NonInferior::Test::T ? "paired t test" : "paired bootstrap") + ", alpha " +
                  mantissa::to_text(asked.alpha) + ", at least " + count(asked.seeds, "seed");
  verdict.limit_value = -asked.margin;
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;
  verdict.reason = no_probabilities(metric, rule.of, evidence);
  if (!verdict.reason.empty()) return verdict;
  const std::int64_t counted = counted_by(metric, evidence.cases);
  const std::string too_few = too_few_cases(counted, evidence.cases);
  if (!too_few.empty()) {
    verdict.reason = metric + " is of " + counted_cases(counted, evidence.cases) + ": " + too_few;
    return verdict;
  }
  std::vector<double> differences{improvement(rule, metric, evidence.cases, evidence)};
  for (const OtherSeed& other : evidence.other_seeds) {
    differences.push_back(improvement(rule, metric, other.cases, evidence));
  }
  verdict.cases = static_cast<std::int64_t>(differences.size());
  if (verdict.cases < asked.seeds) {
    verdict.reason =
        "non-inferiority of " + metric + " asks for " + count(asked.seeds, "seed") + " and there " +
        (verdict.cases == 1 ? "is " : "are ") + count(verdict.cases) +
        (evidence.made_elsewhere
             ? " in files of a run that was made elsewhere: leave non_inferior out, or bring the model "
               "and run it here over seeds"
             : " in the archive: run the experiment with --set training.seed=N, then judge the trial again");
    return verdict;
  }
  if (!std::all_of(differences.begin(), differences.end(), [](double one) { return std::isfinite(one); })) {
    verdict.reason = "the difference of " + metric + " is no number with one of " + count(verdict.cases, "seed");
    return verdict;
  }
  const NonInferiority shown = asked.test == spec::NonInferior::Test::T
                                   ? non_inferiority_by_t(differences, asked.margin, asked.alpha)
                                   : non_inferiority_by_bootstrap(differences, asked.margin, asked.alpha);
  verdict.value = shown.lower_bound;
  verdict.verdict = shown.shown ? VerdictWord::Accepted : VerdictWord::Rejected;
  verdict.reason = metric + " (" + verdict.of + ") is better by " + short_number(shown.mean_difference) + " over " +
                   count(verdict.cases, "seed") + ", with a lower bound of " +
                   number_beside(shown.lower_bound, -asked.margin) + " (p " + short_number(shown.p_value) +
                   "); it must be above " + short_number(-asked.margin);
  if (counted < size_of(evidence.cases)) verdict.reason += ", of " + counted_cases(counted, evidence.cases);
  return verdict;
}

}  // namespace

RuleVerdict judge_non_inferiority(const spec::QualityRule& rule, const Evidence& whole) {
  return judge_on_slice(rule, whole, judge_non_inferiority_of);
}

RuleVerdict judge_quality(const spec::QualityRule& rule, const Evidence& whole) {
  return judge_on_slice(rule, whole, judge_quality_of);
}

}  // namespace mantissa::judge
