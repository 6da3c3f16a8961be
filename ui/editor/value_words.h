// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/editor/key_fields.h"

namespace mantissa::ui::editor {

/// What is wrong with a value of this key as TOML spells it, as far as its type says so: found, expected, way out.
/// Empty where the type is right; ranges and what other keys have to do with it are the engine's to judge.
///
/// It stands at the field at once and whatever else is wrong in the file: the engine's check ends early.
QString valueProblem(const FieldSpec& spec, const QString& value);

}  // namespace mantissa::ui::editor
