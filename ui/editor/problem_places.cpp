// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/problem_places.h"

#include <QRegularExpression>

#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

/// "trial[1].scaler" of "trial[fp16].scaler": core/spec names items, the text counts them. Of several items of one name
/// it is the one that the line stands in.
QString countedPath(const QString& subject, int line, const TomlText& toml) {
  static const QRegularExpression item(QStringLiteral("\\[([^\\]]+)\\]"));
  QString path = subject;
  QRegularExpressionMatch match;
  qsizetype from = 0;
  while ((match = item.match(path, from)).hasMatch()) {
    const QString list = path.left(match.capturedStart());
    int place = -1;
    for (int i = 0; i < toml.count(list); ++i) {
      const QString one = QStringLiteral("%1[%2]").arg(list).arg(i);
      if (decodedText(toml.value(one + QStringLiteral(".name"))) != match.captured(1)) continue;
      const int begin = toml.lineOf(one);
      if (place < 0 || (begin > 0 && begin <= line)) place = i;
    }
    if (place >= 0) path.replace(match.capturedStart(1), match.capturedLength(1), QString::number(place));
    from = path.indexOf(QLatin1Char(']'), match.capturedStart()) + 1;
  }
  return path;
}

}  // namespace

QString placeOf(const Problem& problem, const TomlText& toml) {
  const QString path = countedPath(problem.subject, problem.line, toml);
  if (path.isEmpty()) return toml.pathAt(problem.line);
  // A value within a list of values has no place of its own: the list has.
  const bool isValueOfList = path.endsWith(QLatin1Char(']')) && !toml.has(path) && toml.has(parentPath(path));
  return isValueOfList ? parentPath(path) : path;
}

QHash<QString, QString> wordsByPath(const TextProblems& problems, const TomlText& toml) {
  QHash<QString, QString> words;
  for (const Problem& problem : problems.problems + problems.missing) {
    QString text = problem.words;
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    QString& all = words[placeOf(problem, toml)];
    all += (all.isEmpty() ? QString() : QStringLiteral("\n")) + text;
  }
  return words;
}

}  // namespace mantissa::ui::editor
