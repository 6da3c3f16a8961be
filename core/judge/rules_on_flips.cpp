// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>

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

const std::optional<bool>& correct_of(const CaseRow& row, spec::Of of) {
  return of == spec::Of::Trained ? row.correct : row.correct_same_weights;
}

/// Which way a flip went; empty where the case has no target.
std::string direction_of(const CaseRow& row, spec::Of of) {
  const std::optional<bool>& correct = correct_of(row, of);
  if (!correct || !row.correct_reference) return {};
  if (*row.correct_reference) return "right_to_wrong";
  return *correct ? "wrong_to_right" : "neutral";
}

std::string direction_words(const std::string& direction) {
  if (direction == "right_to_wrong") return "from right to wrong";
  return direction == "wrong_to_right" ? "from wrong to right" : "from one wrong decision to another";
}

/// Flips in one direction against their limit.
RuleVerdict judge_flips_towards(const spec::FlipsRule& rule, const std::string& direction, std::int64_t limit,
                                const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = name_of("flips", direction);
  verdict.of = to_text(rule.of);
  verdict.limit = "at most " + count(limit, "flip") + ' ' + direction_words(direction);
  verdict.limit_value = static_cast<double>(limit);
  verdict.unit = "flips";
  if (evidence.decision.kind == DecisionKind::None) {
    verdict.reason = "the task has no decision that could flip";
    return verdict;
  }
  verdict.reason = missing_outputs(evidence, rule.of);
  if (!verdict.reason.empty()) return verdict;
  if (evidence.decision.positions > 0) {
    verdict.reason = "which way the positions of a case flipped is not kept";
    return verdict;
  }
  std::vector<const CaseRow*> flips;
  for (const CaseRow& row : evidence.cases) {
    if (!row.correct_reference) continue;
    ++verdict.cases;
    const bool flipped = rule.of == spec::Of::Trained ? row.flip : row.flip_same_weights;
    if (flipped && direction_of(row, rule.of) == direction) flips.push_back(&row);
  }
  if (verdict.cases == 0) {
    verdict.reason = "no frozen case has a target that a decision could be right or wrong by";
    return verdict;
  }
  const auto found = static_cast<std::int64_t>(flips.size());
  verdict.value = static_cast<double>(found);
  verdict.verdict = found <= limit ? VerdictWord::Accepted : VerdictWord::Rejected;
  verdict.reason = count(found) + " of " + count(verdict.cases, "case") + (found == 1 ? " flips " : " flip ") +
                   direction_words(direction) + " (" + verdict.of + "), at most " + count(limit) +
                   (limit == 1 ? " is" : " are") + " allowed";
  if (found > 0) verdict.reason += ": " + first_three(worst_flips(flips, rule.of));
  return verdict;
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

}  // namespace

std::vector<RuleVerdict> judge_flips(const spec::FlipsRule& rule, const Evidence& evidence) {
  std::vector<RuleVerdict> verdicts;
  const bool some_have_no_entry =
      evidence.cases.empty() || std::any_of(evidence.cases.begin(), evidence.cases.end(), [&](const CaseRow& row) {
        return rule.max_by_kind.count(std::string(record::to_text(row.kind))) == 0;
      });
  if (rule.max && some_have_no_entry) verdicts.push_back(judge_flips_of(rule, "", *rule.max, evidence));
  for (const auto& [kind, limit] : rule.max_by_kind) verdicts.push_back(judge_flips_of(rule, kind, limit, evidence));
  for (const auto& [direction, limit] : rule.max_by_direction) {
    verdicts.push_back(judge_flips_towards(rule, direction, limit, evidence));
  }
  return verdicts;
}

}  // namespace mantissa::judge
