// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/measured_text.h"

namespace mantissa::ui::plot {
namespace {

constexpr int kDigitsBeforePower = 4;
constexpr double kLargestInFull = 1e15;  // whole numbers below are exact in a double, and short enough

/// 1, 2 or 5 · 10^n: the smallest such step that is at least `least`.
double roundStep(double least) {
  const auto power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// The multiples of `step` in the range, as whole numbers of steps: sums of steps would drift.
std::vector<double> multiples(const Range& range, double step) {
  std::vector<double> values;
  const auto slack = 1e-9 * step;
  for (auto count = std::ceil((range.low - slack) / step); count * step <= range.high + slack; ++count) {
    values.push_back(count * step + 0.0);  // + 0.0: no negative zero
  }
  return values;
}

QString linearLabel(double value, double step) {
  const auto largest = std::abs(value);
  if (value == 0) return wholeText(0);
  if (largest >= 1e7 || largest < 1e-4) {
    // As many digits as tell neighbours apart.
    const auto lastDigit = static_cast<int>(std::floor(std::log10(step) + 1e-9));
    const auto digits = static_cast<int>(std::floor(std::log10(largest))) - lastDigit;
    // Many digits are read more easily in groups than before a power of ten.
    if (digits > kDigitsBeforePower && largest > 1 && largest < kLargestInFull) {
      return decimalText(value, std::max(0, -lastDigit));
    }
    return powerText(value, std::clamp(digits, 0, 15));
  }
  const auto decimals = static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return decimalText(value, std::clamp(decimals, 0, 8));
}

/// \param least  that ticks are apart
std::vector<Tick> linearTicks(const Range& range, int most, double least = 0) {
  const auto length = range.length();
  // Below the resolution of doubles there is nothing round to find.
  const auto largest = std::max(std::abs(range.low), std::abs(range.high));
  if (!(length > 0) || !std::isfinite(length) || length < largest * 1e-12) return {};
  auto step = roundStep(std::max(length / most, least));
  auto values = multiples(range, step);
  while (static_cast<int>(values.size()) > most) {
    step = roundStep(step * 1.5);
    values = multiples(range, step);
  }
  std::vector<Tick> ticks;
  for (const auto value : values) ticks.push_back({value, linearLabel(value, step), {}});
  return ticks;
}

Tick decimalTick(int exponent, int factor) {
  const auto height = exponent + std::log10(factor);
  if (exponent >= -4 && exponent <= 4) {
    return {height, decimalText(factor * std::pow(10.0, exponent), std::max(0, -exponent)), {}};
  }
  const auto base = factor == 1 ? QStringLiteral("10") : QStringLiteral("%1·10").arg(factor);
  return {height, base, wholeText(exponent)};
}

std::vector<Tick> decadeTicks(const Range& range, int most) {
  const auto first = static_cast<int>(std::floor(range.low)) - 1;
  const auto last = static_cast<int>(std::ceil(range.high)) + 1;
  const auto decades = range.length();
  std::vector<Tick> ticks;
  const auto take = [&](int exponent, std::initializer_list<int> factors) {
    for (const auto factor : factors) {
      auto tick = decimalTick(exponent, factor);
      if (range.low - 1e-9 <= tick.height && tick.height <= range.high + 1e-9) ticks.push_back(std::move(tick));
    }
  };
  if (decades < 0.5) {
    // Less than a factor of three: round numbers of the values themselves.
    for (auto& tick : linearTicks({std::pow(10, range.low), std::pow(10, range.high)}, most)) {
      if (tick.height > 0) ticks.push_back({std::log10(tick.height), tick.label, {}});
    }
    return ticks;
  }
  if (3 * decades <= most) {
    for (auto exponent = first; exponent <= last; ++exponent) take(exponent, {1, 2, 5});
  } else if (2 * decades <= most) {
    for (auto exponent = first; exponent <= last; ++exponent) take(exponent, {1, 3});
  } else {
    const auto step = static_cast<int>(std::ceil(decades / most));
    for (auto exponent = first; exponent <= last; ++exponent) {
      if (exponent % step == 0) take(exponent, {1});
    }
  }
  return ticks;
}

std::vector<Tick> powerOfTwoTicks(const Range& range, int most) {
  auto step = std::max(1.0, std::ceil(range.length() / most));
  if (step > 2) step = std::ceil(step / 4) * 4;  // 1, 2, 4, 8, 12 …
  std::vector<Tick> ticks;
  for (const auto exponent : multiples(range, step)) {
    auto text = wholeText(std::llround(exponent));
    ticks.push_back({exponent, QStringLiteral("2"), std::move(text)});
  }
  return ticks;
}

Range withMargin(YScale scale, const Range& needed) {
  if (scale == YScale::Log2) return {std::floor(needed.low) - 1, std::ceil(needed.high) + 1};
  const auto length = needed.length();
  // What differs by the rounding of doubles alone is one value, as in linearTicks. A distance of logarithms is a ratio
  // of values, however small they are.
  const auto least = scale == YScale::Log10 ? 1.0 : 0.0;
  const auto largest = std::max({std::abs(needed.low), std::abs(needed.high), least});
  if (length > largest * 1e-11 && std::isfinite(length)) {
    const auto margin = 0.08 * length;
    auto low = needed.low - margin;
    // Quantities that start at zero keep their zero line.
    if (scale == YScale::Linear && needed.low >= 0 && low < 0) low = needed.low == 0 ? -0.02 * length : 0;
    return {low, needed.high + margin};
  }
  // One value only: some room around it, more than the rounding of the value itself.
  const auto room = scale == YScale::Linear ? std::max(std::abs(needed.low) * 0.05, 1e-300) : 0.5;
  const auto around = needed.low == 0 && scale == YScale::Linear ? 1.0 : room;
  return {needed.low - around, needed.low + around};
}

}  // namespace

double toAxis(YScale scale, double value) {
  if (scale == YScale::Linear) return value;
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return scale == YScale::Log10 ? std::log10(value) : std::log2(value);
}

double fromAxis(YScale scale, double height) {
  if (scale == YScale::Linear) return height;
  return scale == YScale::Log10 ? std::pow(10.0, height) : std::exp2(height);
}

std::vector<Tick> yTicks(YScale scale, const Range& range, int most) {
  most = std::max(most, 2);
  switch (scale) {
    case YScale::Log10:
      return decadeTicks(range, most);
    case YScale::Log2:
      return powerOfTwoTicks(range, most);
    case YScale::Linear:
      break;
  }
  return linearTicks(range, most);
}

std::vector<Tick> xTicks(const Range& range, int most) { return linearTicks(range, std::max(most, 2)); }

std::vector<Tick> countTicks(const Range& range, int most) {
  // Between two whole numbers there is nothing to count; closer than that a line is all that is seen.
  const double least = range.length() < 1 ? 0 : 1;
  std::vector<Tick> ticks = linearTicks(range, std::max(most, 2), least);
  for (Tick& tick : ticks) {
    if (std::abs(tick.height) < kLargestInFull && tick.height == std::floor(tick.height)) {
      tick.label = wholeText(static_cast<qlonglong>(tick.height));
    }
  }
  return ticks;
}

Range settledRange(YScale scale, const Range& needed, const Range* current) {
  const auto wanted = withMargin(scale, needed);
  if (current != nullptr && current->low <= needed.low && needed.high <= current->high &&
      wanted.length() > 0.5 * current->length()) {
    return *current;
  }
  return wanted;
}

}  // namespace mantissa::ui::plot
