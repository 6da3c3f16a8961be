// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace mantissa::ui::editor {

/// A text whose rules come from a preset.
struct PresetText {
  QString text;
  QString key;           ///< what says it now: "rules.preset"
  QStringList replaced;  ///< rules of the text that gave way to it: "rules.flips"
};

/// Writes a preset of rules into a text. The rules that the preset states give way to it, with the comment right above
/// their headers; everything else stays as it is written. Nothing where the text is broken, or where they have no place
/// in it. \param preset  "default", or of rules.output: "assert_close", "onnx", "torchdynamo"
std::optional<PresetText> withRulesPreset(const QString& text, const QString& preset);

}  // namespace mantissa::ui::editor
