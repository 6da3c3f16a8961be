// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/plot/axis_ticks.h"

namespace mantissa::ui::plot {

/// A measured value as a person reads it, in the user's locale: four significant digits, `NaN`, `+∞`, `−∞`. Where
/// `scale` is Log2, powers of two as `2^16` and others in full.
QString valueText(double value, YScale scale = YScale::Linear);

/// Two significant digits, never as a power of ten unless it is tiny: "3.1", "0.84", "120".
QString multipleText(double value);

/// The same in full precision.
QString fullValueText(double value);

/// A position on an x axis: whole numbers with group separators, others as values.
QString positionText(double position);

/// "NaN", "+∞" or "−∞".
QString nonFiniteText(NonFinite kind);

/// "–": not measured.
QString notMeasuredText();

/// Seconds since a beginning: "12.34 s", "34:26 min", "2:46:40 h".
QString durationText(double seconds);

}  // namespace mantissa::ui::plot
