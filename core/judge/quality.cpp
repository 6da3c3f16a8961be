// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/judge/decision.h"
#include "core/judge/judge.h"
#include "core/judge/scores.h"
#include "core/judge/statistics.h"

namespace mantissa::judge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<double>& output_of(const record::CaseRow& row, spec::Of of, bool reference) {
  if (reference) return row.output_reference;
  return of == spec::Of::Trained ? row.output : row.output_same_weights;
}

const std::optional<bool>& correct_of(const record::CaseRow& row, spec::Of of, bool reference) {
  if (reference) return row.correct_reference;
  return of == spec::Of::Trained ? row.correct : row.correct_same_weights;
}

double accuracy(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference) {
  std::size_t right = 0;
  std::size_t count = 0;
  for (const record::CaseRow& row : rows) {
    if (output_of(row, of, reference).empty()) return kNan;
    const std::optional<bool>& correct = correct_of(row, of, reference);
    if (!correct) continue;  // no target, or one to be ignored
    ++count;
    if (*correct) ++right;
  }
  return count == 0 ? kNan : static_cast<double>(right) / static_cast<double>(count);
}

/// The same where the rows' own `correct` is of another form than the task's decision.
double accuracy_of_task(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference,
                        const DecisionRule& rule) {
  std::size_t right = 0;
  std::size_t count = 0;
  for (const record::CaseRow& row : rows) {
    const std::vector<double>& output = output_of(row, of, reference);
    if (output.empty()) return kNan;
    const Decision truth = wanted(rule, row.target);
    if (!truth.made) continue;
    ++count;
    if (is_right(rule, decide(rule, output), truth)) ++right;
  }
  return count == 0 ? kNan : static_cast<double>(right) / static_cast<double>(count);
}

/// The share of positions that decide for their target.
double accuracy_of_positions(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference) {
  std::int64_t right = 0;
  std::int64_t count = 0;
  for (const record::CaseRow& row : rows) {
    const auto& correct = reference                 ? row.positions_correct_reference
                          : of == spec::Of::Trained ? row.positions_correct
                                                    : row.positions_correct_same_weights;
    if (!correct) return kNan;
    right += *correct;
    count += *row.positions;
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

double perplexity(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (const record::CaseRow& row : rows) {
    const auto& nll = reference ? row.nll_reference : of == spec::Of::Trained ? row.nll : row.nll_same_weights;
    if (!nll) return kNan;
    sum += *nll * static_cast<double>(*row.positions);
    count += *row.positions;
  }
  return count == 0 ? kNan : std::exp(sum / static_cast<double>(count));
}

double in_own_unit(double value, std::size_t element, const TargetUnit& unit) {
  if (!unit.scale.empty()) value *= unit.scale[element % unit.scale.size()];
  if (!unit.offset.empty()) value += unit.offset[element % unit.offset.size()];
  return unit.log10 ? std::pow(10.0, value) : value;
}

/// The errors of a case by target, in the target's own unit; with the first target itself.
struct CaseErrors {
  std::vector<double> errors;
  double target = 0.0;
};

/// Nothing where an output is missing.
std::optional<std::vector<CaseErrors>> errors_of(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference,
                                                 const TargetUnit& unit) {
  std::vector<CaseErrors> all;
  for (const record::CaseRow& row : rows) {
    const std::vector<double>& output = output_of(row, of, reference);
    if (output.empty()) return std::nullopt;
    if (row.target.empty()) continue;
    if (row.target.size() != output.size()) {
      throw Error(ErrorKind::DataProblem,
                  {"a target of another size than the output", "", 0, 0, "case " + row.id,
                   std::to_string(row.target.size()) + " target elements", std::to_string(output.size()), ""});
    }
    CaseErrors& errors = all.emplace_back();
    errors.target = in_own_unit(row.target.front(), 0, unit);
    for (std::size_t i = 0; i < output.size(); ++i) {
      errors.errors.push_back(in_own_unit(output[i], i, unit) - in_own_unit(row.target[i], i, unit));
    }
  }
  return all;
}

double rmse_of(const std::vector<CaseErrors>& cases) {
  std::vector<double> errors;
  for (const CaseErrors& one : cases) errors.insert(errors.end(), one.errors.begin(), one.errors.end());
  return root_mean_square(errors);
}

double mean_of(const std::vector<CaseErrors>& cases) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const CaseErrors& one : cases) {
    for (const double error : one.errors) sum += std::fabs(error);
    count += one.errors.size();
  }
  return count == 0 ? kNan : sum / static_cast<double>(count);
}

double largest_of(const std::vector<CaseErrors>& cases) {
  double largest = cases.empty() ? kNan : 0.0;
  for (const CaseErrors& one : cases) {
    for (const double error : one.errors) {
      if (std::isnan(error)) return kNan;
      largest = std::max(largest, std::fabs(error));
    }
  }
  return largest;
}

