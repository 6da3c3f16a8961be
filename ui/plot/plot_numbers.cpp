// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_numbers.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "ui/measured_text.h"

namespace mantissa::ui::plot {

QString nonFiniteText(NonFinite kind) {
  switch (kind) {
    case NonFinite::PlusInfinity:
      return QStringLiteral("+\u221E");
    case NonFinite::MinusInfinity:
      return QStringLiteral("\u2212\u221E");
    case NonFinite::NotANumber:
      break;
  }
  return QStringLiteral("NaN");
}

QString notMeasuredText() { return QStringLiteral("\u2013"); }

QString valueText(double value, YScale scale) {
  if (!std::isfinite(value)) return nonFiniteText(kindOf(value));
  if (scale == YScale::Log2 && value > 0) {
    int exponent = 0;
    if (std::frexp(value, &exponent) == 0.5) return QStringLiteral("2^") + wholeText(exponent - 1);
    return value == std::floor(value) ? positionText(value) : fullValueText(value);  // as everywhere: all of its digits
  }
  return measuredText(value);
}

QString multipleText(double value) {
  if (!std::isfinite(value)) return nonFiniteText(kindOf(value));
  const auto size = std::abs(value);
  if (value == 0) return wholeText(0);
  if (size < 1e-3 || size >= 1e7) return powerText(value, 1);
  const auto before = static_cast<int>(std::floor(std::log10(size))) + 1;
  return decimalText(value, std::clamp(2 - before, 0, 4));
}

QString fullValueText(double value) {
  if (!std::isfinite(value)) return nonFiniteText(kindOf(value));
  return everyDigitText(value);
}

QString positionText(double position) {
  if (position == std::floor(position) && std::abs(position) < 1e15) {
    return wholeText(static_cast<qlonglong>(position));
  }
  return valueText(position);
}

QString durationText(double seconds) {
  if (!(std::abs(seconds) >= 60) || std::abs(seconds) > 1e15) {
    return QCoreApplication::translate("PlotNumbers", "%1 s").arg(positionText(seconds));
  }
  const auto whole = std::llround(seconds);
  const auto two = [](qint64 number) { return QStringLiteral("%1").arg(number, 2, 10, QChar(u'0')); };
  if (whole < 3600) {
    return QCoreApplication::translate("PlotNumbers", "%1 min")
        .arg(QStringLiteral("%1:%2").arg(whole / 60).arg(two(whole % 60)));
  }
  return QCoreApplication::translate("PlotNumbers", "%1 h")
      .arg(QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(two(whole / 60 % 60), two(whole % 60)));
}

}  // namespace mantissa::ui::plot
