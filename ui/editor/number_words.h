// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace mantissa::ui::editor {

/// What a person who wrote this in the place of a number can write instead, as a sentence: "Write 0.9 with a point."
/// It names a number only where one alone can be meant. \param isWhole  only integers are taken
QString wayToNumber(const QString& text, bool isWhole);

/// "Found 0,9, expected a number. Write 0.9 with a point."; empty where `text` is one as TOML spells it.
QString numberProblem(const QString& text, bool isWhole);

}  // namespace mantissa::ui::editor
