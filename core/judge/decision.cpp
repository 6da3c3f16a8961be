// SPDX-License-Identifier: Apache-2.0
#include "core/judge/decision.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/judge/statistics.h"

namespace mantissa::judge {
namespace {

constexpr std::size_t kMostBits = 62;  // of a decision that is written as one number

Decision decide_by_largest(const std::vector<double>& output) {
  Decision decision;
  decision.made = true;
  const auto top = std::max_element(output.begin(), output.end());  // the first of equal ones
  decision.classes = {top - output.begin()};
  for (auto other = output.begin(); other != output.end(); ++other) {
    if (other == top) continue;
    const double distance = *top - *other;
    decision.margin = decision.margin ? std::min(*decision.margin, distance) : distance;
  }
  decision.tie = decision.margin && *decision.margin == 0.0;
  return decision;
}

Decision decide_by_threshold(const std::vector<double>& output, double threshold) {
  Decision decision;
  decision.made = true;
  for (const double value : output) {
    decision.classes.push_back(value >= threshold ? 1 : 0);
    const double distance = std::fabs(value - threshold);
    decision.margin = decision.margin ? std::min(*decision.margin, distance) : distance;
  }
  decision.tie = decision.margin && *decision.margin == 0.0;
  return decision;
}

}  // namespace

std::optional<std::int64_t> Decision::as_number() const {
  if (!made || classes.empty()) return std::nullopt;
  if (classes.size() == 1) return classes.front();
  if (classes.size() > kMostBits) return std::nullopt;
  std::int64_t bits = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) bits |= classes[i] << i;
  return bits;
}

Decision decide(const DecisionRule& rule, const std::vector<double>& output) {
  if (output.empty() || !all_finite(output)) return {};
  switch (rule.kind) {
    case DecisionKind::None:
      return {};
    case DecisionKind::ArgMax:
      return decide_by_largest(output);
    case DecisionKind::Threshold:
    case DecisionKind::Probability:
      return decide_by_threshold(output, rule.threshold);
    case DecisionKind::Logit:
      return decide_by_threshold(output, 0.0);
  }
  return {};
}

Decision wanted(const DecisionRule& rule, const std::vector<double>& target) {
  Decision decision;
  if (target.empty() || !all_finite(target)) return decision;
  if (rule.kind == DecisionKind::ArgMax) {
    if (target.size() != 1) return decision;  // class probabilities as targets ask for no single class
    const double index = target.front();
    if (index < 0 || index != std::floor(index)) return decision;
    if (index == static_cast<double>(rule.ignore_index)) return decision;
    decision.made = true;
    decision.classes = {static_cast<std::int64_t>(index)};
    return decision;
  }
  if (rule.kind == DecisionKind::None) return decision;
  if (rule.kind == DecisionKind::Threshold) return decide_by_threshold(target, rule.threshold);
  // Targets of the binary losses are probabilities of class 1, whatever the threshold of the model's own output.
  return decide_by_threshold(target, 0.5);
}

}  // namespace mantissa::judge
