// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/judge/rules.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::CaseRow;
using record::RuleVerdict;
using record::VerdictWord;

constexpr std::size_t kMostNamed = 3;

std::int64_t size_of(const std::vector<CaseRow>& rows) { return static_cast<std::int64_t>(rows.size()); }

const std::vector<double>& output_of(const CaseRow& row, spec::Of of) {
  return of == spec::Of::Trained ? row.output : row.output_same_weights;
}

/// Of a case with positions only their counts are left.
const std::optional<std::int64_t>& non_finite_positions(const CaseRow& row, spec::Of of) {
  return of == spec::Of::Trained ? row.positions_non_finite : row.positions_non_finite_same_weights;
}

bool has_output(const CaseRow& row, spec::Of of) {
  return !output_of(row, of).empty() || non_finite_positions(row, of).has_value();
}

bool has_reference(const CaseRow& row) {
  return !row.output_reference.empty() || row.positions_non_finite_reference.has_value();
}

/// Which outputs a rule needs and the cases lack; empty where it can be judged.
std::string missing_outputs(const Evidence& evidence, spec::Of of) {
  if (evidence.cases.empty()) {
    const bool ended_early = evidence.status != record::Status::Finished || !evidence.reference_finished;
    return ended_early ? "the frozen cases were not evaluated, because the run ended early"
                       : "there are no frozen cases";
  }
  const char* column = of == spec::Of::Trained ? "output[i]" : "output_same_weights[i]";
  std::int64_t missing = 0;
  std::int64_t missing_reference = 0;
  for (const CaseRow& row : evidence.cases) {
    if (!has_output(row, of)) ++missing;
    if (!has_reference(row)) ++missing_reference;
  }
  if (missing == 0 && missing_reference == 0) return {};
  if (missing == 0) {
    missing = missing_reference;
    column = "output_reference[i]";
  }
  return std::string(column) + " is missing in " + count(missing) + " of " + count(size_of(evidence.cases), "case");
}

/// "rejected as non-finite", with the cases; nothing where all outputs of the trial are finite.
std::string non_finite_outputs(const Evidence& evidence, spec::Of of) {
  std::vector<std::string> ids;
  for (const CaseRow& row : evidence.cases) {
    if (!has_finite_output(row, of)) ids.push_back(row.id);
  }
  if (ids.empty()) return {};
  return "non-finite: the output (" + to_text(of) + ") of " + count(static_cast<std::int64_t>(ids.size())) + " of " +
         count(size_of(evidence.cases), "case") + " is no number: " + first_three(ids);
}

std::string name_of(const char* rule, const std::string& name) {
  return name.empty() ? std::string(rule) : std::string(rule) + '.' + name;
}

// --- output ---------------------------------------------------------------------------------------------------------

double rmse_of(const CaseRow& row, spec::Of of) {
  const auto& of_positions = of == spec::Of::Trained ? row.output_rmse : row.output_rmse_same_weights;
  if (of_positions) return *of_positions;
  const std::vector<double>& output = output_of(row, of);
  double sum = 0.0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double difference = output[i] - row.output_reference[i];
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(output.size()));
}

double measure_of(const CaseRow& row, const std::string& measure, spec::Of of) {
  const bool trained = of == spec::Of::Trained;
  if (measure == "case_relative") return trained ? row.case_relative : row.case_relative_same_weights;
  if (measure == "abs") return trained ? row.abs_error : row.abs_error_same_weights;
  if (measure == "rel") return trained ? row.rel_error : row.rel_error_same_weights;
  if (measure == "ulp") return trained ? row.ulp_error : row.ulp_error_same_weights;
  if (measure == "rmse") return rmse_of(row, of);
  throw Error(ErrorKind::NotYetAvailable, {"a measure that is not yet available", "", 0, 0, "rules.output.measure",
                                           '\'' + measure + '\'', "case_relative, abs, rel, ulp or rmse", ""});
}

std::string unit_of(const std::string& measure) {
  if (measure == "ulp") return "ULP";
  if (measure == "abs" || measure == "rmse") return "model units";
  return {};
}

std::string reduced(const spec::OutputRule& rule) {
  switch (rule.reduce) {
    case spec::Reduce::Max:
      return "the largest " + rule.measure;
    case spec::Reduce::Mean:
      return "the mean " + rule.measure;
    case spec::Reduce::Median:
      return "the median " + rule.measure;
    case spec::Reduce::Quantile:
      return 'q' + mantissa::to_text(rule.q) + " of " + rule.measure;
  }
  return rule.measure;
}

