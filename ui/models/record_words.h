// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

#include "core/record/trial.h"

/// What records say, in the language of the window. core/report/plain_words.h has the English of the command line.
namespace mantissa::ui::models {

/// A figure of core/report/plain_words.h ("2,000", "0.6 %", "1.2 s") with the separators of the user's locale: "2.000",
/// "0,6 %" in German. Axes and fields of the window have the same. Files and the clipboard keep the English ones.
QString figure(const std::string& words);

/// A word and a shape: "✓ accepted".
QString verdictText(record::VerdictWord word);

/// "reference", "trial", …
QString kindText(record::TrialKind kind);

/// "12 of 2,000 steps skipped (0.6 %)", "none of 2,000 steps skipped".
QString skipText(std::int64_t skipped, std::int64_t attempted);

}  // namespace mantissa::ui::models
