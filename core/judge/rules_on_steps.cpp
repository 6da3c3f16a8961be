// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>

#include "core/base/number_text.h"
#include "core/judge/case_evidence.h"
#include "core/judge/rules.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::RuleVerdict;
using record::VerdictWord;

std::int64_t size_of(const std::vector<std::string>& items) { return static_cast<std::int64_t>(items.size()); }

/// Ids of the cases in which an output is non-finite although the reference's is finite.
std::vector<std::string> non_finite_cases(const Evidence& evidence, spec::Of of) {
  std::vector<std::string> ids;
  for (const record::CaseRow& row : evidence.cases) {
    if (has_finite_reference(row) && !has_finite_output(row, of)) ids.push_back(row.id);
  }
  return ids;
}

/// \param output  "the output", or the selector of another one
void add_non_finite_cases(std::vector<std::string>& found, const Evidence& evidence, spec::Of of,
                          const std::string& output) {
  const std::vector<std::string> ids = non_finite_cases(evidence, of);
  if (ids.empty()) return;
  found.push_back(output + " (" + to_text(of) + ") is non-finite in " + count(size_of(ids)) + " of " +
                  count(static_cast<std::int64_t>(evidence.cases.size()), "case") + ": " + first_three(ids));
}

/// The first one that names it.
const spec::NonFiniteException* exception_for(const std::string& what,
                                              const std::vector<spec::NonFiniteException>& exceptions) {
  const auto names_it = [&what](const spec::NonFiniteException& one) {
    return ::fnmatch(one.where.c_str(), what.c_str(), 0) == 0;
  };
  const auto found = std::find_if(exceptions.begin(), exceptions.end(), names_it);
  return found == exceptions.end() ? nullptr : &*found;
}

/// Something nobody here has looked at is there of every such run.
bool was_made_elsewhere(const Evidence& evidence) { return !evidence.not_looked_at.empty(); }

/// What is known to move, of a run that was made elsewhere.
std::string moving(const Evidence& evidence) {
  if (was_made_elsewhere(evidence) && !evidence.weights_unchanged) return "gradients move";
  if (was_made_elsewhere(evidence) && !evidence.gradients_all_zero) return "weights move";
  return "gradients and weights move";
}

}  // namespace

RuleVerdict judge_end(const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = "run";
  verdict.limit = "the trial finishes";
  verdict.cases = evidence.counts.attempted;
  const std::string after = " after " + count(evidence.counts.attempted, "attempted step");
  switch (evidence.status) {
    case record::Status::Finished:
      verdict.verdict = VerdictWord::Accepted;
      break;
    case record::Status::Failed: {
      verdict.verdict = VerdictWord::Rejected;
      const std::string word = evidence.failure.empty() ? "" : " (" + evidence.failure + ')';
      verdict.reason = evidence.failure_text.empty() ? "the trial failed" + word + after : evidence.failure_text;
      break;
    }
    case record::Status::Stopped:
      verdict.reason = "the trial was stopped" + after + "; a verdict needs the whole run";
      break;
    case record::Status::Interrupted:
      verdict.reason = "the trial was interrupted" + after + "; a verdict needs the whole run";
      break;
    case record::Status::Running:
      verdict.reason = "the trial has not ended yet";
      break;
  }
  return verdict;
}

RuleVerdict judge_non_finite(const std::vector<spec::NonFiniteException>& exceptions, const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = "non_finite";
  verdict.limit = "nothing non-finite but gradients of skipped steps";
  verdict.cases = evidence.counts.attempted;

  std::vector<std::string> found;
  if (evidence.status == record::Status::Failed && evidence.failure == "non-finite") {
    found.push_back(evidence.failure_text.empty() ? "the trial failed on a non-finite value" : evidence.failure_text);
  }
  if (evidence.first_non_finite_loss_step > 0) {
    found.push_back("the loss is non-finite at step " + count(evidence.first_non_finite_loss_step) +
                    ", and a loss counts whether or not its step was skipped");
  }
  std::vector<std::string> excused;
  std::vector<std::string> at_the_end;
  for (const std::string& what : evidence.non_finite) {
    const spec::NonFiniteException* const exception = exception_for(what, exceptions);
    if (exception == nullptr) at_the_end.push_back(what);
    if (exception != nullptr) excused.push_back(what + " (" + exception->reason + ')');
  }
  const std::string where = was_made_elsewhere(evidence) ? "non-finite: " : "non-finite at the end: ";
  if (!at_the_end.empty()) found.push_back(where + first_three(at_the_end));
  for (const spec::Of of : {spec::Of::Trained, spec::Of::SameWeights}) {
    add_non_finite_cases(found, evidence, of, "the output");
    for (const std::string& other : other_outputs(evidence)) {
      add_non_finite_cases(found, on_output(evidence, other), of, other);
    }
  }

  if (!found.empty()) {
    verdict.verdict = VerdictWord::Rejected;
    for (const std::string& sentence : found) verdict.reason += (verdict.reason.empty() ? "" : "; ") + sentence;
    return verdict;
  }
  if (!evidence.holes.empty()) {
    verdict.reason = "whether something was non-finite stays open: " + first_three(evidence.holes) +
                     "; an empty cell says nothing, and some writers leave a NaN empty";
    return verdict;
  }
  // A step that failed before its loss counts as attempted, but has no samples.
  if (evidence.counts.samples == 0 && evidence.cases.empty()) {
    verdict.reason = "no step came to a loss and no case was evaluated, so nothing is known about non-finite values";
    return verdict;
  }
  verdict.verdict = VerdictWord::Accepted;
  const std::string steps =
      evidence.steps_missing.empty() ? count(evidence.counts.attempted, "attempted step") + " and " : std::string();
  verdict.reason = std::string(excused.empty() ? "nothing" : "nothing else") + " is non-finite in " + steps +
                   count(static_cast<std::int64_t>(evidence.cases.size()), "case");
  if (!evidence.not_looked_at.empty()) verdict.reason += "; nothing is known of " + listed(evidence.not_looked_at);
  if (!excused.empty()) verdict.reason += "; declared beforehand as harmless: " + first_three(excused);
  return verdict;
}

