// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/paths_in_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <functional>

#include "ui/editor/key_fields.h"
#include "ui/editor/toml_edit.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

constexpr int kLongestPath = 4096;  // letters in a message: PATH_MAX of Linux

bool isPathKey(const QString& key) {
  for (const SectionSpec& section : sectionSpecs()) {
    for (const FieldSpec& field : section.fields) {
      if (field.key == key) return field.kind == FieldKind::File;
    }
  }
  return false;
}

/// Calls `use` with every path of the text and its key.
void forPaths(const QString& text, const std::function<void(const QString& key, const QString& path)>& use) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return;
  for (const TomlEntry& entry : toml->entries()) {
    if (!isPathKey(withoutPlaces(entry.path))) continue;
    const std::optional<QString> path = decodedText(toml->value(entry.path));
    if (path && !path->isEmpty()) use(entry.path, *path);
  }
}

void forRelativePaths(const QString& text, const std::function<void(const QString& key, const QString& path)>& use) {
  forPaths(text, [&](const QString& key, const QString& path) {
    if (QFileInfo(path).isRelative()) use(key, path);
  });
}

QString say(const char* text) { return QCoreApplication::translate("Paths", text); }

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

QVector<Problem> missingFiles(const QString& text, const QString& folder) {
  QVector<Problem> missing;
  forPaths(text, [&](const QString& key, const QString& path) {
    if (folder.isEmpty() && QFileInfo(path).isRelative()) return;
    const QString whole = QDir::cleanPath(QDir(folder).absoluteFilePath(path));
    const QFileInfo info(whole);
    if (info.isFile()) return;
    Problem problem;
    problem.subject = key;
    problem.words =
        (info.isDir()
             ? say(QT_TRANSLATE_NOOP("Paths", "Found the folder %1, expected a file. Choose a file in it."))
             : say(QT_TRANSLATE_NOOP("Paths", "There is no file %1. Paths are relative to the experiment file.")))
            .arg(QDir::toNativeSeparators(whole.size() > kLongestPath ? whole.left(kLongestPath) + QStringLiteral("…")
                                                                      : whole));
    missing << problem;
  });
  return missing;
}

}  // namespace mantissa::ui::editor
