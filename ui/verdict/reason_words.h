// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/record/verdict.h"

namespace mantissa::ui::verdict {

/// Why a verdict is what it is, one reason a line as the command line writes them, each behind the rule that it is of.
/// Beyond six it says how many more there are: they stand in the table of the rules. What nobody has looked at is no
/// reason, and is said after them.
QString reasonLines(const record::Verdict& verdict);

/// The same of a single rule: "Flips: boundary (✕ rejected): 1 of 1 boundary case decides differently.".
QString reasonOfRule(const record::RuleVerdict& rule);

/// A remedy that names options of the command line, with what the window has for them.
QString withWindowActions(QString reason);

}  // namespace mantissa::ui::verdict
