// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "ui/rules/rule_words.h"
#include "ui/rules/run_facts.h"

namespace mantissa::test {

/// A case whose reference output is `size` and whose outputs with the same weights are off by `error`.
inline record::CaseRow caseOf(const std::string& id, double size, double error) {
  record::CaseRow row;
  row.id = id;
  row.target = {0};
  row.output_reference = {size, 0};
  row.output = row.output_same_weights = {size + error, 0};
  return row;
}

/// Four cases of outputs 4, 0: their RMS over eight elements is sqrt(4 * 16 / 8) = 2.8284.
inline judge::Evidence fourCases(const std::string& autocast) {
  judge::Evidence evidence;
  evidence.autocast = autocast;
  evidence.decision.kind = judge::DecisionKind::ArgMax;
  evidence.counts.attempted = 300;
  evidence.counts.applied = 296;
  evidence.counts.skipped = 4;
  evidence.cases = {caseOf("a", 4, 0), caseOf("b", 4, 0.004), caseOf("c", 4, 0.04), caseOf("d", 4, 0.08)};
  judge::compare(evidence.cases, evidence.decision);
  std::vector<record::CaseRow> rounding = {caseOf("a", 4, 0), caseOf("b", 4, 0), caseOf("c", 4, 0),
                                           caseOf("d", 4, 4e-5)};
  judge::compare(rounding, evidence.decision);
  evidence.rounding = {rounding};
  return evidence;
}

inline ui::rules::RunFacts runOf(const judge::Evidence& evidence) {
  ui::rules::RunFacts run;
  run.experiment = 1;
  run.name = "digits";
  run.trials.push_back({"bf16", {}, evidence});
  return run;
}

inline spec::Rules relativeRule(double limit) {
  spec::Rules rules;
  spec::OutputRule rule;
  rule.reduce = spec::Reduce::Max;
  rule.max[""] = limit;
  rules.output = {rule};
  return rules;
}

inline QString all(const ui::rules::ExplainedRule& rule) { return rule.sentences.join(u'\n'); }

inline bool has(const QString& text, const char* part) { return text.contains(QString::fromUtf8(part)); }

}  // namespace mantissa::test
