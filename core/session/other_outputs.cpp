// SPDX-License-Identifier: Apache-2.0
#include "core/session/other_outputs.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/precision/policy.h"
#include "core/session/frozen_cases.h"

namespace mantissa::session {
namespace {

int line_of(const spec::Experiment& experiment, const std::string& selector) {
  const std::vector<spec::OutputRule>& rules = experiment.rules->output;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].output != selector) continue;
    // Of a list of tables, or of the only table.
    const int line = experiment.position("rules.output[" + std::to_string(i) + "].output").line;
    return line > 0 ? line : experiment.position("rules.output.output").line;
  }
  return 0;
}

FrozenCases first_cases(const data::Dataset& dataset, std::int64_t most) {
  FrozenCases cases = whole_pool(dataset);
  const std::int64_t rows = std::min(most, cases.inputs.size(0));
  cases.inputs = cases.inputs.narrow(0, 0, rows);
  cases.targets = cases.targets.narrow(0, 0, rows);
  return cases;
}

}  // namespace

std::vector<std::string> other_outputs(const spec::Experiment& experiment) {
  std::set<std::string> selectors;
  if (experiment.rules) {
    for (const spec::OutputRule& rule : experiment.rules->output) {
      if (!rule.output.empty()) selectors.insert(rule.output);
    }
  }
  return {selectors.begin(), selectors.end()};
}

void check_other_outputs(const Prepared& prepared) {
  // Of two sizes: an output may have as many entries as one of them by chance.
  const std::vector<FrozenCases> sizes = {first_cases(prepared.dataset, 2), first_cases(prepared.dataset, 3)};
  for (const std::string& selector : other_outputs(prepared.experiment)) {
    const std::unique_ptr<model::Network> network = prepared.network->clone();
    model::Usage usage = usage_of(prepared.experiment, prepared.dataset);
    usage.other_outputs = {selector};
    network->use(usage);
    try {
      for (const FrozenCases& cases : sizes) evaluate_all(*network, precision::Policy(), cases);
    } catch (const Error& error) {
      ErrorFacts facts = error.facts();
      if (facts.subject != "rules.output.output") throw;
      facts.file = prepared.experiment.file;
      facts.line = line_of(prepared.experiment, selector);
      if (facts.found != selector) facts.found = selector + ", " + facts.found;
      throw Error(error.kind(), std::move(facts));
    }
  }
}

}  // namespace mantissa::session
