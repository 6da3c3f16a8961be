// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>

#include "ui/editor/problem.h"

namespace mantissa::ui::editor {

class TomlText;

/// The path in the text of what a problem is about: of its subject, or, without one, of its line.
QString placeOf(const Problem& problem, const TomlText& toml);

/// The words of all problems, by the path of the key or table that they are about.
QHash<QString, QString> wordsByPath(const TextProblems& problems, const TomlText& toml);

}  // namespace mantissa::ui::editor
