// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

#include "core/record/trial.h"
#include "core/record/verdict.h"

/// What records say, in the language of the window. core/report/plain_words.h has the English of the command line.
namespace mantissa::ui::models {

/// A figure of core/report/plain_words.h ("2,000", "0.6 %", "1.2 s") with the separators of the user's locale: "2.000",
/// "0,6 %" in German, and with the minus sign of ui/measured_text.h. Files and the clipboard keep the English ones.
QString figure(const std::string& words);

/// A word and a shape: "✓ accepted".
QString verdictText(record::VerdictWord word);

/// "running", "finished", "stopped" …
QString statusText(record::Status status);

/// Why a verdict is what it is: its reasons as the command line says them, with the figures of the locale. Empty:
/// nothing is said.
QString verdictReason(const record::Verdict& verdict);

/// A sentence of the engine with the separators of the locale in its figures; names of files, versions and lines of
/// experiment files ("lr = 0.1") stay as they are.
QString figuresIn(const QString& sentence);

/// A loss scale: "2^16" where it is a power of two, all of its digits otherwise.
QString scaleText(double scale);
/// "2^16 = 65,536"; a scale that is no power of two as `scaleText` says it.
QString fullScaleText(double scale);
/// The same as files have it: "2^16 = 65536", "2^-3 = 0.125".
QString fileScaleText(double scale);

/// "reference", "trial", …
QString kindText(record::TrialKind kind);

/// "12 of 2,000 steps skipped (0.6 %)", "none of 2,000 steps skipped".
QString skipText(std::int64_t skipped, std::int64_t attempted);

}  // namespace mantissa::ui::models
