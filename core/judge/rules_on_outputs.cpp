// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/judge/case_evidence.h"
#include "core/judge/rules.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::CaseRow;
using record::RuleVerdict;
using record::VerdictWord;

double rmse_of(const CaseRow& row, spec::Of of) {
  const auto& of_positions = of == spec::Of::Trained ? row.output_rmse : row.output_rmse_same_weights;
  if (of_positions) return *of_positions;
  const std::vector<double>& output = output_of(row, of);
  std::vector<double> differences(output.size());
  for (std::size_t i = 0; i < output.size(); ++i) differences[i] = output[i] - row.output_reference[i];
  return root_mean_square(differences);
}

/// What both vectors are divided by before they are squared: 1 where that stays within FP64's range.
double unit_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest == 0.0 || std::isinf(largest) || may_be_squared(largest) ? 1.0 : largest;
}

/// 1 less the cosine of the angle between the two outputs; two zero vectors have the same direction, one has none.
double cosine_distance(const std::vector<double>& output, const std::vector<double>& reference) {
  const double unit = unit_of(output);
  const double unit_of_reference = unit_of(reference);
  double product = 0.0;
  double squares = 0.0;
  double squares_of_reference = 0.0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double one = output[i] / unit;
    const double other = reference[i] / unit_of_reference;
    product += one * other;
    squares += one * one;
    squares_of_reference += other * other;
  }
  if (squares == 0.0 && squares_of_reference == 0.0) return 0.0;
  if (squares == 0.0 || squares_of_reference == 0.0) return 1.0;
  return std::max(0.0, 1.0 - product / (std::sqrt(squares) * std::sqrt(squares_of_reference)));  // NaN stays NaN
}

/// The largest difference as a multiple of its tolerance. A difference without any tolerance is infinite.
double in_tolerances(const std::vector<double>& output, const std::vector<double>& reference,
                     const spec::Tolerance& tolerance) {
  double worst = 0.0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (output[i] == reference[i]) continue;  // equal infinities, too
    const double difference = std::fabs(output[i] - reference[i]);
    const double share = difference / (tolerance.absolute + tolerance.relative * std::fabs(reference[i]));
    if (std::isnan(share)) return share;
    worst = std::max(worst, share);
  }
  return worst;
}

/// Of an autocast word, else of every dtype.
template <class Value>
const Value* for_dtype(const std::map<std::string, Value>& values, const std::string& autocast) {
  auto found = values.find(autocast);
  if (found == values.end()) found = values.find("");
  return found == values.end() ? nullptr : &found->second;
}

double measure_of(const CaseRow& row, const spec::OutputRule& rule, const std::string& autocast) {
  const spec::Of of = rule.of;
  const std::string& measure = rule.measure;
  const bool trained = of == spec::Of::Trained;
  if (measure == "cosine") return cosine_distance(output_of(row, of), row.output_reference);
  if (measure == "elementwise") {
    const spec::Tolerance* const tolerance = for_dtype(rule.tolerances, autocast);
    return in_tolerances(output_of(row, of), row.output_reference,
                         tolerance == nullptr ? spec::Tolerance() : *tolerance);
  }
  if (measure == "case_relative") return trained ? row.case_relative : row.case_relative_same_weights;
  if (measure == "abs") return trained ? row.abs_error : row.abs_error_same_weights;
  if (measure == "rel") return trained ? row.rel_error : row.rel_error_same_weights;
  if (measure == "ulp") return trained ? row.ulp_error : row.ulp_error_same_weights;
  if (measure == "rmse") return rmse_of(row, of);
  throw Error(ErrorKind::NotYetAvailable, {"a measure that is not yet available", "", 0, 0, "rules.output.measure",
                                           '\'' + measure + '\'', "a measure of mantissa-cli help experiment", ""});
}

std::string unit_of(const std::string& measure) {
  if (measure == "ulp") return "ULP";
  if (measure == "abs" || measure == "rmse") return "model units";
  return {};
}

/// As reasons name it.
std::string measure_words(const spec::OutputRule& rule) {
  if (rule.measure == "cosine") return "1 - cosine";
  if (rule.measure != "elementwise") return rule.measure;
  const std::string words = "difference as a share of its elementwise tolerance";
  return rule.preset.empty() ? words : words + " (" + rule.preset + ": made per operator, not per network)";
}

/// " of output.boxes"; empty for the prediction.
std::string of_output(const spec::OutputRule& rule) { return rule.output.empty() ? "" : " of " + rule.output; }

