// SPDX-License-Identifier: Apache-2.0
#include "core/judge/decision.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/judge/statistics.h"

namespace mantissa::judge {
namespace {

constexpr std::int64_t kMostBits = 62;  // of a decision that is written as one number

constexpr std::int64_t kTie = -1;  // of a tie that is a decision, as a number

bool tie_decides(const DecisionRule& rule) { return rule.ties == "tie-is-a-decision"; }

/// The place of every output in the order of the largest first; of equal ones by the rule of ties.
std::vector<std::int64_t> in_order(const DecisionRule& rule, const std::vector<double>& output) {
  std::vector<std::int64_t> order(output.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (rule.ties == "highest-index") std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&output](std::int64_t a, std::int64_t b) {
    return output[static_cast<std::size_t>(a)] > output[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Sorts indices that count as equal, though their outputs may differ by up to tie_within.
template <class Iterator>
void sort_tied(const DecisionRule& rule, Iterator begin, Iterator end) {
  std::sort(begin, end);
  if (rule.ties == "highest-index") std::reverse(begin, end);
}

/// The `places` largest outputs. With one place this is arg-max.
Decision decide_by_largest(const DecisionRule& rule, const std::vector<double>& output, std::size_t places) {
  Decision decision;
  decision.made = true;
  std::vector<std::int64_t> order = in_order(rule, output);
  const auto value = [&](std::size_t place) { return output[static_cast<std::size_t>(order[place])]; };
  if (places >= order.size()) {
    decision.classes = std::move(order);
    std::sort(decision.classes.begin(), decision.classes.end());
    return decision;
  }
  const double last = value(places - 1);
  decision.margin = last - value(places);
  decision.tie = *decision.margin <= rule.tie_within;
  if (!decision.tie) {
    decision.classes.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(places));
    std::sort(decision.classes.begin(), decision.classes.end());
    return decision;
  }
  // Those that share the last places: as near to the last one's output as tie_within allows, on either side.
  std::size_t first = places - 1;
  while (first > 0 && value(first - 1) - last <= rule.tie_within) --first;
  std::size_t end = places + 1;
  while (end < order.size() && last - value(end) <= rule.tie_within) ++end;
  const auto begin_of_tied = order.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end_of_tied = order.begin() + static_cast<std::ptrdiff_t>(end);
  sort_tied(rule, begin_of_tied, end_of_tied);
  if (tie_decides(rule)) {
    decision.classes.assign(order.begin(), begin_of_tied);
    decision.tied.assign(begin_of_tied, end_of_tied);
  } else {
    decision.classes.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(places));
  }
  std::sort(decision.classes.begin(), decision.classes.end());
  return decision;
}

Decision decide_by_order(const DecisionRule& rule, const std::vector<double>& output) {
  Decision decision;
  decision.made = true;
  std::vector<std::int64_t> order = in_order(rule, output);
  std::vector<std::int64_t> tied_with_next(order.size(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const double gap = output[static_cast<std::size_t>(order[i])] - output[static_cast<std::size_t>(order[i + 1])];
    decision.margin = decision.margin ? std::min(*decision.margin, gap) : gap;
    if (gap <= rule.tie_within) tied_with_next[i] = 1;
  }
  decision.tie = decision.margin && *decision.margin <= rule.tie_within;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (tied_with_next[end - 1] != 0) ++end;
    sort_tied(rule, order.begin() + static_cast<std::ptrdiff_t>(begin),
              order.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  decision.classes = std::move(order);
  if (tie_decides(rule)) decision.tied = std::move(tied_with_next);
  return decision;
}

Decision decide_by_threshold(const DecisionRule& rule, const std::vector<double>& output, double threshold) {
  Decision decision;
  decision.made = true;
  for (const double value : output) {
    const double distance = std::fabs(value - threshold);
    const bool is_tie = tie_decides(rule) && distance <= rule.tie_within;
    decision.classes.push_back(is_tie ? kTie : value >= threshold ? 1 : 0);
    decision.margin = decision.margin ? std::min(*decision.margin, distance) : distance;
  }
  decision.tie = decision.margin && *decision.margin <= rule.tie_within;
  return decision;
}

/// \param separator  between "1", "4" and "7"
std::string listed_indices(const std::vector<std::int64_t>& indices, const std::string& separator,
                           const std::string& last_separator) {
  std::string text;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) text += i + 1 == indices.size() ? last_separator : separator;
    text += std::to_string(indices[i]);
  }
  return text;
}

/// Of a set whose last places several share: "{1, 2 of 4, 7, 8}".
std::string set_words(const DecisionRule& rule, const Decision& decision) {
  std::string text = '{' + listed_indices(decision.classes, ", ", ", ");
  if (!decision.tied.empty()) {
    const std::int64_t left = rule.k - static_cast<std::int64_t>(decision.classes.size());
    if (!decision.classes.empty()) text += ", ";
    text += std::to_string(left) + " of " + listed_indices(decision.tied, ", ", ", ");
  }
  return text + '}';
}

std::string order_words(const Decision& decision) {
  std::string text;
  for (std::size_t i = 0; i < decision.classes.size(); ++i) {
    if (i > 0) text += !decision.tied.empty() && decision.tied[i - 1] != 0 ? " = " : " > ";
    text += std::to_string(decision.classes[i]);
  }
  return text;
}

}  // namespace

bool Decision::is_same(const Decision& other) const {
  return made == other.made && classes == other.classes && tied == other.tied;
}

std::optional<std::int64_t> Decision::as_number(const DecisionRule& rule) const {
  const bool one_class = rule.kind == DecisionKind::ArgMax && rule.form == spec::FlipsDecision::Task;
  const bool ranks = rule.form == spec::FlipsDecision::Ranking;
  const bool set = rule.form == spec::FlipsDecision::TopK;
  if (!made || ranks) return std::nullopt;
  if (!tied.empty()) return kTie;
  if (classes.empty()) return std::nullopt;
  if (one_class || (classes.size() == 1 && !set)) return classes.front();
  std::int64_t bits = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::int64_t bit = set ? classes[i] : static_cast<std::int64_t>(i);
    if (bit >= kMostBits || classes[i] == kTie) return std::nullopt;
    if (set || classes[i] == 1) bits |= std::int64_t{1} << bit;
  }
  return bits;
}

Decision decide(const DecisionRule& rule, const std::vector<double>& output) {
  if (output.empty() || !all_finite(output)) return {};
  switch (rule.kind) {
    case DecisionKind::None:
      return {};
    case DecisionKind::ArgMax:
      if (rule.form == spec::FlipsDecision::Ranking) return decide_by_order(rule, output);
      return decide_by_largest(rule, output,
                               rule.form == spec::FlipsDecision::TopK ? static_cast<std::size_t>(rule.k) : 1);
    case DecisionKind::Threshold:
    case DecisionKind::Probability:
      return decide_by_threshold(rule, output, rule.threshold);
    case DecisionKind::Logit:
      return decide_by_threshold(rule, output, 0.0);
  }
  return {};
}

DecisionRule of_task(DecisionRule rule) {
  rule.form = spec::FlipsDecision::Task;
  rule.k = 0;
  return rule;
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
  // A truth is on one side or the other: the rule of ties is for what a model says.
  const DecisionRule plain;
  if (rule.kind == DecisionKind::Threshold) return decide_by_threshold(plain, target, rule.threshold);
  // Targets of the binary losses are probabilities of class 1, whatever the threshold of the model's own output.
  return decide_by_threshold(plain, target, 0.5);
}

bool is_right(const DecisionRule& rule, const Decision& decision, const Decision& wanted) {
  if (!decision.made || !wanted.made) return false;
  if (rule.kind != DecisionKind::ArgMax || rule.form == spec::FlipsDecision::Task) {
    return decision.tied.empty() && decision.classes == wanted.classes;
  }
  const std::int64_t target = wanted.classes.front();
  const std::vector<std::int64_t>& classes = decision.classes;
  if (rule.form == spec::FlipsDecision::TopK) {
    return std::find(classes.begin(), classes.end(), target) != classes.end();
  }
  const bool shares_its_place = !decision.tied.empty() && decision.tied.front() != 0;
  return classes.front() == target && !shares_its_place;
}

std::string decision_words(const DecisionRule& rule, const std::vector<double>& output) {
  const Decision decision = decide(rule, output);
  if (!decision.made) return {};
  if (rule.kind != DecisionKind::ArgMax) {
    std::string text;
    for (const std::int64_t one : decision.classes) {
      text += (text.empty() ? "" : " ") + (one == kTie ? std::string("tie") : std::to_string(one));
    }
    return text;
  }
  if (rule.form == spec::FlipsDecision::Ranking) return order_words(decision);
  if (rule.form == spec::FlipsDecision::TopK) return set_words(rule, decision);
  if (!decision.tied.empty()) return "tie of " + listed_indices(decision.tied, ", ", " and ");
  return std::to_string(decision.classes.front());
}

}  // namespace mantissa::judge
