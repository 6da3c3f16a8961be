// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/rules_preset.h"

#include "ui/editor/toml_edit.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

const QString kOutput = QStringLiteral("rules.output");

/// One step of taking a key or a table away, however it is written.
std::optional<TextEdit> withoutPartOf(const TomlText& toml, const QString& path) {
  const QString& text = toml.text();
  if (toml.entry(path) != nullptr) return withoutKey(text, path);
  if (const int items = toml.count(path); items > 0) {
    return withoutItem(text, QStringLiteral("%1[%2]").arg(path).arg(items - 1));
  }
  const QString below = path + QLatin1Char('.');
  for (const TomlEntry& one : toml.entries()) {
    const bool isDotted = one.path.startsWith(below) && one.table != path && !one.table.startsWith(below);
    if (isDotted) return withoutKey(text, one.path);
  }
  return withoutItem(text, path);  // a table with a header
}

std::optional<QString> without(QString text, const QString& path) {
  for (;;) {
    const std::optional<TomlText> toml = TomlText::read(text);
    if (!toml) return std::nullopt;
    if (!toml->has(path)) return text;
    const std::optional<TextEdit> edit = withoutPartOf(*toml, path);
    if (!edit || edit->removed <= edit->inserted.size()) return std::nullopt;
    text = applied(text, *edit);
  }
}

}  // namespace

std::optional<PresetText> withRulesPreset(const QString& text, const QString& preset) {
  const std::optional<TomlText> before = TomlText::read(text);
  if (!before) return std::nullopt;
  const bool isDefault = preset == QLatin1String("default");
  PresetText taken{text, isDefault ? QStringLiteral("rules.preset") : kOutput, {}};
  const QString value = isDefault ? tomlText(preset) : QStringLiteral("{ preset = %1 }").arg(tomlText(preset));
  if (before->value(taken.key) == value && !isDefault) return taken;
  const QStringList stated = isDefault ? QStringList{kOutput, QStringLiteral("rules.flips"),
                                                     QStringLiteral("rules.quality"), QStringLiteral("rules.progress")}
                                       : QStringList{kOutput};
  for (const QString& rule : stated) {
    if (!before->has(rule)) continue;
    taken.replaced << rule;
    if (before->entry(taken.key) != nullptr && rule == taken.key) continue;  // the new value takes its place
    const std::optional<QString> rest = without(taken.text, rule);
    if (!rest) return std::nullopt;
    taken.text = *rest;
  }
  const std::optional<TextEdit> edit = withValue(taken.text, taken.key, value);
  if (!edit) return std::nullopt;
  taken.text = applied(taken.text, *edit);
  return taken;
}

}  // namespace mantissa::ui::editor
