// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/record_words.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <cmath>

#include "core/base/number_text.h"
#include "core/report/plain_words.h"
#include "ui/measured_text.h"

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
    } else if (one == QLatin1Char('-')) {
      text += QChar(0x2212);
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

QString statusText(record::Status status) {
  switch (status) {
    case record::Status::Running:
      return say(QT_TRANSLATE_NOOP("RecordWords", "running"));
    case record::Status::Finished:
      return say(QT_TRANSLATE_NOOP("RecordWords", "finished"));
    case record::Status::Stopped:
      return say(QT_TRANSLATE_NOOP("RecordWords", "stopped"));
    case record::Status::Interrupted:
      return say(QT_TRANSLATE_NOOP("RecordWords", "interrupted"));
    case record::Status::Failed:
      return say(QT_TRANSLATE_NOOP("RecordWords", "failed"));
  }
  return {};
}

QString verdictReason(const record::Verdict& verdict) {
  QStringList reasons;
  for (const std::string& one : verdict.reasons) {
    QString reason = figuresIn(QString::fromStdString(one));
    if (reason.endsWith(u'.')) reason.chop(1);  // more follows
    reasons << reason;
  }
  return reasons.join(QStringLiteral("; "));
}

QString figuresIn(const QString& sentence) {
  // A figure stands alone: "1,234", "0.6", "1.5e-05", "1e-05", "2^-3". What is part of a name, a path, a version or an
  // assignment is none.
  static const QRegularExpression kFigure(QStringLiteral(
      "(?<![\\w./\\-])(?<!= )(?<!=)-?(?:\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+\\.\\d+|\\d+(?=e-?\\d)|2\\^-\\d+)"
      "(?:e[+-]?\\d+)?"
      "(?![\\w/]|[.,]\\w)"));
  QString words;
  qsizetype from = 0;
  for (auto found = kFigure.globalMatch(sentence); found.hasNext();) {
    const QRegularExpressionMatch match = found.next();
    words += sentence.mid(from, match.capturedStart() - from) + figure(match.captured().toStdString());
    from = match.capturedEnd();
  }
  return words + sentence.mid(from);
}

namespace {

/// The exponent of a power of two.
std::optional<int> exponentOf(double scale) {
  int exponent = 0;
  if (!std::isfinite(scale) || scale <= 0 || std::frexp(scale, &exponent) != 0.5) return std::nullopt;
  return exponent - 1;
}

/// Whether as many digits as tell it from its neighbours are all of its digits.
bool isWrittenWhole(int exponent) { return exponent >= -24 && exponent <= 52; }

}  // namespace

QString scaleText(double scale) {
  if (const std::optional<int> exponent = exponentOf(scale)) return QStringLiteral("2^") + wholeText(*exponent);
  if (!std::isfinite(scale)) return figure(report::scale_words(scale));
  const bool isWhole = scale == std::floor(scale) && std::abs(scale) < 1e15;
  return isWhole ? count(static_cast<std::int64_t>(scale)) : figure(to_text(scale));
}

QString fullScaleText(double scale) {
  const std::optional<int> exponent = exponentOf(scale);
  if (!exponent || !isWrittenWhole(*exponent)) return scaleText(scale);
  const QString number = *exponent >= 0 ? count(static_cast<std::int64_t>(scale)) : figure(to_text(scale));
  return QStringLiteral("%1 = %2").arg(scaleText(scale), number);
}

QString fileScaleText(double scale) {
  const QString number = QString::fromStdString(to_text(scale));
  const std::optional<int> exponent = exponentOf(scale);
  return exponent && isWrittenWhole(*exponent) ? QStringLiteral("2^%1 = %2").arg(*exponent).arg(number) : number;
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
