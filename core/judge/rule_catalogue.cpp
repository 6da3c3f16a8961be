// SPDX-License-Identifier: Apache-2.0
#include "core/judge/rule_catalogue.h"

#include <cstdint>
#include <optional>

#include "core/base/number_text.h"
#include "core/judge/rules.h"
#include "core/spec/default_rules.h"

namespace mantissa::judge {
namespace {

/// "at most 0.02 (bfloat16), 0.002 (float16)"
std::string output_limit(const spec::OutputRule& rule) {
  std::string text;
  for (const auto& [dtype, limit] : rule.max) {
    text += (text.empty() ? "at most " : ", ") + mantissa::to_text(limit) + " (" + dtype + ')';
  }
  return text;
}

std::string skips_limit(const std::optional<std::int64_t>& most) {
  return most ? "at most " + std::to_string(*most) : std::string("none");
}

std::string percent(double share) { return mantissa::to_text(share * 100.0) + " %"; }

std::vector<RuleEntry> make_catalogue() {
  spec::Rules defaults;
  spec::add_default_rules(defaults);
  const spec::OutputRule& output = defaults.output.front();
  return {
      {"run", "", "the trial comes to its end", "whether it finished, failed or was stopped",
       "finished; failed is rejected, stopped undecided"},
      {"non_finite", "", "no NaN and no infinity, but in gradients of steps that the scaler skipped",
       "losses, weights, buffers, outputs of the frozen cases", "not one"},
      {"progress.underflow", "", "gradients and weights move where the reference's do",
       "attempted steps whose gradients were all exactly zero, as a share",
       "at most " + percent(kHarmlessUnderflow) + "; undecided up to " + percent(kFatalUnderflow) +
           ", rejected beyond, or where no weight changed"},
      {"output", "rules.output", "outputs stay near the reference's",
       output.measure + ", reduced to its " + mantissa::to_text(output.q) +
           " quantile over the frozen cases, under the reference's weights",
       output_limit(output)},
      {"flips", "rules.flips", "decisions stay the reference's",
       "cases whose decision (of the task, the k largest outputs, or their ranking) differs, under the reference's "
       "weights, by kind of case, or from right to wrong, from wrong to right, from one wrong decision to another",
       "at most " + std::to_string(defaults.flips->max_by_kind.at("ordinary")) +
           " of ordinary cases, where the task has a decision"},
      {"quality", "rules.quality", "the trial is as good as the reference",
       "accuracy, rmse or perplexity by task, or another metric, of the trial's own weights",
       "worse by at most " + percent(*defaults.quality.front().max_drop_relative) + " of the reference's value"},
      {"distribution", "rules.distribution", "outputs are distributed over the frozen cases as the reference's are",
       "population stability or Kolmogorov–Smirnov distance of the output that moved most, of the trial's own weights",
       "none"},
      {"utility", "rules.utility", "decisions are worth what the reference's are",
       "the gains and losses of [utility], summed over the frozen cases with a truth, of the trial's own weights",
       "none: only a file that has [utility] can ask for it"},
      {"progress.min_applied_fraction", "rules.progress.min_applied_fraction", "few updates are skipped",
       "applied updates as a share of attempted steps",
       "at least " + mantissa::to_text(*defaults.progress->min_applied_fraction)},
      {"progress.max_consecutive_skips", "rules.progress.max_consecutive_skips", "the scaler finds its scale again",
       "the longest row of skipped steps", skips_limit(defaults.progress->max_consecutive_skips)},
      {"cost", "rules.cost", "the trial is worth its while",
       "speed-up, peak memory and cost of a sample in training, p95 latency of inference, each by the reference's, "
       "measured after the validation with probes off; undecided where the 95 % interval holds the limit",
       "none"},
  };
}

}  // namespace

const std::vector<RuleEntry>& rule_catalogue() {
  static const std::vector<RuleEntry> catalogue = make_catalogue();
  return catalogue;
}

std::string rules_help_text() {
  std::string text =
      "The rules of a verdict. Each is accepted, rejected or undecided, where undecided means that evidence is\n"
      "missing; the worst of them is the verdict. Rules are fixed and hashed before the first step. `default` is\n"
      "the limit of rules.preset = \"default\"; mantissa-cli help experiment lists the keys with which measure,\n"
      "reduction, comparison and limit are chosen.\n";
  for (const RuleEntry& rule : rule_catalogue()) {
    text += '\n' + rule.name + (rule.key.empty() ? " (always applied)" : " (" + rule.key + ')') + '\n';
    text += "  asks     " + rule.meaning + '\n';
    text += "  judges   " + rule.value + '\n';
    text += (rule.key.empty() ? "  limit    " : "  default  ") + rule.limit + '\n';
  }
  return text;
}

}  // namespace mantissa::judge
