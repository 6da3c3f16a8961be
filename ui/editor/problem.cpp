// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/problem.h"

#include <QCoreApplication>
#include <QStringList>

namespace mantissa::ui::editor {
namespace {

QString say(const char* text) { return QCoreApplication::translate("Problem", text); }

}  // namespace

QString Problem::sentence() const {
  QStringList place;
  if (line > 0) place << say(QT_TRANSLATE_NOOP("Problem", "Line %1")).arg(line);
  if (!subject.isEmpty()) place << subject;
  return place.isEmpty() ? words : QStringLiteral("%1: %2").arg(place.join(QStringLiteral(", ")), words);
}

Problem problemOf(const ErrorFacts& facts) {
  Problem problem;
  problem.line = facts.line;
  problem.column = facts.column;
  problem.subject = QString::fromStdString(facts.subject);
  ErrorFacts words = facts;
  words.file.clear();
  words.line = 0;
  words.subject.clear();
  const bool isOfTheCommandLine =
      words.remedy.find("mantissa-cli") != std::string::npos || words.remedy.find("--") != std::string::npos;
  if (isOfTheCommandLine) {
    words.remedy = say(QT_TRANSLATE_NOOP("Problem", "The form beside the text shows every key")).toStdString();
  }
  problem.words = QString::fromStdString(mantissa::sentence(words));
  return problem;
}

}  // namespace mantissa::ui::editor
