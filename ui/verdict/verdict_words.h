// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

#include "core/record/case_row.h"
#include "core/record/verdict.h"
#include "ui/plot/rows_table.h"
#include "ui/shell/statement.h"
#include "ui/verdict/verdict_data.h"

/// What the Verdict page says of records. Figures have the separators of the locale; what the engine says is English.
namespace mantissa::ui::verdict {

/// "accepted": the word without its shape.
QString verdictWord(record::VerdictWord word);
plot::RowsCell::Tone toneOf(record::VerdictWord word);
shell::Statement::State stateOf(record::VerdictWord word);

/// "Output: q0.99 of case_relative", "Flips: boundary", "Applied updates".
QString ruleName(const record::RuleVerdict& rule);

/// Its middle left out where it is longer than a column should be: the beginning and the end of a rule's name tell it.
QString shortened(const QString& name, qsizetype most = 40);

/// Whether it asks that the trial is not worse than the reference over several seeds.
bool isOverSeeds(const record::RuleVerdict& rule);

/// "same weights", "trained"; empty for rules on steps.
QString sideName(const std::string& of);
QString sideName(Side side);
/// The side that a rule is about; nothing for rules on steps.
std::optional<Side> sideOf(const record::RuleVerdict& rule);

/// "≤ 0.02", "≥ 0.95", "none".
QString requiredText(const record::RuleVerdict& rule);

/// What was found, with its unit where that says something; an en dash where nothing was.
QString foundText(const record::RuleVerdict& rule);

/// The value as a share of an upper limit: "71 %"; an en dash where there is none.
QString usedText(const record::RuleVerdict& rule);
/// The same as a number; nothing where the limit is a lower one, 0 or not there.
std::optional<double> usedShare(const record::RuleVerdict& rule);

/// Whether the rule is judged by what was timed, or measured beside times.
bool isOnCosts(const record::RuleVerdict& rule);

/// Whether what is behind the rule are steps: its evidence is curves.
bool isOnSteps(const record::RuleVerdict& rule);

QString kindName(record::CaseKind kind);
QString directionName(Direction direction);
plot::RowsCell::Tone toneOf(Direction direction);

/// "1 case", "300 cases".
QString casesText(std::int64_t count);
QString flipsText(std::int64_t count);
QString stepsText(std::int64_t count);
QString seedsText(std::int64_t count);
/// What rules on costs rest on: repetitions of steps, or calls.
QString timesText(std::int64_t count);

/// "7c1e 4b90 d2a5 16f8": the beginning of a hash, in fours; an en dash for none.
QString hashText(const std::string& sha256);

/// An archive's moment in the person's time zone: "2026-03-14 14:02:11"; an en dash for none.
QString momentText(const QString& utc);

/// "on CPU, cast policy device"; with the target where one was asked for.
/// \param isForeign  what is said of device and precision is as told; \param autocast  of the trial
QString scopeText(const record::Verdict& verdict, bool isForeign, const std::string& autocast);

/// A number in full for files.
QString exactNumber(double value);

/// A measured number: short to be read, in full to be copied, marked where it is not finite; an en dash for none.
plot::RowsCell numberCell(const std::optional<double>& value);

/// `to` less `from` with its sign, coloured by whether that is better; an en dash where one of them was not measured.
/// A change to NaN is worse.
plot::RowsCell changeCell(const std::optional<double>& from, const std::optional<double>& to, bool higherIsBetter);

}  // namespace mantissa::ui::verdict