std::string reduced(const spec::OutputRule& rule) {
  const std::string measure = measure_words(rule) + of_output(rule);
  switch (rule.reduce) {
    case spec::Reduce::Max:
      return "the largest " + measure;
    case spec::Reduce::Mean:
      return "the mean " + measure;
    case spec::Reduce::Median:
      return "the median " + measure;
    case spec::Reduce::Quantile:
      return 'q' + mantissa::to_text(rule.q) + " of " + measure;
  }
  return measure;
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

std::vector<double> measures_of(const std::vector<CaseRow>& cases, const spec::OutputRule& rule,
                                const std::string& autocast) {
  std::vector<double> values;
  values.reserve(cases.size());
  for (const CaseRow& row : cases) values.push_back(measure_of(row, rule, autocast));
  return values;
}

/// A measure that needs every output, of cases of which only counts over their positions are kept.
bool needs_what_is_not_kept(const spec::OutputRule& rule, const Evidence& evidence) {
  const bool by_position = !evidence.cases.empty() && evidence.cases.front().positions.has_value();
  return by_position && (rule.measure == "cosine" || rule.measure == "elementwise" || rule.measure == "float64_rmse");
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
  add_multiple(limits, rule.max_rounding, "rounding floor", yardstick(evidence.rounding, rule, evidence.autocast),
               "reference.rounding_repeats and reference.float64 do it");
  add_multiple(limits, rule.max_spread, "run-to-run spread", yardstick(evidence.spread, rule, evidence.autocast),
               "reference.repeats does it");
  return limits;
}

/// Root mean square of the differences over all elements of all cases. \param reference  of the reference's own outputs
double rmse_against(const std::vector<CaseRow>& cases, const std::vector<CaseRow>& float64, spec::Of of,
                    bool reference) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<double>& output = reference ? cases[i].output_reference : output_of(cases[i], of);
    const std::vector<double>& exact = float64[i].output_same_weights;
    for (std::size_t k = 0; k < output.size(); ++k) differences.push_back(output[k] - exact[k]);
  }
  return root_mean_square(differences);
}

double largest_share_of_tolerance(const std::vector<CaseRow>& cases, const std::vector<CaseRow>& float64, spec::Of of,
                                  double tolerance) {
  double worst = 0.0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double share = in_tolerances(output_of(cases[i], of), float64[i].output_same_weights, {tolerance, tolerance});
    if (std::isnan(share)) return share;
    worst = std::max(worst, share);
  }
  return worst;
}

/// torchdynamo's rule; what it needs beside the cases is there, and finite.
void judge_against_float64(RuleVerdict& verdict, const spec::OutputRule& rule, const Evidence& evidence) {
  const std::vector<CaseRow>& exact = evidence.rounding[*evidence.float64];
  const double* const multiple = for_dtype(rule.float64_multiples, evidence.autocast);
  const double own = rmse_against(evidence.cases, exact, rule.of, true);
  const double limit = (multiple == nullptr ? 2.0 : *multiple) * own + rule.float64_tolerance / 10.0;
  verdict.value = rmse_against(evidence.cases, exact, rule.of, false);
  verdict.limit_value = limit;
  const bool close = largest_share_of_tolerance(evidence.cases, exact, rule.of, rule.float64_tolerance) <= 1.0;
  const bool holds = *verdict.value <= limit;
  verdict.verdict = holds || close ? VerdictWord::Accepted : VerdictWord::Rejected;
  verdict.reason = "the RMSE" + of_output(rule) + " against FP64 (" + verdict.of + ") is " +
                   number_beside(*verdict.value, limit) + " over " + count(verdict.cases, "case") + ", at most " +
                   short_number(limit) + " is allowed, the reference's own " + "is " + short_number(own);
  if (!holds && close) {
    verdict.reason += "; every output is within " + mantissa::to_text(rule.float64_tolerance) + " of the FP64 one";
  }
}

std::string float64_missing(const Evidence& evidence) {
  if (!evidence.float64 || *evidence.float64 >= evidence.rounding.size()) {
    return "the outputs in FP64 were not measured: reference.float64 = true does it";
  }
  if (evidence.rounding[*evidence.float64].size() != evidence.cases.size()) {
    return "the outputs in FP64 are not those of these cases";
  }
  return {};
}

std::string limit_of_float64(const spec::OutputRule& rule, const std::string& autocast) {
  const double* const multiple = for_dtype(rule.float64_multiples, autocast);
  return "RMSE" + of_output(rule) + " against FP64 at most " +
         mantissa::to_text(multiple == nullptr ? 2.0 : *multiple) + " times the reference's own plus " +
         mantissa::to_text(rule.float64_tolerance / 10.0) + " (torchdynamo: made per operator, not per network)";
}

