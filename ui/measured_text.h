// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>

#include <algorithm>
#include <cmath>

/// The one place that numbers for people come from: four significant digits, a minus sign that is as wide as a digit,
/// digits before the point in groups of three and the separators of the user's locale, in every text of the window.
/// Files, the clipboard and what is typed have the numbers of core/base/number_text.h instead.
namespace mantissa::ui {

/// With the minus sign that is as wide as a digit, and a small e before an exponent, in whatever locale.
inline QString withMinusSign(QString number) {
  return number.replace(u'-', QChar(0x2212)).replace(QLocale().exponential(), QLatin1String("e"), Qt::CaseInsensitive);
}

/// A number that the locale has written without groups. They are made here: locales leave them out of numbers of four
/// digits (Spanish) or of all (C), and the engine's figures beside them have them.
inline QString grouped(QString number) {
  qsizetype end = 0;
  const auto isSign = [](QChar one) { return one == u'-' || one == u'+' || one == QChar(0x2212); };
  while (end < number.size() && isSign(number[end])) ++end;
  const qsizetype first = end;
  while (end < number.size() && number[end].isDigit()) ++end;
  const QString separator = QLocale().groupSeparator();
  for (qsizetype place = end - 3; place > first; place -= 3) number.insert(place, separator);
  return number;
}

namespace numbers {

inline QString written(double value, char format, int precision) {
  QLocale locale;
  locale.setNumberOptions(locale.numberOptions() | QLocale::OmitGroupSeparator);
  return withMinusSign(grouped(locale.toString(value, format, precision)));
}

}  // namespace numbers

/// A count, a step, an exponent: "8,649", "\u2212122".
inline QString wholeText(qlonglong value) {
  QLocale locale;
  locale.setNumberOptions(locale.numberOptions() | QLocale::OmitGroupSeparator);
  return withMinusSign(grouped(locale.toString(value)));
}

/// With so many digits after the point: "49,841.0".
inline QString decimalText(double value, int decimals) { return numbers::written(value, 'f', decimals); }

/// With a power of ten, and so many digits after the point: "1.173e\u221207".
inline QString powerText(double value, int decimals) { return numbers::written(value, 'e', decimals); }

/// As many digits as tell it from all other numbers.
inline QString everyDigitText(double value) { return numbers::written(value, 'g', QLocale::FloatingPointShortest); }

/// A measured number as charts, counters and tables show it, one and the same everywhere: four significant digits with
/// decimals that do not change from one step to the next (0.03410), whole where it has more before the point (49,841).
inline QString measuredText(double value) {
  constexpr int kDigits = 4;
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("+\u221E") : QStringLiteral("\u2212\u221E");
  const auto size = std::abs(value);
  if (value == 0) return wholeText(0);
  if (size < 1e-4 || size >= 1e7) return powerText(value, kDigits - 1);
  const auto before = static_cast<int>(std::floor(std::log10(size))) + 1;
  // 9.9996 has one digit before the point, and two once it is rounded: 10.00.
  const bool roundsUp = std::round(size * std::pow(10, kDigits - before)) >= std::pow(10, kDigits);
  return decimalText(value, std::max(0, kDigits - before - (roundsUp ? 1 : 0)));
}

}  // namespace mantissa::ui
