// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/rules_file.h"

#include <QRegularExpression>
#include <QStringList>

#include "core/base/error.h"
#include "core/spec/parse.h"

namespace mantissa::ui::verdict {
namespace {

/// The lines of the tables [rules…] and [utility…], with the comments right above them.
QStringList linesOfRules(const QString& text) {
  static const QRegularExpression kHeader(
      QStringLiteral("^\\s*\\[{1,2}\\s*([A-Za-z_][\\w.\\-\" ]*)\\]{1,2}\\s*(#.*)?$"));
  QStringList lines;
  QStringList comments;  // of a table that may follow
  bool isInside = false;
  for (const QString& line : text.split(u'\n')) {
    const QRegularExpressionMatch header = kHeader.match(line);
    if (header.hasMatch()) {
      const QString table = header.captured(1).section(u'.', 0, 0).trimmed();
      isInside = table == QLatin1String("rules") || table == QLatin1String("utility");
      if (isInside) lines << comments;
      comments.clear();
    }
    const QString bare = line.trimmed();
    if (bare.isEmpty() || bare.startsWith(u'#')) {
      comments << line;  // of this table, or of the next one
      continue;
    }
    if (isInside) lines << comments << line;
    comments.clear();
  }
  return lines;
}

bool saysTheSame(const QString& file, const std::string& rules) {
  try {
    const std::string text = file.toStdString();
    spec::Experiment experiment = spec::foreign_experiment_of_text(text, "rules");
    experiment = spec::with_rules_of_text(text, "rules", std::move(experiment));
    return spec::canonical_json_of_rules(experiment) == rules;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

QString rulesFileText(const VerdictData& verdict) {
  const QString whole = QString::fromStdString(verdict.experimentText);
  const QString rules = QStringLiteral("mantissa = 1\n\n") + linesOfRules(whole).join(u'\n').trimmed() + u'\n';
  return saysTheSame(rules, verdict.rules) ? rules : whole;
}

}  // namespace mantissa::ui::verdict