/// Of the cases whose targets are farthest from the median one; the earlier of equals.
std::vector<CaseErrors> extremes_of(std::vector<CaseErrors> cases) {
  std::vector<double> targets;
  targets.reserve(cases.size());
  for (const CaseErrors& one : cases) targets.push_back(one.target);
  const double middle = reduce(targets, spec::Reduce::Median, 0.5);
  std::stable_sort(cases.begin(), cases.end(), [middle](const CaseErrors& a, const CaseErrors& b) {
    return std::fabs(a.target - middle) > std::fabs(b.target - middle);
  });
  constexpr std::size_t kTenth = 10;
  if (!cases.empty()) cases.resize(std::max<std::size_t>(1, cases.size() / kTenth));
  return cases;
}

double error_metric(const std::vector<record::CaseRow>& rows, const std::string& metric, spec::Of of, bool reference,
                    const TargetUnit& unit) {
  const std::optional<std::vector<CaseErrors>> errors = errors_of(rows, of, reference, unit);
  if (!errors) return kNan;
  if (metric == "rmse") return rmse_of(*errors);
  if (metric == "mae") return mean_of(*errors);
  if (metric == "worst_error") return largest_of(*errors);
  return mean_of(extremes_of(*errors));
}

/// Truth and decision of the cases that have a target.
struct Decided {
  std::vector<std::int64_t> truths, decisions;
};

constexpr std::int64_t kNoClass = -1;

std::optional<Decided> decided(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference,
                               const DecisionRule& rule) {
  Decided all;
  for (const record::CaseRow& row : rows) {
    const std::vector<double>& output = output_of(row, of, reference);
    if (output.empty()) return std::nullopt;
    const std::optional<std::int64_t> truth = wanted(rule, row.target).as_number(rule);
    if (!truth) continue;
    all.truths.push_back(*truth);
    all.decisions.push_back(decide(rule, output).as_number(rule).value_or(kNoClass));
  }
  return all;
}

double f1(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference, const DecisionRule& rule) {
  const std::optional<Decided> all = decided(rows, of, reference, rule);
  return all ? macro_f1(all->truths, all->decisions) : kNan;
}

/// How much an output speaks for class 1; nothing where there are not two classes.
std::optional<double> score(const std::vector<double>& output, DecisionKind kind) {
  if (kind == DecisionKind::ArgMax && output.size() == 2) return output[1] - output[0];
  if (kind != DecisionKind::ArgMax && output.size() == 1) return output[0];
  return std::nullopt;
}

double auc(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference, const DecisionRule& rule) {
  std::vector<bool> is_one;
  std::vector<double> scores;
  for (const record::CaseRow& row : rows) {
    const std::vector<double>& output = output_of(row, of, reference);
    if (output.empty()) return kNan;
    const std::optional<std::int64_t> truth = wanted(rule, row.target).as_number(rule);
    if (!truth) continue;
    const std::optional<double> value = score(output, rule.kind);
    if (!value) return kNan;
    is_one.push_back(*truth == 1);
    scores.push_back(*value);
  }
  return area_under_roc(is_one, scores);
}

/// The probability that an output gives to a class; NaN where it gives none.
double probability(const std::vector<double>& output, std::size_t which, DecisionKind kind) {
  if (kind == DecisionKind::ArgMax) {
    if (which >= output.size()) return kNan;
    double sum = 0.0;
    for (const double other : output) sum += std::exp(other - output[which]);
    return 1.0 / sum;
  }
  if (output.size() != 1) return kNan;
  if (kind == DecisionKind::Probability) return which == 1 ? output[0] : 1.0 - output[0];
  if (kind == DecisionKind::Logit) return 1.0 / (1.0 + std::exp(which == 1 ? -output[0] : output[0]));
  return kNan;
}

double log_loss_of(const std::vector<record::CaseRow>& rows, spec::Of of, bool reference, const DecisionRule& rule) {
  std::vector<double> of_truth;
  for (const record::CaseRow& row : rows) {
    const std::vector<double>& output = output_of(row, of, reference);
    if (output.empty()) return kNan;
    const std::optional<std::int64_t> truth = wanted(rule, row.target).as_number(rule);
    if (truth) of_truth.push_back(probability(output, static_cast<std::size_t>(*truth), rule.kind));
  }
  return log_loss(of_truth);
}

}  // namespace

double quality(const std::vector<record::CaseRow>& rows, const std::string& metric, spec::Of of, bool reference,
               const TargetUnit& unit, const DecisionRule& given) {
  const DecisionRule decision = of_task(given);
  const bool by_position = !rows.empty() && rows.front().positions.has_value();
  if (metric == "accuracy" && by_position) return accuracy_of_positions(rows, of, reference);
  if (metric == "accuracy" && given.form != spec::FlipsDecision::Task) {
    return accuracy_of_task(rows, of, reference, decision);
  }
  if (metric == "accuracy") return accuracy(rows, of, reference);
  if (metric == "perplexity") return perplexity(rows, of, reference);
  if (metric == "f1") return f1(rows, of, reference, decision);
  if (metric == "auc") return auc(rows, of, reference, decision);
  if (metric == "log_loss") return log_loss_of(rows, of, reference, decision);
  for (const char* const known : {"rmse", "mae", "worst_error", "extreme_error"}) {
    if (metric == known) return error_metric(rows, metric, of, reference, unit);
  }
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "rules.quality.metric", '\'' + metric + '\'',
                                          "a metric of mantissa-cli help experiment", ""});
}

}  // namespace mantissa::judge
