// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

#include "core/spec/experiment.h"
#include "ui/rules/rule_words.h"

namespace mantissa::ui::rules {

// What the rules beside those on outputs mean. \param run  null: none is there
ExplainedRule explainFlips(const spec::FlipsRule& rule, bool isOfPreset, const RunFacts* run);
ExplainedRule explainQuality(const spec::QualityRule& rule, const RunFacts* run);
ExplainedRule explainProgress(const spec::ProgressRule& rule, const RunFacts* run);

/// "Output: the largest abs, same weights, slice a"
QString headingWith(const QString& heading, spec::Of of, const std::string& slice);
QString nameOf(const RunFacts::Trial& trial);
/// "1 case", "64 cases".
QString casesWords(std::int64_t count);

}  // namespace mantissa::ui::rules
