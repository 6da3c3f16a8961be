// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace mantissa::ui::editor {

/// The text with paths that lead from anywhere to the files that it named relative to `folder`. Paths that lead to no
/// file from there stay as they are.
QString withAbsolutePaths(const QString& text, const QString& folder);

/// The paths of the text that lead to a file from `before` and to none from `after`: what moving the text would break.
QStringList pathsLostBetween(const QString& text, const QString& before, const QString& after);

}  // namespace mantissa::ui::editor
