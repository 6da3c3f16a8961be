// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/templates.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace mantissa::ui::editor {
namespace {

/// The comment at the top of a text, on one line.
QString firstComment(const QString& text) {
  QStringList words;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    if (!line.startsWith(QLatin1Char('#'))) break;
    const QString comment = line.mid(1).trimmed();
    if (comment.isEmpty()) break;
    words << comment;
  }
  QString comment = words.join(QLatin1Char(' '));
  const QString opening = QStringLiteral("What it shows:");
  if (comment.startsWith(opening)) comment = comment.mid(opening.size()).trimmed();
  if (!comment.isEmpty()) comment[0] = comment[0].toUpper();
  return comment;
}

}  // namespace

QString templateFolder() {
  const QDir program(QCoreApplication::applicationDirPath());
  for (const char* const folder : {"../share/mantissa/experiments", "../../../experiments"}) {
    const QString path = QDir::cleanPath(program.filePath(QLatin1String(folder)));
    if (QFile::exists(path + QStringLiteral("/digits-mlp.toml"))) return path;
  }
  return {};
}

QVector<Template> templatesIn(const QString& folder) {
  QVector<Template> templates;
  if (folder.isEmpty()) return templates;
  for (const QFileInfo& info : QDir(folder).entryInfoList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name)) {
    QFile file(info.filePath());
    if (!file.open(QIODevice::ReadOnly)) continue;
    templates << Template{info.filePath(), info.completeBaseName(), firstComment(QString::fromUtf8(file.readAll()))};
  }
  return templates;
}

}  // namespace mantissa::ui::editor
