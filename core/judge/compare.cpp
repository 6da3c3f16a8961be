// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/judge/decision.h"
#include "core/judge/judge.h"
#include "core/judge/positions.h"
#include "core/judge/statistics.h"

namespace mantissa::judge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Errors {
  double absolute = 0.0;
  double relative = 0.0;
  double case_relative = 0.0;
  double ulp = 0.0;
};

/// |a - b| by the rule of `compare` for non-finite values.
double distance(double a, double b) {
  if (a == b) return 0.0;  // equal infinities too
  return std::fabs(a - b);
}

/// 0/0 is 0, x/0 and x over an infinity that differs are infinite.
double ratio(double difference, double size) {
  if (difference == 0.0 || std::isnan(difference)) return difference;
  if (std::isinf(difference)) return kInfinity;
  return size == 0.0 ? kInfinity : difference / size;
}

/// Position of a float on the number line, counted in representable values; both zeros are 0.
std::int64_t place_of(float value) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits >= 0 ? bits : std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits;
}

/// What FP32 rounds to 0 fits as 0: a file may hold probabilities in FP64, of which the smallest are 1e-60.
bool fits_float(double value) { return std::isfinite(static_cast<float>(value)); }

double ulp_distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == b) return 0.0;
  if (std::isinf(a) || std::isinf(b) || !fits_float(a) || !fits_float(b)) return kInfinity;
  return static_cast<double>(std::llabs(place_of(static_cast<float>(a)) - place_of(static_cast<float>(b))));
}

/// The larger one; NaN wins over everything.
double worse(double so_far, double value) {
  if (std::isnan(so_far) || std::isnan(value)) return kNan;
  return std::max(so_far, value);
}

double largest_finite(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

Errors errors_of(const record::CaseRow& row, const std::vector<double>& output, double rms) {
  const std::vector<double>& reference = row.output_reference;
  if (output.empty() || reference.empty()) return {kNan, kNan, kNan, kNan};
  if (output.size() != reference.size()) {
    throw Error(ErrorKind::DataProblem, {"outputs that cannot be compared", "", 0, 0, "case " + row.id,
                                         std::to_string(output.size()) + " output elements",
                                         std::to_string(reference.size()) + ", as the reference has", ""});
  }
  Errors errors;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double difference = distance(output[i], reference[i]);
    errors.absolute = worse(errors.absolute, difference);
    errors.relative = worse(errors.relative, ratio(difference, std::fabs(reference[i])));
    errors.ulp = worse(errors.ulp, ulp_distance(output[i], reference[i]));
  }
  errors.case_relative = ratio(errors.absolute, std::max(largest_finite(reference), rms));
  return errors;
}

void compare_errors(record::CaseRow& row, double rms) {
  const Errors trained = errors_of(row, row.output, rms);
  row.abs_error = trained.absolute;
  row.rel_error = trained.relative;
  row.case_relative = trained.case_relative;
  row.ulp_error = trained.ulp;
  const Errors same_weights = errors_of(row, row.output_same_weights, rms);
  row.abs_error_same_weights = same_weights.absolute;
  row.rel_error_same_weights = same_weights.relative;
  row.case_relative_same_weights = same_weights.case_relative;
  row.ulp_error_same_weights = same_weights.ulp;
}

void compare_decisions(record::CaseRow& row, const DecisionRule& rule) {
  const Decision trained = decide(rule, row.output);
  const Decision reference = decide(rule, row.output_reference);
  const Decision same_weights = decide(rule, row.output_same_weights);
  row.decision = trained.as_number(rule);
  row.decision_reference = reference.as_number(rule);
  row.decision_same_weights = same_weights.as_number(rule);
  row.tie = trained.tie;
  row.tie_reference = reference.tie;
  row.margin = trained.margin;
  row.margin_reference = reference.margin;

  const bool decides = rule.kind != DecisionKind::None && !row.output_reference.empty();
  const auto flipped = [&](const Decision& decision, const std::vector<double>& output) {
    if (!decides || output.empty()) return false;
    return !decision.made || !reference.made || !decision.is_same(reference);
  };
  row.flip = flipped(trained, row.output);
  row.flip_same_weights = flipped(same_weights, row.output_same_weights);

  const Decision right = wanted(rule, row.target);
  const auto correct = [&](const Decision& decision, const std::vector<double>& output) -> std::optional<bool> {
    if (!right.made || output.empty()) return std::nullopt;
    return is_right(rule, decision, right);
  };
  row.correct = correct(trained, row.output);
  row.correct_reference = correct(reference, row.output_reference);
  row.correct_same_weights = correct(same_weights, row.output_same_weights);
}

void refuse_unknown_ties(const DecisionRule& rule) {
  for (const char* const known : {"lowest-index", "highest-index", "tie-is-a-decision"}) {
    if (rule.ties == known) return;
  }
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "rules.flips.ties", '\'' + rule.ties + '\'',
                                          "lowest-index | highest-index | tie-is-a-decision", ""});
}

}  // namespace

void ReferenceScale::add(const std::vector<double>& output_reference) {
  for (const double value : output_reference) {
    if (!std::isfinite(value)) continue;
    sum_ += value * value;
    ++count_;
    const double size = std::fabs(value);
    if (size > largest_) {
      const double share = largest_ / size;
      sum_of_shares_ = sum_of_shares_ * share * share + 1.0;
      largest_ = size;
    } else if (size > 0.0) {
      const double share = size / largest_;
      sum_of_shares_ += share * share;
    }
  }
}

double ReferenceScale::rms() const {
  if (count_ == 0) return 0.0;
  const auto count = static_cast<double>(count_);
  return may_be_squared(largest_) ? std::sqrt(sum_ / count) : largest_ * std::sqrt(sum_of_shares_ / count);
}

void compare(record::CaseRow& row, const DecisionRule& decision, double rms) {
  refuse_unknown_ties(decision);
  compare_errors(row, rms);
  if (decision.positions == 0) {
    compare_decisions(row, decision);
    return;
  }
  compare_positions(row, decision);
  for (auto* values : {&row.output, &row.output_reference, &row.output_same_weights, &row.target}) {
    *values = std::vector<double>();  // clear() would keep the memory
  }
}

void compare(std::vector<record::CaseRow>& rows, const DecisionRule& decision) {
  refuse_unknown_ties(decision);
  ReferenceScale scale;
  for (const record::CaseRow& row : rows) scale.add(row.output_reference);
  for (record::CaseRow& row : rows) compare(row, decision, scale.rms());
}

std::optional<double> margin(const DecisionRule& decision, const std::vector<double>& output) {
  return decision.positions > 0 ? decide_positions(decision, output, {}).margin : decide(decision, output).margin;
}

}  // namespace mantissa::judge
