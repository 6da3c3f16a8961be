// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/number_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <cmath>
#include <optional>

#include "core/base/number_text.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53: up to it a double holds every integer

QString say(const char* text) { return QCoreApplication::translate("Numbers", text); }

bool matches(const QString& text, const char* pattern) {
  return QRegularExpression(QRegularExpression::anchoredPattern(QString::fromLatin1(pattern))).match(text).hasMatch();
}

/// An integer that is spelled as a number with a fraction or an exponent: 1e5, 2.0.
std::optional<QString> asInteger(const QString& text) {
  bool isNumber = false;
  const double value = QString(text).remove(QLatin1Char('_')).toDouble(&isNumber);
  if (!isNumber || value != std::trunc(value) || std::abs(value) > kLargestExact) return std::nullopt;
  return QString::number(static_cast<qint64>(value));
}

bool isInteger(const QString& text) { return isTomlNumber(text) && matches(text, "[+-]?[0-9_]+|0[xob][0-9A-Fa-f_]+"); }

/// 2^16 and 2**16.
std::optional<QString> power(const QString& text) {
  static const QRegularExpression pattern(
      QRegularExpression::anchoredPattern(QStringLiteral("([0-9]{1,4})(?:\\^|\\*\\*)(-?[0-9]{1,3})")));
  const QRegularExpressionMatch match = pattern.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const double value = std::pow(match.captured(1).toDouble(), match.captured(2).toDouble());
  if (!std::isfinite(value) || value == 0) return std::nullopt;
  if (const std::optional<QString> whole = asInteger(QString::number(value, 'g', 17))) return whole;
  return QString::fromStdString(mantissa::to_text(value));
}

QString write(const QString& number) { return say(QT_TRANSLATE_NOOP("Numbers", "Write %1.")).arg(number); }

/// What stands in `text`, as TOML spells it; nothing where it is no number, or may be two.
struct Meant {
  QString number;
  QString way;
};

std::optional<Meant> meantBy(const QString& text, bool isWhole) {
  const auto taken = [&](const QString& number) { return isWhole ? isInteger(number) : isTomlNumber(number); };
  QString plain = text;
  plain.replace(QChar(0x2212), QLatin1Char('-'));  // the real minus sign
  static const QRegularExpression blanks(QStringLiteral("[\\s'\u2019]"),
                                         QRegularExpression::UseUnicodePropertiesOption);
  plain.remove(blanks);
  if (taken(plain)) {
    const bool hadBlanks = text.size() != plain.size();
    return Meant{
        plain, hadBlanks ? say(QT_TRANSLATE_NOOP("Numbers", "Write %1 without anything between the digits.")).arg(plain)
                         : write(plain)};
  }
  if (const std::optional<QString> value = power(plain); value && taken(*value)) return Meant{*value, write(*value)};
  if (plain.endsWith(QLatin1Char('%')) && !isWhole) {
    bool isNumber = false;
    const double value = plain.chopped(1).replace(QLatin1Char(','), QLatin1Char('.')).toDouble(&isNumber) / 100;
    if (!isNumber) return std::nullopt;
    const QString number = QString::number(value, 'g', 12);
    return Meant{number, say(QT_TRANSLATE_NOOP("Numbers", "Write %1: a share of 1.")).arg(number)};
  }
  if (matches(plain, "[+-]?0+[1-9][0-9]*") || matches(plain, "[+-]?0{2,}(\\.[0-9]+)?")) {
    QString number = plain;
    number.replace(QRegularExpression(QStringLiteral("^([+-]?)0+(?=[0-9])")), QStringLiteral("\\1"));
    return Meant{number, say(QT_TRANSLATE_NOOP("Numbers", "Write %1 without zeros before it.")).arg(number)};
  }
  if (isWhole) return std::nullopt;
  if (matches(plain, "[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")) {
    const QString number = QString(plain).replace(QLatin1Char(','), QLatin1Char('.'));
    if (isTomlNumber(number)) {
      return Meant{number, say(QT_TRANSLATE_NOOP("Numbers", "Write %1 with a point.")).arg(number)};
    }
  }
  static const QRegularExpression pointAtAnEnd(
      QRegularExpression::anchoredPattern(QStringLiteral("([+-]?)([0-9]*)\\.([0-9]*)((?:[eE][+-]?[0-9]+)?)")));
  const QRegularExpressionMatch match = pointAtAnEnd.match(plain);
  if (match.hasMatch() && (match.capturedLength(2) > 0 || match.capturedLength(3) > 0)) {
    const auto orZero = [](const QString& digits) { return digits.isEmpty() ? QStringLiteral("0") : digits; };
    const QString number = match.captured(1) + orZero(match.captured(2)) + QLatin1Char('.') +
                           orZero(match.captured(3)) + match.captured(4);
    if (isTomlNumber(number)) {
      return Meant{number,
                   say(QT_TRANSLATE_NOOP("Numbers", "Write %1 with a digit on both sides of the point.")).arg(number)};
    }
  }
  return std::nullopt;
}

}  // namespace

QString wayToNumber(const QString& text, bool isWhole) {
  // 1,000 is a thousand for some and one for others.
  if (matches(text, "[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")) {
    const QString whole = QString(text).remove(QLatin1Char(','));
    if (isWhole || text.count(QLatin1Char(',')) > 1) {
      return say(QT_TRANSLATE_NOOP("Numbers", "Write %1 without commas.")).arg(whole);
    }
    return say(QT_TRANSLATE_NOOP("Numbers", "Write %1 without a comma, or %2 with a point."))
        .arg(whole, QString(text).replace(QLatin1Char(','), QLatin1Char('.')));
  }
  if (isWhole && isTomlNumber(text)) {
    const std::optional<QString> whole = asInteger(text);
    return whole ? write(*whole) : say(QT_TRANSLATE_NOOP("Numbers", "Write a number without a fraction."));
  }
  if (const std::optional<Meant> meant = meantBy(text, isWhole)) return meant->way;
  if (!isWhole && matches(text, "[+-]?[0-9.,]*[0-9][0-9.,]*[eE][+-]?")) {
    return say(QT_TRANSLATE_NOOP("Numbers", "Write the digits of its exponent, too, such as 1e-3."));
  }
  return isWhole ? say(QT_TRANSLATE_NOOP("Numbers", "Write digits alone, such as 64."))
                 : say(QT_TRANSLATE_NOOP("Numbers", "Write a number such as 0.001 or 1e-3."));
}

QString numberProblem(const QString& text, bool isWhole) {
  if (isWhole ? isInteger(text) : isTomlNumber(text)) return {};
  return (isWhole ? say(QT_TRANSLATE_NOOP("Numbers", "Found %1, expected an integer. %2"))
                  : say(QT_TRANSLATE_NOOP("Numbers", "Found %1, expected a number. %2")))
      .arg(text, wayToNumber(text, isWhole));
}

}  // namespace mantissa::ui::editor
