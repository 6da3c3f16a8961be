// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

#include "core/record/trial.h"

/// What records say, in the language of the window. core/report/plain_words.h has the English of the command line;
/// figures ("2,000", "0.6 %") are written by it in both programs.
namespace mantissa::ui::models {

/// A word and a shape: "✓ accepted".
QString verdictText(record::VerdictWord word);

/// "reference", "trial", …
QString kindText(record::TrialKind kind);

/// "12 of 2,000 steps skipped (0.6 %)", "none of 2,000 steps skipped".
QString skipText(std::int64_t skipped, std::int64_t attempted);

}  // namespace mantissa::ui::models
