// SPDX-License-Identifier: Apache-2.0
#include "core/judge/positions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/judge/decision.h"

namespace mantissa::judge {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// log of the sum of exponentials, with the largest taken out so that none overflows; NaN where torch's log_softmax is.
double log_sum_exp(const double* outputs, std::size_t classes) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < classes; ++i) {
    if (std::isnan(outputs[i])) return kNan;
    largest = std::max(largest, outputs[i]);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < classes; ++i) sum += std::exp(outputs[i] - largest);
  return largest + std::log(sum);
}

std::int64_t flips_between(const PositionDecisions& a, const PositionDecisions& b) {
  std::int64_t flips = 0;
  for (std::size_t i = 0; i < a.decisions.size(); ++i) {
    if (!a.decisions[i].made || !b.decisions[i].made || !a.decisions[i].is_same(b.decisions[i])) ++flips;
  }
  return flips;
}

double rmse_between(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

PositionDecisions decide_positions(const DecisionRule& rule, const std::vector<double>& output,
                                   const std::vector<double>& target) {
  const auto positions = static_cast<std::size_t>(rule.positions);
  if (output.empty() || output.size() % positions != 0) {
    throw Error(
        ErrorKind::DataProblem,
        {"outputs that do not divide into positions", "", 0, 0, "", std::to_string(output.size()) + " output elements",
         "a multiple of the " + std::to_string(positions) + " positions of a case", ""});
  }
  const std::size_t classes = output.size() / positions;
  PositionDecisions decisions;
  const bool has_target = target.size() == positions;
  DecisionRule one_position = rule;
  one_position.positions = 0;
  const DecisionRule task = of_task(one_position);
  const bool is_of_task = rule.form == spec::FlipsDecision::Task;
  double nll = 0.0;
  for (std::size_t p = 0; p < positions; ++p) {
    const double* const from = output.data() + p * classes;
    const std::vector<double> own(from, from + classes);
    const Decision& decision = decisions.decisions.emplace_back(decide(one_position, own));
    if (!decision.made) ++decisions.non_finite;
    decisions.tie = decisions.tie || decision.tie;
    if (decision.margin) {
      decisions.margin = decisions.margin ? std::min(*decisions.margin, *decision.margin) : *decision.margin;
    }
    if (!has_target) continue;
    const auto wanted = static_cast<std::size_t>(target[p]);
    const Decision one = is_of_task ? decision : decide(task, own);
    if (one.made && one.tied.empty() && one.classes.front() == static_cast<std::int64_t>(wanted)) ++decisions.correct;
    nll += (rule.log_probabilities ? 0.0 : log_sum_exp(from, classes)) - from[wanted];
  }
  if (decisions.non_finite > 0) decisions.margin.reset();
  decisions.nll = has_target ? nll / static_cast<double>(positions) : kNan;
  return decisions;
}

void compare_positions(record::CaseRow& row, const DecisionRule& rule) {
  const PositionDecisions reference = decide_positions(rule, row.output_reference, row.target);
  row.positions = rule.positions;
  row.tie_reference = reference.tie;
  row.margin_reference = reference.margin;
  row.positions_correct_reference = reference.correct;
  row.positions_non_finite_reference = reference.non_finite;
  row.nll_reference = reference.nll;
  if (!row.output.empty()) {
    const PositionDecisions trained = decide_positions(rule, row.output, row.target);
    row.tie = trained.tie;
    row.margin = trained.margin;
    row.position_flips = flips_between(trained, reference);
    row.flip = *row.position_flips > 0;
    row.positions_correct = trained.correct;
    row.positions_non_finite = trained.non_finite;
    row.nll = trained.nll;
    row.output_rmse = rmse_between(row.output, row.output_reference);
  }
  if (!row.output_same_weights.empty()) {
    const PositionDecisions same_weights = decide_positions(rule, row.output_same_weights, row.target);
    row.position_flips_same_weights = flips_between(same_weights, reference);
    row.flip_same_weights = *row.position_flips_same_weights > 0;
    row.positions_correct_same_weights = same_weights.correct;
    row.positions_non_finite_same_weights = same_weights.non_finite;
    row.nll_same_weights = same_weights.nll;
    row.output_rmse_same_weights = rmse_between(row.output_same_weights, row.output_reference);
  }
}

}  // namespace mantissa::judge
