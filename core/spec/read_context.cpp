// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/spec/table_reader.h"
#include "core/spec/written_rule.h"

namespace mantissa::spec {

/// Whether the names are columns is known once the data is read.
void read_context(const Setting* setting, Experiment& experiment) {
  const TableReader table(setting);
  const Setting* const rule = table.find("rule");
  if (rule == nullptr) return;
  if (is_language_model(experiment.data)) {
    refuse_place(*rule, "the data is a text, which has no columns", "Leave the key out");
  }
  experiment.context.rule = text_value(*rule);
  try {
    const WrittenRule written(experiment.context.rule);
  } catch (const Error& error) {
    const ErrorFacts& facts = error.facts();
    refuse_place(*rule,
                 "no expression: " + facts.found + " at character " + std::to_string(facts.column) + " of " +
                     quoted(experiment.context.rule),
                 facts.remedy, facts.expected);
  }
}

}  // namespace mantissa::spec
