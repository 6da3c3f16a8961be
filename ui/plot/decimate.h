// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ui/plot/series_data.h"

namespace mantissa::ui::plot {

/// A closed interval of an axis, low <= high.
struct Range {
  double low = 0;
  double high = 1;

  double length() const { return high - low; }
  bool contains(double value) const { return low <= value && value <= high; }
  bool operator==(const Range& other) const { return low == other.low && high == other.high; }
  bool operator!=(const Range& other) const { return !(*this == other); }
};

struct Sample {
  std::size_t index = 0;
  double x = 0;
  double y = 0;
};

/// Non-finite values of one kind that share a pixel column: never dropped, never drawn as a number.
struct NonFiniteMark {
  double x = 0;           ///< of the first of them
  std::size_t index = 0;  ///< of the first of them
  std::size_t count = 0;
  NonFinite kind = NonFinite::NotANumber;
};

/// Least and greatest drawable value of a pixel column.
struct ColumnExtent {
  double x = 0;  ///< middle of the column
  double low = 0;
  double high = 0;
};

/// What can be drawn of a series in a range of x.
struct Decimated {
  std::vector<Sample> samples;        ///< finite, in order, at most two a column and one beyond either end of the range
  std::vector<std::size_t> breaks;    ///< positions in `samples` before which the line is interrupted, ascending
  std::vector<ColumnExtent> columns;  ///< of columns with drawable values, only where `decimated`
  std::vector<NonFiniteMark> nonFinite;  ///< within the range, by x
  std::vector<double> notPositive;       ///< x of columns with values at or below zero, if `positiveOnly`
  std::size_t count = 0;                 ///< values within the range
  bool decimated = false;                ///< whether columns hold more than two values
};

struct DecimationRequest {
  Range range;
  std::size_t columns = 1;    ///< pixels across the range
  bool positiveOnly = false;  ///< for logarithms: samples above zero only

  bool operator==(const DecimationRequest& other) const {
    return range == other.range && columns == other.columns && positiveOnly == other.positiveOnly;
  }
};

/// Minimum and maximum of each pixel column in the order in which they occurred, the first and the last value kept.
///
/// `values` are those of `series` or computed from them (same size). Where the range holds at most two values a column,
/// all are returned. Columns begin at multiples of their width from the range's start, so that a growing series does
/// not shimmer. Cost: a binary search a column and a look at a summary per 64 values.
Decimated decimate(const SeriesData& series, const BlockedValues& values, const DecimationRequest& request);

/// The same for one pair of `series` and `values` that is drawn again and again: while only values were appended and
/// the request stays, all columns but the last are kept. The result is that of decimate().
class GrowingDecimation {
 public:
  const Decimated& update(const SeriesData& series, const BlockedValues& values, const DecimationRequest& request);

  /// Where the last column began, to go on from there.
  struct Progress {
    std::size_t column = 0;
    std::size_t begin = 0;  ///< its first value
    std::size_t samples = 0, breaks = 0, columns = 0, notPositive = 0,
                nonFinite = 0;  ///< how many there were before it
    bool interrupted = false;
  };

 private:
  Decimated m_result;
  DecimationRequest m_request;
  Progress m_progress;
  std::shared_ptr<const PositionColumn> m_positions;
  std::size_t m_size = 0;
};

}  // namespace mantissa::ui::plot
