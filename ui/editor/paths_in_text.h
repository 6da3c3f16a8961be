// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

#include "ui/editor/problem.h"

namespace mantissa::ui::editor {

/// The text with paths that lead from anywhere to the files that it named relative to `folder`. Paths that lead to no
/// file from there stay as they are.
QString withAbsolutePaths(const QString& text, const QString& folder);

/// The paths of the text that lead to a file from `before` and to none from `after`: what moving the text would break.
QStringList pathsLostBetween(const QString& text, const QString& before, const QString& after);

/// A problem for every path of the text that leads to no file now. \param folder  of the text; empty: none yet, so that
/// relative paths lead nowhere by themselves
QVector<Problem> missingFiles(const QString& text, const QString& folder);

}  // namespace mantissa::ui::editor
