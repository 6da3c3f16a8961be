// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/error_words.h"

#include <QCoreApplication>

#include <string>

namespace mantissa::ui::models {
namespace {

QString say(const char* text) { return QCoreApplication::translate("ErrorWords", text); }

bool speaksOfTheCommandLine(const std::string& text) {
  return text.find("--") != std::string::npos || text.find("mantissa-cli") != std::string::npos;
}

/// The way out in the window.
QString wayOut(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::ArchiveDamaged:
      return say(QT_TRANSLATE_NOOP("ErrorWords", "Use a backup, or open another archive"));
    case ErrorKind::ArchiveNewer:
      return say(QT_TRANSLATE_NOOP("ErrorWords", "Use the newer version, or open another archive"));
    case ErrorKind::ArchiveReadOnly:
      return say(
          QT_TRANSLATE_NOOP("ErrorWords", "Give write permission to the file and its folder, or open another archive"));
    case ErrorKind::FileProblem:
      return say(QT_TRANSLATE_NOOP("ErrorWords", "Open another file"));
    case ErrorKind::InvalidSetting:
    case ErrorKind::NotYetAvailable:
      return say(QT_TRANSLATE_NOOP("ErrorWords", "The form of the experiment's editor shows every key"));
    default:
      return {};
  }
}

}  // namespace

QString errorText(const Error& error) {
  ErrorFacts facts = error.facts();
  if (speaksOfTheCommandLine(facts.remedy)) facts.remedy = wayOut(error.kind()).toStdString();
  return QString::fromStdString(sentence(facts));
}

}  // namespace mantissa::ui::models
