// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/base/number_text.h"
#include "core/judge/rules.h"
#include "core/judge/wording.h"
#include "core/perf/latency.h"
#include "core/perf/statistics.h"

namespace mantissa::judge {
namespace {

using perf::Interval;
using record::RuleVerdict;
using record::VerdictWord;

std::string name_of(const spec::CostRule& rule, const char* key) {
  return "cost." + (rule.name.empty() ? "" : rule.name + '.') + key;
}

std::optional<Interval> interval_of(const std::optional<double>& estimate, const std::optional<double>& low,
                                    const std::optional<double>& high) {
  if (!estimate || !low || !high) return std::nullopt;
  if (!std::isfinite(*estimate) || !std::isfinite(*low) || !std::isfinite(*high)) return std::nullopt;
  return Interval{*estimate, *low, *high};
}

/// Still undecided, for want of a figure.
RuleVerdict with_limit(const spec::CostRule& rule, const char* key, const std::string& words, double limit) {
  RuleVerdict verdict;
  verdict.name = name_of(rule, key);
  verdict.limit = words;
  verdict.limit_value = limit;
  return verdict;
}

/// The whole interval must lie within the limit to be accepted, and outside of it to be rejected.
VerdictWord at_most(const Interval& measured, double limit) {
  if (measured.high <= limit) return VerdictWord::Accepted;
  return measured.low > limit ? VerdictWord::Rejected : VerdictWord::Undecided;
}

VerdictWord at_least(const Interval& measured, double limit) {
  if (measured.low >= limit) return VerdictWord::Accepted;
  return measured.high < limit ? VerdictWord::Rejected : VerdictWord::Undecided;
}

/// "1.214 (95 % interval 1.15 to 1.28)"
std::string interval_words(const Interval& measured, double limit) {
  return number_beside(measured.estimate, limit) + " (95 % interval " + number_beside(measured.low, limit) + " to " +
         number_beside(measured.high, limit) + ')';
}

std::string because(const Evidence& evidence) {
  return evidence.costs.missing.empty() ? "" : ": " + evidence.costs.missing;
}

std::string spread_words(VerdictWord word) {
  return word == VerdictWord::Undecided
             ? "; the interval holds the limit, and a longer measurement or a quieter machine may decide"
             : "";
}

RuleVerdict judge_speed_up(const spec::CostRule& rule, const Evidence& evidence) {
  const double limit = *rule.min_speedup;
  RuleVerdict verdict = with_limit(rule, "min_speedup", "speed-up at least " + mantissa::to_text(limit), limit);
  const std::optional<record::Gains>& gains = evidence.costs.own.gains;
  const auto measured = gains ? interval_of(gains->speed_up, gains->speed_up_low, gains->speed_up_high) : std::nullopt;
  if (!measured) {
    verdict.reason = "the speed-up was not measured after the validation" + because(evidence);
    return verdict;
  }
  verdict.cases = gains->repetitions;
  verdict.value = measured->estimate;
  verdict.verdict = at_least(*measured, limit);
  verdict.reason = "the speed-up is " + interval_words(*measured, limit) + ", at least " + mantissa::to_text(limit) +
                   " is required" + spread_words(verdict.verdict);
  return verdict;
}

RuleVerdict judge_memory(const spec::CostRule& rule, const Evidence& evidence) {
  const double limit = *rule.max_memory_ratio;
  RuleVerdict verdict = with_limit(rule, "max_memory_ratio",
                                   "peak memory at most " + mantissa::to_text(limit) + " of the reference's", limit);
  const std::optional<record::Gains>& own = evidence.costs.own.gains;
  const std::optional<record::Gains>& reference = evidence.costs.reference;
  const bool is_known = own && reference && own->peak_bytes && reference->peak_bytes && *reference->peak_bytes > 0;
  if (!is_known) {
    const bool no_probes = own && !own->peak_bytes && evidence.costs.missing.empty();
    verdict.reason = "the peak memory of both arms was not measured" +
                     (no_probes ? std::string(": the run had no probes") : because(evidence));
    return verdict;
  }
  const double ratio = static_cast<double>(*own->peak_bytes) / static_cast<double>(*reference->peak_bytes);
  verdict.cases = own->repetitions;
  verdict.value = ratio;
  verdict.verdict = ratio <= limit ? VerdictWord::Accepted : VerdictWord::Rejected;
  verdict.reason = "the peak memory of a step is " + number_beside(ratio, limit) + " of the reference's (" +
                   count(*own->peak_bytes) + " against " + count(*reference->peak_bytes) + " bytes), at most " +
                   mantissa::to_text(limit) + " is allowed";
  return verdict;
}

/// A machine costs the same an hour whatever it trains, so that samples cost as their times do.
RuleVerdict judge_cost_per_sample(const spec::CostRule& rule, const Evidence& evidence) {
  const double limit = *rule.max_cost_per_sample_ratio;
  RuleVerdict verdict =
      with_limit(rule, "max_cost_per_sample_ratio",
                 "cost of a sample at most " + mantissa::to_text(limit) + " of the reference's", limit);
  const std::optional<record::Gains>& gains = evidence.costs.own.gains;
  const auto speed_up = gains ? interval_of(gains->speed_up, gains->speed_up_low, gains->speed_up_high) : std::nullopt;
  if (!speed_up || !(speed_up->low > 0.0)) {
    verdict.reason = "the cost of a sample was not measured after the validation" + because(evidence);
    return verdict;
  }
  const Interval measured{1.0 / speed_up->estimate, 1.0 / speed_up->high, 1.0 / speed_up->low};
  verdict.cases = gains->repetitions;
  verdict.value = measured.estimate;
  verdict.verdict = at_most(measured, limit);
  verdict.reason = "a sample costs " + interval_words(measured, limit) +
                   " of the reference's at the same price an hour, " + "at most " + mantissa::to_text(limit) +
                   " is allowed" + spread_words(verdict.verdict);
  return verdict;
}

std::string why_no_p95(const record::Latency& row) {
  if (!row.missing.empty()) return row.missing;
  if (row.calls < perf::kLeastCallsForP95) {
    return "only " + count(row.calls, "call") + " fitted into the time set aside, and p95 needs " +
           count(perf::kLeastCallsForP95);
  }
  return "the ratio to the reference's is missing";
}

/// Of a batch size: what it says and whether it decides.
struct AtBatch {
  VerdictWord word = VerdictWord::Undecided;
  std::optional<double> ratio;
  std::string words;
};

AtBatch judge_at(const record::Latency& row, double limit) {
  AtBatch at;
  const std::string where = "at batch " + count(row.batch) + ' ';
  const auto measured = interval_of(row.p95_ratio, row.p95_ratio_low, row.p95_ratio_high);
  if (!measured) {
    at.words = where + "it was not measured: " + why_no_p95(row);
    return at;
  }
  at.word = at_most(*measured, limit);
  at.ratio = measured->estimate;
  at.words = where + interval_words(*measured, limit) + " from " + count(row.calls, "call") + spread_words(at.word);
  return at;
}

int rank(VerdictWord word) { return word == VerdictWord::Rejected ? 2 : word == VerdictWord::Undecided ? 1 : 0; }

RuleVerdict judge_latency(const spec::CostRule& rule, const Evidence& evidence) {
  const double limit = *rule.max_latency_p95_ratio;
  RuleVerdict verdict = with_limit(rule, "max_latency_p95_ratio",
                                   "p95 latency at most " + mantissa::to_text(limit) + " of the reference's", limit);
  if (rule.latency_batch) verdict.limit += " at batch " + count(*rule.latency_batch);
  std::string found;
  bool any = false;
  for (const record::Latency& row : evidence.costs.own.latency) {
    if (rule.latency_batch && row.batch != *rule.latency_batch) continue;
    const AtBatch at = judge_at(row, limit);
    const bool is_worse = !any || rank(at.word) > rank(verdict.verdict) ||
                          (at.word == verdict.verdict && at.ratio.value_or(0.0) > verdict.value.value_or(0.0));
    if (is_worse) {
      verdict.verdict = at.word;
      verdict.value = at.ratio;
    }
    verdict.cases += row.calls;
    found += (any ? "; " : "") + at.words;
    any = true;
  }
  if (!any) {
    verdict.verdict = VerdictWord::Undecided;
    verdict.reason = "the latency of inference" +
                     (rule.latency_batch ? " at batch " + count(*rule.latency_batch) : std::string()) +
                     " was not measured after the validation" + because(evidence);
    return verdict;
  }
  verdict.reason =
      "the p95 latency by the reference's is " + found + "; at most " + mantissa::to_text(limit) + " is allowed";
  return verdict;
}

}  // namespace

std::vector<RuleVerdict> judge_cost(const spec::CostRule& rule, const Evidence& evidence) {
  std::vector<RuleVerdict> verdicts;
  if (rule.min_speedup) verdicts.push_back(judge_speed_up(rule, evidence));
  if (rule.max_memory_ratio) verdicts.push_back(judge_memory(rule, evidence));
  if (rule.max_cost_per_sample_ratio) verdicts.push_back(judge_cost_per_sample(rule, evidence));
  if (rule.max_latency_p95_ratio) verdicts.push_back(judge_latency(rule, evidence));
  return verdicts;
}

}  // namespace mantissa::judge
