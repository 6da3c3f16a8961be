// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/judge/case_evidence.h"
#include "core/judge/decision.h"
#include "core/judge/rules.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::CaseRow;
using record::RuleVerdict;
using record::VerdictWord;

/// "17 (3 instead of 5)"
std::string flipped_case(const CaseRow& row, spec::Of of, const DecisionRule& rule) {
  if (row.positions) {
    const auto& flips = of == spec::Of::Trained ? row.position_flips : row.position_flips_same_weights;
    return row.id + " (" + count(flips.value_or(0)) + " of " + count(*row.positions) + " positions)";
  }
  const auto word = [&rule](const std::vector<double>& output) {
    const std::string words = decision_words(rule, output);
    return words.empty() ? std::string("no decision, non-finite") : words;
  };
  return row.id + " (" + word(output_of(row, of)) + " instead of " + word(row.output_reference) + ')';
}

/// The most telling flips first: no decision at all, then the surest decisions of the reference, or the most positions.
std::vector<std::string> worst_flips(std::vector<const CaseRow*> flips, spec::Of of, const DecisionRule& rule) {
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
    named.push_back(named.size() < kMostNamed ? flipped_case(*row, of, rule) : row->id);
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
  if (*correct == *row.correct_reference) return "neutral";
  return *correct ? "wrong_to_right" : "right_to_wrong";
}

/// Sets and orders may change and be right, or wrong, as before.
std::string neutral_words(const DecisionRule& rule) {
  const bool of_task = rule.form == spec::FlipsDecision::Task;
  return of_task ? "from one wrong decision to another" : "between decisions that are equally right or wrong";
}

std::string direction_words(const std::string& direction, const DecisionRule& rule) {
  if (direction == "right_to_wrong") return "from right to wrong";
  return direction == "wrong_to_right" ? "from wrong to right" : neutral_words(rule);
}

/// "arg-max", "top-3", "ranking, ties within 0.001 are a decision"
std::string form_words(spec::FlipsDecision decision, std::int64_t k, const std::string& ties, double tie_within) {
  std::string words = decision == spec::FlipsDecision::TopK      ? "top-" + std::to_string(k)
                      : decision == spec::FlipsDecision::Ranking ? "ranking"
                                                                 : "the task's decision";
  words += ", ties" + (tie_within > 0.0 ? " within " + mantissa::to_text(tie_within) : std::string());
  return words + (ties == "tie-is-a-decision" ? " are a decision" : " by " + ties);
}

/// Positions keep the decisions that the run made: no other form of them can be judged later.
std::string other_form(const spec::FlipsRule& rule, const DecisionRule& made) {
  const bool same =
      rule.decision == made.form && rule.k == made.k && rule.ties == made.ties && rule.tie_within == made.tie_within;
  if (same || made.positions == 0) return {};
  return "the rule asks for " + form_words(rule.decision, rule.k, rule.ties, rule.tie_within) +
         ", the run decided by " + form_words(made.form, made.k, made.ties, made.tie_within) +
         ", and outputs at positions are not kept";
}

/// "3 become a tie and 1 ceases to be one", where ties are a decision; else empty.
std::string tie_flips(const std::vector<const CaseRow*>& flips, spec::Of of, const DecisionRule& rule) {
  if (rule.ties != "tie-is-a-decision" || rule.positions > 0) return {};
  std::int64_t become = 0;
  std::int64_t cease = 0;
  for (const CaseRow* const row : flips) {
    const bool tie = decide(rule, output_of(*row, of)).tie;
    if (tie && !row->tie_reference) ++become;
    if (!tie && row->tie_reference) ++cease;
  }
  std::string words;
  if (become > 0) words = count(become) + (become == 1 ? " becomes a tie" : " become a tie");
  if (cease > 0) {
    words += (words.empty() ? "" : " and ") + count(cease) + (cease == 1 ? " ceases to be one" : " cease to be one");
  }
  return words.empty() ? words : "; " + words;
}

/// What a flip is of, where it is not the task's decision.
std::string of_form(const DecisionRule& rule) {
  if (rule.form == spec::FlipsDecision::TopK) return " of the top " + std::to_string(rule.k);
  return rule.form == spec::FlipsDecision::Ranking ? " of the ranking" : std::string();
}

/// Flips in one direction against their limit.
RuleVerdict judge_flips_towards(const spec::FlipsRule& rule, const std::string& direction, std::int64_t limit,
                                const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = name_of("flips", direction);
  verdict.of = to_text(rule.of);
  verdict.limit = "at most " + count(limit, "flip") + of_form(evidence.decision) + ' ' +
                  direction_words(direction, evidence.decision);
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
                   direction_words(direction, evidence.decision) + " (" + verdict.of + "), at most " + count(limit) +
                   (limit == 1 ? " is" : " are") + " allowed";
  if (found > 0) verdict.reason += ": " + first_three(worst_flips(flips, rule.of, evidence.decision));
  return verdict;
}

/// One count of flips against one limit. `kind`: empty for all kinds that have no entry of their own.
RuleVerdict judge_flips_of(const spec::FlipsRule& rule, const std::string& kind, std::int64_t limit,
                           const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = name_of("flips", kind);
  verdict.of = to_text(rule.of);
  verdict.limit =
      "at most " + count(limit, "flip") + of_form(evidence.decision) + (kind.empty() ? "" : " of " + kind + " cases");
  verdict.limit_value = static_cast<double>(limit);
  verdict.unit = "flips";
  if (evidence.decision.kind == DecisionKind::None) {
    verdict.reason = "the task has no decision that could flip";
    return verdict;
  }
  verdict.reason = missing_outputs(evidence, rule.of);
  if (verdict.reason.empty()) verdict.reason = other_form(rule, evidence.decision);
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
  verdict.reason += tie_flips(flips, rule.of, evidence.decision);
  if (ties > 0) verdict.reason += "; " + count(ties) + " at a tie of the reference";
  if (found > 0) verdict.reason += ": " + first_three(worst_flips(flips, rule.of, evidence.decision));
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
