// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

#include "ui/plot/decimate.h"

namespace mantissa::ui::plot {

/// How a value becomes a height. Log10 and Log2 draw the logarithm on a linear axis; what has none (zero and below)
/// stands in a row of its own below the axis's range.
enum class YScale { Linear, Log10, Log2 };

/// The height of a value; NaN for what has no logarithm.
double toAxis(YScale scale, double value);
double fromAxis(YScale scale, double height);

/// A line across the plot with its label: `base` raised to `exponent` where that is how people read it.
struct Tick {
  double height = 0;  ///< in axis units: the logarithm on logarithmic scales
  QString label;      ///< in the user's locale; the base of the power if `exponent` is not empty
  QString exponent;   ///< drawn raised
};

/// Few round ticks inside a range of axis units, at most `most` (≥ 2), ascending.
///
/// Linear: steps of 1, 2 or 5 · 10^n. Log10: 1 and 3 of each decade where that is few enough, else whole decades. Log2:
/// whole powers. A range without a round number in it gets none.
std::vector<Tick> yTicks(YScale scale, const Range& range, int most);
std::vector<Tick> xTicks(const Range& range, int most);

/// Of an axis that counts: whole numbers, written in full.
std::vector<Tick> countTicks(const Range& range, int most);

/// The range of an axis for values within `needed` (axis units), given the range it has: unchanged while the values lie
/// in it and fill more than half of it, so that nothing jumps. Otherwise the values and a margin; Log2: whole powers.
Range settledRange(YScale scale, const Range& needed, const Range* current);

}  // namespace mantissa::ui::plot
