// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/decimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::ui::plot {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

/// The extremes of a stretch of values, with where they stand.
struct Extremes {
  Sample minimum{0, 0, kNone};
  Sample maximum{0, 0, -kNone};
  Sample smallestPositive{0, 0, kNone};

  bool any(bool positiveOnly) const { return positiveOnly ? maximum.y > 0 : minimum.y <= maximum.y; }

  void take(const BlockSummary& summary, std::size_t first) {
    if (summary.minimum < minimum.y) minimum = {first + summary.minimumAt, 0, summary.minimum};
    if (summary.maximum > maximum.y) maximum = {first + summary.maximumAt, 0, summary.maximum};
    if (summary.smallestPositive < smallestPositive.y) {
      smallestPositive = {first + summary.smallestPositiveAt, 0, summary.smallestPositive};
    }
  }
};

class Decimator {
 public:
  Decimator(const SeriesData& series, const BlockedValues& values, const DecimationRequest& request, Decimated& result,
            GrowingDecimation::Progress& progress)
      : m_series(series),
        m_values(values),
        m_request(request),
        m_size(std::min(series.size(), values.size())),
        m_result(result),
        m_progress(progress) {
    const auto& positions = m_series.positions();
    m_begin = positions.lower(m_request.range.low, 0, m_size);
    m_end = positions.upper(m_request.range.high, m_begin, m_size);
  }

  void run() {
    m_result = {};
    m_result.count = m_end - m_begin;
    const auto columns = columnCount();
    m_result.samples.reserve(std::min(m_result.count, 2 * columns) + 2);
    if (m_begin > 0) addNeighbour(m_begin - 1);
    if (m_result.count <= 2 * columns) {
      addAll();
    } else {
      m_result.decimated = true;
      addColumns(m_begin, 0);
    }
    finish();
  }

  /// \pre the result is decimated, and so far nothing but the number of values has changed.
  void resume() {
    m_result.count = m_end - m_begin;
    m_result.samples.resize(m_progress.samples);
    m_result.breaks.resize(m_progress.breaks);
    m_result.columns.resize(m_progress.columns);
    m_result.notPositive.resize(m_progress.notPositive);
    m_result.nonFinite.resize(m_progress.nonFinite);
    m_interrupted = m_progress.interrupted;
    m_nonFiniteFrom = m_progress.begin;
    addColumns(m_progress.begin, m_progress.column);
    finish();
  }

 private:
  double value(std::size_t index) {
    const auto block = index / BlockSummary::kSize;
    if (block != m_block) {
      m_blockValues = m_values.values(block, m_scratch);
      m_block = block;
    }
    return m_blockValues[index % BlockSummary::kSize];
  }

  std::size_t columnCount() const { return std::max<std::size_t>(m_request.columns, 1); }

  void finish() {
    if (m_end < m_size) addNeighbour(m_end);
    collectNonFinite(columnCount());
    const auto& marks = m_result.nonFinite;
    const auto ofLastColumn =
        std::lower_bound(marks.begin(), marks.end(), m_progress.begin,
                         [](const NonFiniteMark& mark, std::size_t index) { return mark.index < index; });
    m_progress.nonFinite = static_cast<std::size_t>(ofLastColumn - marks.begin());
  }

  bool drawable(double value) const { return std::isfinite(value) && (!m_request.positiveOnly || value > 0); }

  void interrupt() { m_interrupted = !m_result.samples.empty(); }

  void add(std::size_t index, double y) {
    if (m_interrupted) m_result.breaks.push_back(m_result.samples.size());
    m_interrupted = false;
    m_result.samples.push_back({index, m_series.x(index), y});
  }

  void addNeighbour(std::size_t index) {
    const auto y = value(index);
    if (drawable(y)) {
      add(index, y);
    } else {
      interrupt();
    }
  }

  void addAll() {
    for (auto index = m_begin; index < m_end; ++index) {
      const auto y = value(index);
      if (m_request.positiveOnly && y <= 0 && std::isfinite(y)) m_result.notPositive.push_back(m_series.x(index));
      if (drawable(y)) {
        add(index, y);
      } else {
        interrupt();
      }
    }
  }

  Extremes extremes(std::size_t begin, std::size_t end) {
    Extremes all;
    const auto takeValues = [&](std::size_t from, std::size_t to) {
      if (from == to) return;
      value(from);  // makes its block the current one
      all.take(summarise(m_blockValues + from % BlockSummary::kSize, to - from), from);
    };
    constexpr auto size = BlockSummary::kSize;
    const auto firstFull = std::min((begin + size - 1) / size * size, end);
    const auto lastFull = std::max(end / size * size, firstFull);
    takeValues(begin, firstFull);
    for (auto block = firstFull / size; block < lastFull / size; ++block)
      all.take(m_values.summary(block), block * size);
    takeValues(lastFull, end);
    return all;
  }

  void addColumns(std::size_t begin, std::size_t column) {
    const auto& range = m_request.range;
    const auto columns = columnCount();
    for (; column < columns && begin < m_end; ++column) {
      const auto limit = range.low + range.length() * static_cast<double>(column + 1) / static_cast<double>(columns);
      const auto end = column + 1 == columns ? m_end : m_series.positions().lower(limit, begin, m_end);
      if (begin < end) {
        m_progress = {column,
                      begin,
                      m_result.samples.size(),
                      m_result.breaks.size(),
                      m_result.columns.size(),
                      m_result.notPositive.size(),
                      0,  // known in the end
                      m_interrupted};
        addColumn(begin, end, limit - range.length() / static_cast<double>(columns) / 2);
      }
      begin = end;
    }
  }