std::string worst_cases(const Evidence& evidence, const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(order.size(), kMostNamed); ++i) {
    named.push_back(evidence.cases[order[i]].id + " (" + short_number(values[order[i]]) + ')');
  }
  return (named.size() == 1 ? "worst case: " : "worst cases: ") + listed(named);
}

/// The limits that a rule states, as words: "bfloat16 and float16".
std::string stated_dtypes(const spec::OutputRule& rule) {
  std::vector<std::string> words;
  for (const auto& [word, limit] : rule.max) words.push_back(word);
  return words.empty() ? "none" : listed(words);
}

std::vector<double> measures_of(const std::vector<CaseRow>& cases, const spec::OutputRule& rule) {
  std::vector<double> values;
  values.reserve(cases.size());
  for (const CaseRow& row : cases) values.push_back(measure_of(row, rule.measure, rule.of));
  return values;
}

struct OutputLimit {
  std::string text;  ///< "at most 0.02"
  double value;
};

/// Everything that a rule allows at most. All of it must hold, so the least limit decides.
struct OutputLimits {
  std::string text;                     ///< behind what is measured; with a blank or a colon before it
  std::optional<OutputLimit> deciding;  ///< nothing where none could be stated as a number
  std::string missing;                  ///< why a multiple of a yardstick could not
};

void add_limit(OutputLimits& limits, const OutputLimit& limit) {
  limits.text += (limits.text.empty() ? " " : " and ") + limit.text;
  if (!limits.deciding || limit.value < limits.deciding->value) limits.deciding = limit;
}

void add_multiple(OutputLimits& limits, const std::optional<double>& factor, const std::string& yardstick_name,
                  const std::optional<double>& size, const std::string& how_to_measure) {
  if (!factor) return;
  const std::string words = "at most " + mantissa::to_text(*factor) + " times the " + yardstick_name;
  if (size && std::isfinite(*size) && *size > 0.0) {
    add_limit(limits, {words + " of " + short_number(*size), *factor * *size});
    return;
  }
  limits.text += (limits.text.empty() ? " " : " and ") + words;
  if (!size) {
    limits.missing = "the " + yardstick_name + " was not measured: " + how_to_measure;
  } else if (*size == 0.0) {
    limits.missing = "the " + yardstick_name + " is 0, so it has no multiples: " + how_to_measure;
  } else {
    limits.missing = "the " + yardstick_name + " is " + short_number(*size);
  }
}

OutputLimits limits_of(const spec::OutputRule& rule, const Evidence& evidence) {
  OutputLimits limits;
  auto limit = rule.max.find(evidence.autocast);
  if (limit == rule.max.end()) limit = rule.max.find("");
  if (limit != rule.max.end()) {
    add_limit(limits, {"at most " + mantissa::to_text(limit->second), limit->second});
  } else if (!rule.max_rounding && !rule.max_spread) {
    limits.text = ": no limit for autocast " + evidence.autocast;
  }
  add_multiple(limits, rule.max_rounding, "rounding floor", yardstick(evidence.rounding, rule),
               "reference.rounding_repeats and reference.float64 do it");
  add_multiple(limits, rule.max_spread, "run-to-run spread", yardstick(evidence.spread, rule),
               "reference.repeats does it");
  return limits;
}

// --- flips ----------------------------------------------------------------------------------------------------------

/// "17 (3 instead of 5)"
std::string flipped_case(const CaseRow& row, spec::Of of) {
  if (row.positions) {
    const auto& flips = of == spec::Of::Trained ? row.position_flips : row.position_flips_same_weights;
    return row.id + " (" + count(flips.value_or(0)) + " of " + count(*row.positions) + " positions)";
  }
  const auto& decision = of == spec::Of::Trained ? row.decision : row.decision_same_weights;
  const auto word = [](const std::optional<std::int64_t>& made, const std::vector<double>& output) {
    if (made) return std::to_string(*made);
    return std::string(all_finite(output) ? "another" : "no decision, non-finite");
  };
  return row.id + " (" + word(decision, output_of(row, of)) + " instead of " +
         word(row.decision_reference, row.output_reference) + ')';
}

