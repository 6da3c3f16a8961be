// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>

#include <algorithm>
#include <cmath>

namespace mantissa::ui {

/// With the minus sign that is as wide as a digit, and a small e before an exponent, in whatever locale.
inline QString withMinusSign(QString number) {
  return number.replace(u'-', QChar(0x2212)).replace(QLocale().exponential(), QLatin1String("e"), Qt::CaseInsensitive);
}

/// A measured number as charts, counters and tables show it, one and the same everywhere: four significant digits with
/// decimals that do not change from one step to the next (0.03410), whole where it has more before the point (49,841).
inline QString measuredText(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("+\u221E") : QStringLiteral("\u2212\u221E");
  const QLocale locale;
  const auto size = std::abs(value);
  if (value == 0) return locale.toString(0);
  if (size < 1e-4 || size >= 1e7) return withMinusSign(locale.toString(value, 'e', 3));
  const auto before = static_cast<int>(std::floor(std::log10(size))) + 1;
  return withMinusSign(locale.toString(value, 'f', std::max(0, 4 - before)));
}

}  // namespace mantissa::ui