RuleVerdict judge_underflow(const Evidence& evidence) {
  RuleVerdict verdict;
  verdict.name = "progress.underflow";
  const bool elsewhere = was_made_elsewhere(evidence);
  const std::string moves = moving(evidence) + (elsewhere ? "" : " where the reference's do");
  verdict.limit = moves;
  verdict.cases = evidence.counts.attempted;
  verdict.verdict = VerdictWord::Rejected;
  if (evidence.gradients_all_zero.value_or(false)) {
    verdict.reason =
        "underflow: every gradient of " + count(evidence.counts.attempted, "attempted step") +
        (elsewhere ? " was zero" : " was zero while the reference's were not") +
        (evidence.autocast == "float16" ? "; a larger scaler.init_scale keeps them above FP16's smallest" : "");
  } else if (evidence.weights_unchanged.value_or(false)) {
    const std::string in = evidence.counts.applied > 0 ? count(evidence.counts.applied, "applied update")
                                                       : count(evidence.counts.attempted, "attempted step");
    verdict.reason = "weights did not change in " + in + (elsewhere ? "" : " while the reference's did");
  } else if (evidence.zero_gradient_steps > 0) {
    const double share =
        static_cast<double>(evidence.zero_gradient_steps) / static_cast<double>(evidence.counts.attempted);
    verdict.value = share;
    verdict.limit_value = kHarmlessUnderflow;
    verdict.verdict = share > kFatalUnderflow      ? VerdictWord::Rejected
                      : share > kHarmlessUnderflow ? VerdictWord::Undecided
                                                   : VerdictWord::Accepted;
    verdict.reason = "gradients were exactly zero in " + count(evidence.zero_gradient_steps) + " of " +
                     count(evidence.counts.attempted, "attempted step") +
                     (elsewhere ? "" : ", never in the reference") +
                     (verdict.verdict == VerdictWord::Accepted ? "" : ": they underflow");
  } else {
    verdict.verdict = VerdictWord::Accepted;
    verdict.reason = moves;
  }
  return verdict;
}

std::vector<RuleVerdict> judge_progress(const spec::ProgressRule& rule, const Evidence& evidence) {
  std::vector<RuleVerdict> verdicts;
  const record::Counts& counts = evidence.counts;
  const std::string nothing_attempted = "no step was attempted, so nothing is known about progress";
  if (rule.min_applied_fraction) {
    const double limit = *rule.min_applied_fraction;
    RuleVerdict verdict;
    verdict.name = "progress.min_applied_fraction";
    verdict.limit = "at least " + mantissa::to_text(limit) + " of the attempted steps applied";
    verdict.limit_value = limit;
    verdict.cases = counts.attempted;
    if (!evidence.steps_missing.empty()) {
      verdict.reason = evidence.steps_missing;
    } else if (counts.attempted == 0) {
      verdict.reason = nothing_attempted;
    } else {
      const double fraction = static_cast<double>(counts.applied) / static_cast<double>(counts.attempted);
      verdict.value = fraction;
      verdict.verdict = fraction >= limit ? VerdictWord::Accepted : VerdictWord::Rejected;
      verdict.reason = count(counts.applied) + " of " + count(counts.attempted, "attempted step") +
                       (counts.applied == 1 || counts.attempted == 1 ? " was" : " were") + " applied (" +
                       number_beside(fraction, limit) + "), at least " + mantissa::to_text(limit) + " is required";
    }
    verdicts.push_back(verdict);
  }
  if (rule.max_consecutive_skips) {
    const std::int64_t limit = *rule.max_consecutive_skips;
    RuleVerdict verdict;
    verdict.name = "progress.max_consecutive_skips";
    verdict.limit = "at most " + count(limit, "skipped step") + " in a row";
    verdict.limit_value = static_cast<double>(limit);
    verdict.unit = "steps";
    verdict.cases = counts.attempted;
    if (!evidence.steps_missing.empty()) {
      verdict.reason = evidence.steps_missing;
    } else if (counts.attempted == 0) {
      verdict.reason = nothing_attempted;
    } else {
      verdict.value = static_cast<double>(evidence.max_consecutive_skips);
      verdict.verdict = evidence.max_consecutive_skips <= limit ? VerdictWord::Accepted : VerdictWord::Rejected;
      verdict.reason = "the longest row of skipped steps is " + count(evidence.max_consecutive_skips) + ", at most " +
                       count(limit) + (limit == 1 ? " is" : " are") + " allowed";
    }
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace mantissa::judge