/// The most telling flips first: no decision at all, then the surest decisions of the reference, or the most positions.
std::vector<std::string> worst_flips(std::vector<const CaseRow*> flips, spec::Of of) {
  const auto weight = [&](const CaseRow* row) {
    if (!has_finite_output(*row, of)) return std::numeric_limits<double>::infinity();
    if (row->positions) {
      const auto& positions = of == spec::Of::Trained ? row->position_flips : row->position_flips_same_weights;
      return static_cast<double>(positions.value_or(0));
    }
    return row->margin_reference.value_or(0.0);
  };
  std::stable_sort(flips.begin(), flips.end(),
                   [&](const CaseRow* a, const CaseRow* b) { return weight(a) > weight(b); });
  std::vector<std::string> named;
  named.reserve(flips.size());
  for (const CaseRow* row : flips) {
    named.push_back(named.size() < kMostNamed ? flipped_case(*row, of) : row->id);
  }
  return named;
}

/// One count of flips against one limit. `kind`: empty for all kinds that have no entry of their own.
RuleVerdict judge_flips_of(const spec::FlipsRule& rule, const std::string& kind, std::int64_t limit,
                           const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = name_of("flips", kind);
  verdict.of = to_text(rule.of);
  verdict.limit = "at most " + count(limit, "flip") + (kind.empty() ? "" : " of " + kind + " cases");
  verdict.limit_value = static_cast<double>(limit);
  verdict.unit = "flips";
  if (evidence.decision.kind == DecisionKind::None) {
    verdict.reason = "the task has no decision that could flip";
    return verdict;
  }
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;

  std::vector<const CaseRow*> flips;
  std::int64_t ties = 0;
  std::int64_t positions = 0;
  std::int64_t flipped_positions = 0;
  for (const CaseRow& row : evidence.cases) {
    const std::string own(record::to_text(row.kind));
    if (kind.empty() ? rule.max_by_kind.count(own) > 0 : own != kind) continue;
    ++verdict.cases;
    positions += row.positions.value_or(0);
    flipped_positions +=
        (rule.of == spec::Of::Trained ? row.position_flips : row.position_flips_same_weights).value_or(0);
    if (!(rule.of == spec::Of::Trained ? row.flip : row.flip_same_weights)) continue;
    flips.push_back(&row);
    if (row.tie_reference) ++ties;
  }
  const std::string noun = kind.empty() ? "case" : kind + " case";
  if (verdict.cases == 0) {
    verdict.reason = "there is no " + noun + " among the frozen cases";
    return verdict;
  }
  const auto found = static_cast<std::int64_t>(flips.size());
  verdict.value = static_cast<double>(found);
  verdict.verdict = found <= limit ? VerdictWord::Accepted : VerdictWord::Rejected;
  verdict.reason = count(found) + " of " + count(verdict.cases, noun) + (found == 1 ? " decides" : " decide") +
                   " differently from the reference (" + to_text(rule.of) + "), at most " + count(limit) +
                   (limit == 1 ? " is" : " are") + " allowed";
  if (positions > 0) {
    verdict.reason += "; " + count(flipped_positions) + " of " + count(positions, "position") +
                      (flipped_positions == 1 ? " decides" : " decide") + " differently";
  }
  if (ties > 0) verdict.reason += "; " + count(ties) + " at a tie of the reference";
  if (found > 0) verdict.reason += ": " + first_three(worst_flips(flips, rule.of));
  return verdict;
}

// --- quality --------------------------------------------------------------------------------------------------------

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

}  // namespace

std::string to_text(spec::Of of) { return of == spec::Of::Trained ? "trained" : "same_weights"; }

bool has_finite_output(const CaseRow& row, spec::Of of) {
  return non_finite_positions(row, of).value_or(0) == 0 && all_finite(output_of(row, of));
}

bool has_finite_reference(const CaseRow& row) {
  return row.positions_non_finite_reference.value_or(0) == 0 && all_finite(row.output_reference);
}

std::vector<std::string> non_finite_reference_cases(const Evidence& evidence) {
  std::vector<std::string> ids;
  for (const CaseRow& row : evidence.cases) {
    if (!has_finite_reference(row)) ids.push_back(row.id);
  }
  return ids;
}

