// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/record/verdict.h"

/// What the words of the Verdict page mean, for those who meet them first: tips.
namespace mantissa::ui::verdict {

/// What a rule looks at.
QString ruleHelp(const record::RuleVerdict& rule);
/// What a verdict of a rule means.
QString wordHelp(record::VerdictWord word);
/// Which weights a rule is about; empty for rules on steps.
QString weightsHelp(const record::RuleVerdict& rule);
/// What its value is; empty where its name says it.
QString valueHelp(const record::RuleVerdict& rule);
/// The value beside the limit in full, or why there is no share of it.
QString usedHelp(const record::RuleVerdict& rule);
/// Where its evidence is shown.
QString evidenceHelp(const record::RuleVerdict& rule);
/// What a key of [rules] asks for; empty for one whose name says it.
QString keyHelp(const QString& key);

}  // namespace mantissa::ui::verdict