  void addColumn(std::size_t begin, std::size_t end, double middle) {
    const auto found = extremes(begin, end);
    const bool positiveOnly = m_request.positiveOnly;
    if (positiveOnly && found.minimum.y <= 0) m_result.notPositive.push_back(m_series.x(found.minimum.index));
    if (!found.any(positiveOnly)) {
      interrupt();
      return;
    }
    auto low = positiveOnly ? found.smallestPositive : found.minimum;
    auto high = found.maximum;
    m_result.columns.push_back({middle, low.y, high.y});
    // The ends of the visible line stand for themselves: the newest value must be where the legend says it is.
    if (begin == m_begin) addEnd(begin, low, high);
    const auto [earlier, later] = low.index < high.index ? std::pair(low, high) : std::pair(high, low);
    addOnce(earlier);
    addOnce(later);
    if (end == m_end) addEnd(end - 1, low, high);
  }

  void addOnce(const Sample& sample) {
    if (m_result.samples.empty() || m_result.samples.back().index < sample.index) add(sample.index, sample.y);
  }

  void addEnd(std::size_t index, const Sample& low, const Sample& high) {
    const auto y = value(index);
    if (drawable(y) && index != low.index && index != high.index) add(index, y);
  }

  /// One mark a column and kind. There may be a hundred thousand runs of one value each: most only add to a mark.
  void collectNonFinite(std::size_t columns) {
    const auto& runs = m_series.nonFinite();
    const auto& positions = m_series.positions();
    const auto& range = m_request.range;
    const auto begin = std::max(m_begin, m_nonFiniteFrom);
    auto run = std::lower_bound(runs.begin(), runs.end(), begin, [](const NonFiniteRun& left, std::size_t index) {
      return left.first + left.count <= index;
    });
    const auto limitOf = [&](double column) {
      if (column + 1 >= static_cast<double>(columns)) return kNone;
      return range.low + range.length() * (column + 1) / static_cast<double>(columns);
    };
    double limit = -kNone;  // of the column that the last value was in
    // A long run spans many columns: each gets its mark, found by a search, not by walking the run.
    for (; run != runs.end() && run->first < m_end; ++run) {
      auto index = std::max(run->first, begin);
      const auto last = std::min(run->first + run->count, m_end);
      while (index < last) {
        const auto x = m_series.x(index);
        if (x >= limit) {
          // The same columns as those of the values, to the last bit.
          double column = columnOf(x, columns);
          while (column > 0 && x < limitOf(column - 1)) --column;
          while (x >= limitOf(column)) ++column;
          limit = limitOf(column);
          m_marksOfColumn = m_result.nonFinite.size();
        }
        const auto next = last - index == 1 ? last : std::max(positions.lower(limit, index, last), index + 1);
        addMark({x, index, next - index, run->kind});
        index = next;
      }
    }
  }

  double columnOf(double x, std::size_t columns) const {
    const auto& range = m_request.range;
    if (range.length() <= 0) return 0;
    return std::min(std::floor((x - range.low) / range.length() * static_cast<double>(columns)),
                    static_cast<double>(columns - 1));
  }

  void addMark(const NonFiniteMark& mark) {
    for (auto at = m_marksOfColumn; at < m_result.nonFinite.size(); ++at) {
      if (m_result.nonFinite[at].kind != mark.kind) continue;
      m_result.nonFinite[at].count += mark.count;
      return;
    }
    m_result.nonFinite.push_back(mark);
  }

  const SeriesData& m_series;
  const BlockedValues& m_values;
  const DecimationRequest& m_request;
  std::size_t m_size;
  std::size_t m_begin = 0;
  std::size_t m_end = 0;
  Decimated& m_result;
  GrowingDecimation::Progress& m_progress;
  bool m_interrupted = false;
  std::size_t m_nonFiniteFrom = 0;  // earlier ones have their marks
  std::size_t m_marksOfColumn = 0;  // the first of the column at hand
  BlockedValues::Block m_scratch{};
  const double* m_blockValues = nullptr;
  std::size_t m_block = std::numeric_limits<std::size_t>::max();
};

}  // namespace

Decimated decimate(const SeriesData& series, const BlockedValues& values, const DecimationRequest& request) {
  Decimated result;
  GrowingDecimation::Progress progress;
  Decimator(series, values, request, result, progress).run();
  return result;
}

const Decimated& GrowingDecimation::update(const SeriesData& series, const BlockedValues& values,
                                           const DecimationRequest& request) {
  const auto size = std::min(series.size(), values.size());
  const bool same = m_positions == series.sharedPositions() && m_request == request && m_size <= size;
  if (same && size == m_size) return m_result;
  // The decimator keeps a reference to the request.
  m_request = request;
  Decimator decimator(series, values, m_request, m_result, m_progress);
  if (same && m_result.decimated) {
    decimator.resume();
  } else {
    decimator.run();
  }
  m_positions = series.sharedPositions();
  m_size = size;
  return m_result;
}

}  // namespace mantissa::ui::plot
