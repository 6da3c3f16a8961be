// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "core/record/checkpoint.h"
#include "core/record/trial.h"

/// What the log says of a run, in the language and with the figures of the window.
namespace mantissa::ui::run {

/// "fp16: accuracy 0.9667 at step 1,600".
QString evaluationLine(const QString& arm, const record::Evaluation& evaluation);

/// "checkpoint of all arms at step 1,500".
QString checkpointLine(qint64 step);

/// "fp16: finished, 12 of 2,000 steps skipped (0.6 %), ✕ rejected", and a line for every reason of the verdict.
QStringList endLines(const record::TrialRow& arm);

/// What its gains are, where they were measured, how the run has ended, and where it is kept.
/// \param name  of the experiment, with its number where that tells it apart
QStringList closingLines(const record::RunSummary& summary, const QString& name, const QString& archive);

}  // namespace mantissa::ui::run