RuleVerdict judge_output(const spec::OutputRule& rule, const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = name_of("output", rule.name);
  verdict.of = to_text(rule.of);
  verdict.unit = unit_of(rule.measure);
  verdict.cases = size_of(evidence.cases);

  const OutputLimits limits = limits_of(rule, evidence);
  verdict.limit = reduced(rule) + limits.text;
  if (limits.deciding) verdict.limit_value = limits.deciding->value;
  if (!limits.deciding && limits.missing.empty()) {
    verdict.reason = "the rule on " + reduced(rule) + " has no limit for autocast " + evidence.autocast +
                     "; it states " + stated_dtypes(rule);
    return verdict;
  }
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;

  const std::vector<std::string> broken = non_finite_reference_cases(evidence);
  if (!broken.empty()) {
    verdict.reason = "the reference's own output is non-finite in " + count(static_cast<std::int64_t>(broken.size())) +
                     " of " + count(verdict.cases, "case") + ": " + first_three(broken);
    return verdict;
  }

  const std::vector<double> values = measures_of(evidence.cases, rule);
  verdict.value = reduce(values, rule.reduce, rule.q);
  verdict.verdict = VerdictWord::Rejected;
  verdict.reason = non_finite_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;

  const std::string found = reduced(rule) + " (" + verdict.of + ") is ";
  const std::string over = (verdict.unit.empty() ? "" : ' ' + verdict.unit) + " over " + count(verdict.cases, "case");
  const bool holds = !limits.deciding || *verdict.value <= limits.deciding->value;
  if (holds && !limits.missing.empty()) {
    verdict.verdict = VerdictWord::Undecided;
    verdict.reason = found + short_number(*verdict.value) + over + "; " + limits.missing;
    return verdict;
  }
  verdict.verdict = holds ? VerdictWord::Accepted : VerdictWord::Rejected;
  verdict.reason = found + number_beside(*verdict.value, limits.deciding->value) + over + ", " + limits.deciding->text +
                   " is allowed";
  if (!holds) verdict.reason += "; " + worst_cases(evidence, values);
  return verdict;
}

double reduced_measure(const std::vector<CaseRow>& cases, const spec::OutputRule& rule) {
  return reduce(measures_of(cases, rule), rule.reduce, rule.q);
}

std::optional<double> yardstick(const std::vector<std::vector<CaseRow>>& repeats, const spec::OutputRule& rule) {
  if (repeats.empty()) return std::nullopt;
  std::vector<double> values;
  for (const std::vector<CaseRow>& cases : repeats) values.push_back(reduced_measure(cases, rule));
  return reduce(values, spec::Reduce::Max, 0.0);
}

std::vector<RuleVerdict> judge_flips(const spec::FlipsRule& rule, const Evidence& evidence) {
  std::vector<RuleVerdict> verdicts;
  const bool some_have_no_entry =
      evidence.cases.empty() || std::any_of(evidence.cases.begin(), evidence.cases.end(), [&](const CaseRow& row) {
        return rule.max_by_kind.count(std::string(record::to_text(row.kind))) == 0;
      });
  if (rule.max && some_have_no_entry) verdicts.push_back(judge_flips_of(rule, "", *rule.max, evidence));
  for (const auto& [kind, limit] : rule.max_by_kind) verdicts.push_back(judge_flips_of(rule, kind, limit, evidence));
  return verdicts;
}

RuleVerdict judge_quality(const spec::QualityRule& rule, const Evidence& evidence) {
  const std::string metric = metric_of(rule, evidence);
  const bool higher = rule.direction.empty() ? metric == "accuracy" : rule.direction == "higher";
  RuleVerdict verdict;
  verdict.name = name_of("quality", rule.name);
  verdict.of = to_text(rule.of);
  verdict.limit = metric;
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;
  for (const CaseRow& row : evidence.cases) {
    const bool measured =
        row.positions || (metric == "accuracy" ? row.correct_reference.has_value() : !row.target.empty());
    if (measured) ++verdict.cases;
  }
  if (verdict.cases == 0) {
    verdict.reason = "no frozen case has a target that " + metric + " could be taken of";
    return verdict;
  }

  const double value = quality(evidence.cases, metric, rule.of, false, evidence.unit);
  const double reference = quality(evidence.cases, metric, rule.of, true, evidence.unit);
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
    verdict.reason = "non-finite: " + metric + " (" + verdict.of + ") is " + short_number(value) + " over " +
                     count(verdict.cases, "case");
    return verdict;
  }
  if (deciding->holds) verdict.verdict = VerdictWord::Accepted;
  verdict.reason = metric + " (" + verdict.of + ") is " + number_beside(value, deciding->value) + " over " +
                   count(verdict.cases, "case") + ", the reference has " + short_number(reference) + "; " +
                   deciding->limit + " is " + (deciding->holds ? "required" : "required and not met");
  return verdict;
}

}  // namespace mantissa::judge
