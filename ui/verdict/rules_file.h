// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// The rules of a trial as a file that "Judge by other rules" and mantissa-cli take: `mantissa = 1` and the tables
/// [rules] and [utility] as they were written, comments included. Where they cannot be cut out of the experiment
/// without a change of what they say it is the whole text, whose rules are read in the same way.
QString rulesFileText(const VerdictData& verdict);

}  // namespace mantissa::ui::verdict