/// What a rule on case_relative would find if the case that sets the scale were not there.
std::string without_setter(const spec::OutputRule& rule, const Evidence& evidence) {
  if (rule.measure != "case_relative" || !rule.slice.empty()) return {};  // the scale is that of the whole set
  const std::optional<ScaleSetter> setter = scale_setter(evidence.cases);
  if (!setter) return {};
  std::vector<CaseRow> others = evidence.cases;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(setter->place));
  for (CaseRow& row : others) compare(row, evidence.decision, setter->rms_of_others);
  return "; " + words_of(*setter, evidence.cases) + ", where it would be " +
         short_number(reduced_measure(others, rule, evidence.autocast));
}

RuleVerdict judge_output_of(const spec::OutputRule& rule, const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = name_of("output", rule.name);
  verdict.of = to_text(rule.of);
  verdict.unit = unit_of(rule.measure);
  verdict.cases = size_of(evidence.cases);

  if (needs_what_is_not_kept(rule, evidence)) {
    verdict.limit = measure_words(rule);
    verdict.reason = measure_words(rule) + " needs all outputs, and of cases with positions only counts are kept";
    return verdict;
  }
  const bool by_float64 = rule.measure == "float64_rmse";
  const OutputLimits limits = by_float64 ? OutputLimits() : limits_of(rule, evidence);
  if (by_float64) {
    verdict.limit = limit_of_float64(rule, evidence.autocast);
  } else {
    verdict.limit = reduced(rule) + limits.text;
  }
  if (limits.deciding) verdict.limit_value = limits.deciding->value;
  if (!by_float64 && !limits.deciding && limits.missing.empty()) {
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

  if (by_float64) {
    verdict.reason = float64_missing(evidence);
    if (!verdict.reason.empty()) return verdict;
    verdict.reason = non_finite_outputs(evidence, rule.of);
    verdict.verdict = VerdictWord::Rejected;
    if (verdict.reason.empty()) judge_against_float64(verdict, rule, evidence);
    return verdict;
  }
  const std::vector<double> values = measures_of(evidence.cases, rule, evidence.autocast);
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
  verdict.reason += without_setter(rule, evidence);
  return verdict;
}

}  // namespace

std::optional<ScaleSetter> scale_setter(const std::vector<CaseRow>& cases) {
  constexpr double kMostOfOthers = 10.0;
  if (cases.size() < 2) return std::nullopt;
  std::size_t place = 0;
  double most = 0.0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const double value : cases[i].output_reference) {
      if (!(std::isfinite(value) && std::fabs(value) > most)) continue;
      most = std::fabs(value);
      place = i;
    }
  }
  ReferenceScale all;
  ReferenceScale others;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    all.add(cases[i].output_reference);
    if (i != place) others.add(cases[i].output_reference);
  }
  if (!(all.rms() > kMostOfOthers * others.rms())) return std::nullopt;
  return ScaleSetter{place, all.rms(), others.rms()};
}

std::string words_of(const ScaleSetter& setter, const std::vector<CaseRow>& cases) {
  return "case " + cases[setter.place].id +
         " alone sets the scale of case_relative: the RMS of the reference's outputs "
         "is " +
         short_number(setter.rms) + ", and " + short_number(setter.rms_of_others) + " without it";
}

RuleVerdict judge_output(const spec::OutputRule& rule, const Evidence& whole) {
  if (rule.output.empty()) return judge_on_slice(rule, whole, judge_output_of);
  const Evidence other = on_output(whole, rule.output);  // of all cases: the RMS that scales is over the whole set
  RuleVerdict verdict = judge_on_slice(rule, other, judge_output_of);
  const std::vector<std::string> recorded = other_outputs(whole);
  const bool is_there = std::find(recorded.begin(), recorded.end(), rule.output) != recorded.end();
  if (!whole.cases.empty() && !is_there) {
    verdict.verdict = VerdictWord::Undecided;
    verdict.value.reset();
    verdict.reason = "of this trial it was not recorded: a run records the prediction and what its own rules name";
  } else if (const std::string wrong = wrong_size(whole, rule.output, rule.of); !wrong.empty()) {
    verdict.verdict = VerdictWord::Rejected;
    verdict.value.reset();
    verdict.reason = wrong;
  }
  const bool names_it = verdict.reason.find(of_output(rule)) != std::string::npos;
  if (!names_it) verdict.reason = rule.output + ": " + verdict.reason;
  return verdict;
}

double reduced_measure(const std::vector<CaseRow>& cases, const spec::OutputRule& rule, const std::string& autocast) {
  return reduce(measures_of(cases, rule, autocast), rule.reduce, rule.q);
}

std::optional<double> yardstick(const std::vector<std::vector<CaseRow>>& repeats, const spec::OutputRule& rule,
                                const std::string& autocast) {
  if (repeats.empty()) return std::nullopt;
  std::vector<double> values;
  for (const std::vector<CaseRow>& cases : repeats) values.push_back(reduced_measure(cases, rule, autocast));
  return reduce(values, spec::Reduce::Max, 0.0);
}

}  // namespace mantissa::judge
