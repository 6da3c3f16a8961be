// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/record_words.h"

#include <QCoreApplication>
#include <QLocale>

#include "core/report/plain_words.h"

namespace mantissa::ui::models {
namespace {

QString say(const char* text) { return QCoreApplication::translate("RecordWords", text); }

QString count(std::int64_t value) { return figure(report::count_words(value)); }

}  // namespace

QString figure(const std::string& words) {
  const QLocale locale;
  const QString point = locale.decimalPoint();
  const QString group = locale.groupSeparator();
  QString text;
  for (const QChar one : QString::fromStdString(words)) {
    if (one == QLatin1Char('.')) {
      text += point;
    } else if (one == QLatin1Char(',')) {
      text += group;
    } else {
      text += one;
    }
  }
  return text;
}

QString verdictText(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return say(QT_TRANSLATE_NOOP("RecordWords", "✓ accepted"));
    case record::VerdictWord::Rejected:
      return say(QT_TRANSLATE_NOOP("RecordWords", "✕ rejected"));
    case record::VerdictWord::Undecided:
      return say(QT_TRANSLATE_NOOP("RecordWords", "? undecided"));
  }
  return {};
}

QString kindText(record::TrialKind kind) {
  switch (kind) {
    case record::TrialKind::Reference:
      return say(QT_TRANSLATE_NOOP("RecordWords", "reference"));
    case record::TrialKind::Trial:
      return say(QT_TRANSLATE_NOOP("RecordWords", "trial"));
    case record::TrialKind::Foreign:
      return say(QT_TRANSLATE_NOOP("RecordWords", "foreign"));
    case record::TrialKind::Repeat:
      return say(QT_TRANSLATE_NOOP("RecordWords", "repeat"));
    case record::TrialKind::Rounding:
      return say(QT_TRANSLATE_NOOP("RecordWords", "rounding"));
  }
  return {};
}

QString skipText(std::int64_t skipped, std::int64_t attempted) {
  if (attempted == 0) return say(QT_TRANSLATE_NOOP("RecordWords", "no step attempted"));
  if (attempted == 1) {
    return skipped == 0 ? say(QT_TRANSLATE_NOOP("RecordWords", "none of 1 step skipped"))
                        : say(QT_TRANSLATE_NOOP("RecordWords", "1 of 1 step skipped (100 %)"));
  }
  if (skipped == 0) return say(QT_TRANSLATE_NOOP("RecordWords", "none of %1 steps skipped")).arg(count(attempted));
  return say(QT_TRANSLATE_NOOP("RecordWords", "%1 of %2 steps skipped (%3)"))
      .arg(count(skipped), count(attempted), figure(report::share_words(skipped, attempted)));
}

}  // namespace mantissa::ui::models
