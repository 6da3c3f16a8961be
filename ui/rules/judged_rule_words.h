// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <string>

#include "core/spec/experiment.h"
#include "ui/rules/rule_words.h"

namespace mantissa::ui::rules {

// Rules whose figures the judge finds and words itself. \param run  null: none is there
ExplainedRule explainDistribution(const spec::DistributionRule& rule, const RunFacts* run);
ExplainedRule explainUtility(const spec::UtilityRule& rule, const RunFacts* run);

/// "fp16: psi (trained) of output 3, which moved most, is 0.02, at most 0.1 is allowed." of each trial that can be
/// read. \param rules  the only rule in question \param family  what its name in a verdict begins with: "utility"
QStringList judgedWords(const spec::Rules& rules, const std::string& family, const RunFacts* run);

}  // namespace mantissa::ui::rules
