// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

#include "core/spec/experiment.h"
#include "ui/rules/run_facts.h"

namespace mantissa::ui::rules {

/// One rule and what it means, sentence by sentence.
struct ExplainedRule {
  QString heading;  ///< "Output: q0.99 of case_relative, same weights"
  QStringList sentences;
  QString
      path;  ///< in the text: "rules.output[0]", "rules.flips"; of a preset's rule as if it stood there; empty: of all

  bool operator==(const ExplainedRule& other) const {
    return heading == other.heading && sentences == other.sentences && path == other.path;
  }
};

/// What rules mean at the size of the outputs of an archived run: what a limit lets through there, how far apart the
/// numbers of the formats are, what the trials of the run came to, and what the yardsticks say. No verdicts: rules that
/// are written until a known trial passes judge nothing.
/// \param run  null: none is there, and everything is said of outputs of size 1
std::vector<ExplainedRule> explain(const spec::Rules& rules, const RunFacts* run);

}  // namespace mantissa::ui::rules
