// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/paths_in_text.h"

#include <QDir>
#include <QFileInfo>

#include <functional>

#include "ui/editor/key_fields.h"
#include "ui/editor/toml_edit.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

bool isPathKey(const QString& key) {
  for (const SectionSpec& section : sectionSpecs()) {
    for (const FieldSpec& field : section.fields) {
      if (field.key == key) return field.kind == FieldKind::File;
    }
  }
  return false;
}

/// Calls `use` with every relative path of the text and its key.
void forRelativePaths(const QString& text, const std::function<void(const QString& key, const QString& path)>& use) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return;
  for (const TomlEntry& entry : toml->entries()) {
    if (!isPathKey(withoutPlaces(entry.path))) continue;
    const std::optional<QString> path = decodedText(toml->value(entry.path));
    if (path && !path->isEmpty() && QFileInfo(*path).isRelative()) use(entry.path, *path);
  }
}

}  // namespace

QString withAbsolutePaths(const QString& text, const QString& folder) {
  QString changed = text;
  forRelativePaths(text, [&](const QString& key, const QString& path) {
    const QString absolute = QDir::cleanPath(QDir(folder).absoluteFilePath(path));
    if (!QFileInfo::exists(absolute)) return;
    if (const std::optional<TextEdit> edit = withValue(changed, key, tomlText(absolute))) {
      changed = applied(changed, *edit);
    }
  });
  return changed;
}

QStringList pathsLostBetween(const QString& text, const QString& before, const QString& after) {
  QStringList lost;
  if (before.isEmpty() || before == after) return lost;
  forRelativePaths(text, [&](const QString& /*key*/, const QString& path) {
    const bool wasThere = QFileInfo::exists(QDir(before).absoluteFilePath(path));
    if (wasThere && !QFileInfo::exists(QDir(after).absoluteFilePath(path))) lost << path;
  });
  return lost;
}

}  // namespace mantissa::ui::editor
