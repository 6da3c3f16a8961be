// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_frame.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ui/measured_text.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kTopRow = 15;       // non-finite marks
constexpr double kMarkRow = 9;       // ticks of skipped steps
constexpr double kZeroRow = 14;      // values without a logarithm
constexpr double kRightMargin = 18;  // at least: half of the last number of the axis is beyond its end
constexpr double kBeforeLane = 5;
constexpr double kAfterLane = 2;
constexpr std::size_t kMarkersAlongLine = 40;
constexpr double kLargestHeight = 7e307;  // of an axis: twice that and its margins are still a double
constexpr double kOnEachOther = 2;        // pixels: lines that cover each other
constexpr std::size_t kEnoughToCompare = 20;

class FrameMaker {
  Q_DECLARE_TR_FUNCTIONS(PlotFrame)

 public:
  explicit FrameMaker(const FrameRequest& request)
      : m_request(request), m_content(*request.content), m_metrics(request.font) {}

  PlotFrame make() {
    auto& geometry = m_frame.geometry;
    geometry.x = m_request.x;
    geometry.scale = scaleOf(m_content);
    placeArea(std::max(m_request.leftMargin, labelRoom()));
    decimateAll();
    placeRows();
    geometry.y = m_request.y ? *m_request.y : automaticY();
    const auto& sources = m_request.sources->sources();
    m_frame.isEmpty = std::all_of(sources.begin(), sources.end(),
                                  [](const PlotSources::Source& source) { return source.series.data->empty(); });
    makeTicks();
    const auto needed = widestYLabel() + 8;
    if (needed > geometry.area.left()) {
      placeArea(needed);
      placeRows();
    }
    for (auto& series : m_frame.series) makeLines(series);
    std::reverse(m_frame.lines.begin(), m_frame.lines.end());
    m_frame.isElsewhere = liesElsewhere();
    m_frame.coversReference = liesOnReference();
    collectNonFinite();
    placeMarks();
    m_frame.note = note();
    return std::move(m_frame);
  }

 private:
  double labelRoom() const { return m_metrics.horizontalAdvance(QStringLiteral("0.0003")) + 8; }

  void placeArea(double left) {
    const auto bottom = m_metrics.height() + 7;
    // Of all series, the hidden ones too: what is hidden moves nothing.
    const auto columns =
        std::min(std::max(m_content.laneColumns, m_request.sources->sources().size()), PlotGeometry::kMostLaneColumns);
    m_frame.geometry.laneColumns = columns;
    const double lane = std::min(static_cast<double>(columns) * PlotGeometry::kLaneColumn, PlotGeometry::kWidestLane);
    const double right = std::max(kRightMargin, kBeforeLane + lane + kAfterLane);
    QRectF& area = m_frame.geometry.area;
    area = QRectF(left, 2, std::max(1.0, m_request.size.width() - left - right),
                  std::max(1.0, m_request.size.height() - 2 - bottom));
    m_frame.geometry.lane = QRectF(area.right() + kBeforeLane, area.top(), lane, area.height());
  }

  void placeRows() {
    auto& geometry = m_frame.geometry;
    geometry.lines =
        geometry.area.adjusted(0, kTopRow, 0, m_content.markRow || !m_content.marks.empty() ? -kMarkRow : 0);
    geometry.zeroRow = {};
    const bool zeros = std::any_of(m_frame.series.begin(), m_frame.series.end(),
                                   [](const FrameSeries& series) { return !series.raw.notPositive.empty(); });
    if (zeros) {
      geometry.lines.adjust(0, 0, 0, -kZeroRow);
      geometry.zeroRow = QRectF(geometry.lines.left(), geometry.lines.bottom(), geometry.lines.width(), kZeroRow);
    }
    if (geometry.lines.height() < 1) geometry.lines.setHeight(1);
    // A line that goes out of y's range is seen up to the edge: one that ended below it would look like one that ends.
    geometry.drawn = geometry.area;
    if (zeros) geometry.drawn.setBottom(geometry.lines.bottom());
  }

  void decimateAll() {
    DecimationRequest request;
    request.range = m_frame.geometry.x;
    request.columns = static_cast<std::size_t>(std::max(1.0, m_frame.geometry.area.width()));
    request.positiveOnly = m_frame.geometry.scale != YScale::Linear;
    const auto& sources = m_request.sources->sources();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto& source = sources[i];
      if (m_request.hidden->contains(source.series.id)) continue;
      FrameSeries series;
      series.source = i;
      series.style = source.series.style;
      series.raw = source.rawDecimation.update(*source.series.data, *source.series.data, request);
      if (source.smoothed)
        series.smoothed = source.smoothedDecimation.update(*source.series.data, *source.smoothed, request);
      m_frame.series.push_back(std::move(series));
    }
  }

  double height(double value) const { return toAxis(m_frame.geometry.scale, value); }

  /// Where a line that is measured on both sides of this place crosses it; NaN where there is none.
  double heightAt(const Decimated& line, double x, bool steps) const {
    const auto& samples = line.samples;
    const auto after = std::upper_bound(samples.begin(), samples.end(), x,
                                        [](double place, const Sample& sample) { return place < sample.x; });
    if (after == samples.begin() || after == samples.end()) return std::numeric_limits<double>::quiet_NaN();
    const auto index = static_cast<std::size_t>(after - samples.begin());
    if (std::binary_search(line.breaks.begin(), line.breaks.end(), index)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    const Sample& before = *std::prev(after);
    const double from = height(before.y);
    return steps ? from : from + (height(after->y) - from) * (x - before.x) / (after->x - before.x);
  }

  Range automaticY() {
    std::optional<Range> data;
    const auto take = [&data](double height) {
      if (!std::isfinite(height)) return;
      height = std::clamp(height, -kLargestHeight, kLargestHeight);
      data = data ? Range{std::min(data->low, height), std::max(data->high, height)} : Range{height, height};
    };
    const auto& x = m_frame.geometry.x;
    for (const auto& series : m_frame.series) {
      const bool steps = m_request.sources->sources()[series.source].series.steps;
      for (const auto* decimated : {&series.raw, &series.smoothed}) {
        for (const auto& sample : decimated->samples) {
          if (x.contains(sample.x)) take(height(sample.y));
        }
        for (const double edge : {x.low, x.high}) take(heightAt(*decimated, edge, steps));
      }
    }
    if (!data) {
      if (m_request.previousY) return *m_request.previousY;
      return m_frame.geometry.scale == YScale::Linear ? Range{0, 1} : Range{-1, 1};
    }
    if (m_content.isFilled) take(height(0));
    // Limits and yardsticks come into view while that leaves the data at least a third of the height.
    const auto room = std::max(3 * data->length(), m_frame.geometry.scale == YScale::Linear ? 0.0 : 1.0);
    const auto takeLine = [&](double value) {
      auto line = height(value);
      if (!std::isfinite(line)) return;
      line = std::clamp(line, -kLargestHeight, kLargestHeight);
      const Range wider{std::min(data->low, line), std::max(data->high, line)};
      if (wider.length() <= room) data = wider;
    };
    const Range* const previous = m_request.previousY && m_request.keepsY ? &*m_request.previousY : nullptr;
    if (m_content.difference) return settledRange(YScale::Linear, *data, previous);
    for (const auto& limit : m_content.limits) takeLine(limit.value);
    for (const auto& band : m_content.bands) {
      takeLine(band.high);
      if (band.low != 0) takeLine(band.low);
    }
    return settledRange(m_frame.geometry.scale, *data, previous);
  }

  void makeTicks() {
    const auto& geometry = m_frame.geometry;
    const auto widest = std::max(m_metrics.horizontalAdvance(QStringLiteral("1,000,000")),
                                 m_metrics.horizontalAdvance(positionText(std::ceil(geometry.x.high))));
    const auto across = std::clamp(static_cast<int>(geometry.area.width() / (widest * 1.25)), 2, 10);
    m_frame.xTicks =
        m_content.xKind == XAxisKind::Seconds ? secondsTicks(geometry.x, across) : countTicks(geometry.x, across);
    m_frame.xName = m_content.xName;
    if (m_content.xKind == XAxisKind::Seconds) m_frame.xName += QStringLiteral(" [%1]").arg(m_timeUnit);
    // Without a value there is nothing to be high or low.
    if (m_frame.isEmpty) return;
    const int most = std::clamp(static_cast<int>(geometry.lines.height() / 30), 2, 7);
    // Round numbers are round in the unit in which they are read; the picture stays where it is.
    const bool isLinear = geometry.scale == YScale::Linear;
    const double unit = isLinear ? m_content.valueUnit : toAxis(geometry.scale, m_content.valueUnit);
    const Range shown = isLinear ? Range{geometry.y.low / unit, geometry.y.high / unit}
                                 : Range{geometry.y.low - unit, geometry.y.high - unit};
    m_frame.yTicks = yTicks(geometry.scale, shown, most);
    for (Tick& tick : m_frame.yTicks) tick.height = isLinear ? tick.height * unit : tick.height + unit;
  }

  double widestYLabel() const {
    double widest = 0;
    for (const auto& tick : m_frame.yTicks) {
      widest =
          std::max(widest, m_metrics.horizontalAdvance(tick.label) + 0.8 * m_metrics.horizontalAdvance(tick.exponent));
    }
    return widest;
  }

  /// In the unit square of the line chart, which is what of the plot lines may be drawn on; interrupted by NaN. What
  /// lies far outside is drawn to where it leaves.
  QList<QPointF> points(const Decimated& from, bool steps, FrameSeries& series) {
    const auto& geometry = m_frame.geometry;
    QList<QPointF> all;
    const auto perSample = steps ? 2 : 1;
    all.reserve(perSample * static_cast<qsizetype>(from.samples.size()) + static_cast<qsizetype>(from.breaks.size()));
    const double below = (geometry.drawn.bottom() - geometry.lines.bottom()) / geometry.drawn.height();
    const double share = geometry.lines.height() / geometry.drawn.height();
    auto nextBreak = from.breaks.begin();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < from.samples.size(); ++i) {
      const auto& sample = from.samples[i];
      const bool interrupted = nextBreak != from.breaks.end() && *nextBreak == i;
      if (interrupted) {
        ++nextBreak;
        all.append(QPointF(kNaN, kNaN));
      }
      const auto x = (sample.x - geometry.x.low) / geometry.x.length();
      const auto inRange = std::clamp((height(sample.y) - geometry.y.low) / geometry.y.length(), -1000.0, 1001.0);
      const auto y = below + inRange * share;
      if (steps && i > 0 && !interrupted) {
        if (i + 1 < from.samples.size() && all.last().y() == y &&
            !(nextBreak != from.breaks.end() && *nextBreak == i + 1))
          continue;
        all.append(QPointF(x, all.last().y()));
      }
      all.append(QPointF(x, y));
      const bool endsHere = i + 1 == from.samples.size() || (nextBreak != from.breaks.end() && *nextBreak == i + 1);
      if ((i == 0 || interrupted) && endsHere) series.loneValues.push_back(pixel(sample));
    }
    cutFarEnds(all);
    return all;
  }

  /// A neighbour beyond the range may be a million ranges away: its line is cut near the edge, on the line.
  static void cutFarEnds(QList<QPointF>& points) {
    constexpr double kFar = 1;
    if (points.size() < 2) return;
    const auto cut = [](QPointF& end, const QPointF& inner) {
      const auto edge = std::clamp(end.x(), -kFar, 1 + kFar);
      if (edge == end.x() || std::isnan(inner.x()) || inner.x() == end.x()) return;
      end.setY(inner.y() + (end.y() - inner.y()) * (edge - inner.x()) / (end.x() - inner.x()));
      end.setX(edge);
    };
    cut(points.first(), QPointF(points.at(1)));
    cut(points.last(), QPointF(points.at(points.size() - 2)));
  }

  QPointF pixel(const Sample& sample) const {
    return {m_frame.geometry.toPixelX(sample.x), m_frame.geometry.toPixelY(height(sample.y))};
  }

  void makeLines(FrameSeries& series) {
    const auto& geometry = m_frame.geometry;
    const auto& source = m_request.sources->sources()[series.source];
    const auto width = m_content.live ? 1.0 : 2.0;
    const bool smoothed = source.smoothed != nullptr;
    if (smoothed && series.raw.decimated) {
      series.envelope = envelope(series.raw);
    } else if (smoothed) {
      series.faintLines = polylines(series.raw);
    }
    m_frame.lines.push_back({series.style.color, width, points(series.main(), source.series.steps, series)});
    for (const auto x : series.raw.notPositive) series.zeroPixels.push_back(geometry.toPixelX(x));

    const auto& samples = series.main().samples;
    if (samples.empty()) return;
    auto last = samples.rbegin();
    while (last != samples.rend() && !geometry.x.contains(last->x)) ++last;
    if (last != samples.rend()) {
      const auto end = pixel(*last);
      // Only where the line ends: not where it leaves the picture.
      const bool newest = last == samples.rbegin();
      if (newest && geometry.lines.adjusted(-1, -1, 1, 1).contains(end)) series.end = end;
    }
    const auto& data = *source.series.data;
    if (samples.back().index + 1 >= data.size()) {
      if (series.end) series.beside = series.end->y();
    } else if (data.y(data.size() - 1) <= 0 && !geometry.zeroRow.isEmpty() &&
               geometry.x.contains(data.x(data.size() - 1))) {
      series.beside = geometry.zeroRow.center().y();
    }
    if (series.style.markersAlongLine) {
      const auto step = std::max<std::size_t>(1, samples.size() / kMarkersAlongLine + 1);
      for (std::size_t i = step / 2; i < samples.size(); i += step) {
        const auto at = pixel(samples[i]);
        if (geometry.lines.contains(at)) series.alongLine.push_back(at);
      }
    }
  }

  /// The measured values behind a smoothed line, one polyline between two interruptions.
  std::vector<QPolygonF> polylines(const Decimated& raw) const {
    const auto& lines = m_frame.geometry.lines;
    std::vector<QPolygonF> all(1);
    auto nextBreak = raw.breaks.begin();
    for (std::size_t i = 0; i < raw.samples.size(); ++i) {
      if (nextBreak != raw.breaks.end() && *nextBreak == i) {
        ++nextBreak;
        all.emplace_back();
      }
      auto at = pixel(raw.samples[i]);
      at.setX(std::clamp(at.x(), lines.left() - lines.width(), lines.right() + lines.width()));
      at.setY(std::clamp(at.y(), lines.top() - 1000 * lines.height(), lines.bottom() + 1000 * lines.height()));
      all.back() << at;
    }
    return all;
  }

  /// Whether nearly all of some line is nearer to that of the reference than the eye can tell.
  bool liesOnReference() const {
    const auto& sources = m_request.sources->sources();
    const auto isReference = [&](const FrameSeries& series) { return sources[series.source].series.isReference; };
    const auto reference = std::find_if(m_frame.series.begin(), m_frame.series.end(), isReference);
    if (m_content.difference || reference == m_frame.series.end()) return false;
    return std::any_of(m_frame.series.begin(), m_frame.series.end(), [&](const FrameSeries& series) {
      return !isReference(series) && liesOn(reference->main().samples, series.main().samples);
    });
  }

  bool liesOn(const std::vector<Sample>& under, const std::vector<Sample>& over) const {
    std::size_t compared = 0;
    std::size_t apart = 0;
    auto next = under.begin();
    for (const Sample& sample : over) {
      while (next != under.end() && next->x < sample.x) ++next;
      if (next == under.end()) break;
      if (next->x != sample.x) continue;
      ++compared;
      if (std::abs(pixel(sample).y() - pixel(*next).y()) > kOnEachOther) ++apart;
    }
    return compared >= kEnoughToCompare && apart <= compared / 10;
  }

  /// A line that only crosses the range is something to see as well.
  bool liesElsewhere() const {
    const auto& geometry = m_frame.geometry;
    const auto overlaps = [](const Range& range, double low, double high) {
      return low <= range.high && range.low <= high;
    };
    const auto isSeen = [&](const FrameSeries& series) {
      if (!series.raw.nonFinite.empty() || !series.raw.notPositive.empty()) return true;
      const auto& samples = series.raw.samples;
      if (samples.empty() || !overlaps(geometry.x, samples.front().x, samples.back().x)) return false;
      const auto [low, high] = std::minmax_element(
          samples.begin(), samples.end(), [](const Sample& left, const Sample& right) { return left.y < right.y; });
      return overlaps(geometry.y, height(low->y), height(high->y));
    };
    return !m_frame.isEmpty && !m_frame.series.empty() &&
           std::none_of(m_frame.series.begin(), m_frame.series.end(), isSeen);
  }

  QPolygonF envelope(const Decimated& raw) const {
    const auto& geometry = m_frame.geometry;
    const auto y = [&](double value) {
      return std::clamp(geometry.toPixelY(height(value)), geometry.drawn.top() - 2, geometry.drawn.bottom() + 2);
    };
    QPolygonF polygon;
    polygon.reserve(2 * static_cast<qsizetype>(raw.columns.size()));
    for (const auto& column : raw.columns) polygon << QPointF(geometry.toPixelX(column.x), y(column.high));
    // At least a pixel high: a constant is a line, not nothing.
    for (auto column = raw.columns.rbegin(); column != raw.columns.rend(); ++column) {
      polygon << QPointF(geometry.toPixelX(column->x), std::max(y(column->low), y(column->high) + 1));
    }
    return polygon;
  }

  /// There may be hundreds of thousands, by x.
  void placeMarks() {
    const auto& marks = m_content.marks;
    const auto& geometry = m_frame.geometry;
    const auto first = std::lower_bound(marks.begin(), marks.end(), geometry.x.low,
                                        [](const PlotMark& mark, double x) { return mark.x < x; });
    const auto last = std::upper_bound(first, marks.end(), geometry.x.high,
                                       [](double x, const PlotMark& mark) { return x < mark.x; });
    m_frame.firstMark = static_cast<std::size_t>(first - marks.begin());
    m_frame.markPixels.reserve(static_cast<std::size_t>(last - first));
    for (auto mark = first; mark != last; ++mark) {
      m_frame.markPixels.push_back(geometry.toPixelX(mark->x));
      if (!mark->label.isEmpty()) m_frame.markedWithWords.push_back(static_cast<std::size_t>(mark - marks.begin()));
    }
  }

  void collectNonFinite() {
    std::map<std::pair<double, int>, FrameNonFinite> places;  // by pixel column and kind
    for (const auto& series : m_frame.series) {
      const auto& name = m_request.sources->sources()[series.source].series.name;
      for (const auto& mark : series.raw.nonFinite) {
        const auto pixel = m_frame.geometry.toPixelX(mark.x);
        auto& place = places[{std::floor(pixel), static_cast<int>(mark.kind)}];
        place.pixel = pixel;
        place.x = mark.x;
        if (place.found.empty()) place.text = nonFiniteText(mark.kind);
        place.found.push_back({name, mark.x, mark.count});
      }
    }
    for (auto& [key, place] : places) m_frame.nonFinite.push_back(std::move(place));
  }

  QString note() const {
    std::size_t most = 0;
    double columns = 1;
    for (const auto& series : m_frame.series) {
      if (series.raw.count <= most || !series.raw.decimated) continue;
      most = series.raw.count;
      columns = static_cast<double>(std::max<std::size_t>(1, series.raw.columns.size()));
    }
    if (most == 0) return {};
    const auto perPixel = static_cast<double>(most) / columns;
    return tr("%1 values, %2 per pixel")
        .arg(positionText(static_cast<double>(most)), decimalText(perPixel, perPixel < 10 ? 1 : 0));
  }

  /// Durations: ticks at whole seconds, minutes or hours.
  std::vector<Tick> secondsTicks(const Range& range, int most) {
    static constexpr std::array<double, 17> steps = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                                     600, 900, 1800, 3600, 7200, 14400, 43200, 86400};
    const auto least = range.length() / most;
    const auto* step = std::lower_bound(steps.begin(), steps.end(), least);
    m_timeUnit = tr("s");
    if (least < 1) return xTicks(range, most);
    // Of a short axis a step may be so long that none of its ticks, or but one, lies within.
    const auto ticksWithin = [&range](double size) {
      return std::floor(range.high / size) - std::ceil(range.low / size) + 1;
    };
    while (step != steps.begin() && step != steps.end() && ticksWithin(*step) < 2) --step;
    const auto size = step == steps.end() ? std::ceil(least / 86400) * 86400 : *step;
    const bool inHours = size >= 60 && range.high >= 3600;
    m_timeUnit = inHours ? tr("h:min") : tr("min:s");
    std::vector<Tick> ticks;
    for (auto count = std::ceil(range.low / size); count * size <= range.high; ++count) {
      const auto seconds = static_cast<qint64>(count * size);
      const auto two = [](qint64 number) { return QStringLiteral("%1").arg(number, 2, 10, QChar(u'0')); };
      const auto text = inHours ? QStringLiteral("%1:%2").arg(seconds / 3600).arg(two(seconds / 60 % 60))
                                : QStringLiteral("%1:%2").arg(seconds / 60).arg(two(seconds % 60));
      ticks.push_back({count * size, text, {}});
    }
    return ticks;
  }

  const FrameRequest& m_request;
  const PlotContent& m_content;
  QFontMetricsF m_metrics;
  QString m_timeUnit;  // of the ticks, where x is a duration
  PlotFrame m_frame;
};

}  // namespace

QString tableUnitText(const PlotContent& content) {
  const QString unit = measuredUnitText(content);
  if (content.smoothing.kind == Smoothing::Kind::None) return unit;
  const QString measured = QCoreApplication::translate("PlotFrame", "measured values");
  return unit.isEmpty() ? measured : unit + QStringLiteral(", ") + measured;
}

QString measuredUnitText(const PlotContent& content) {
  QStringList words;
  if (!content.unit.isEmpty()) words << content.unit;
  if (content.difference) words << QCoreApplication::translate("PlotFrame", "minus reference");
  if (scaleOf(content) == YScale::Log10 && !content.scaleWord.isEmpty()) words << content.scaleWord;
  return words.join(QStringLiteral(", "));
}

QString unitText(const PlotContent& content) {
  const QString unit = measuredUnitText(content);
  if (content.smoothing.kind == Smoothing::Kind::None) return unit;
  // Legends and tables say measured values, which need not lie on such a line.
  const QString smoothed = QCoreApplication::translate("PlotFrame", "line smoothed");
  return unit.isEmpty() ? smoothed : unit + QStringLiteral(", ") + smoothed;
}

QString sentenceOf(const FrameNonFinite& mark, const PlotContent& content) {
  QStringList lines;
  for (const FrameNonFinite::Found& one : mark.found) {
    const QString where = QCoreApplication::translate("PlotFrame", "%1: %2 at %3 %4")
                              .arg(one.name, mark.text, content.xName, placeText(content, one.x));
    lines << (one.count == 1
                  ? where
                  : QCoreApplication::translate("PlotFrame", "%1 (%n values)", nullptr, static_cast<int>(one.count))
                        .arg(where));
  }
  return lines.join(u'\n');
}

QString placeText(const PlotContent& content, double x) {
  return content.xKind == XAxisKind::Seconds ? durationText(x) : positionText(x);
}

QString xColumnName(const PlotContent& content) {
  return content.xKind == XAxisKind::Seconds ? QStringLiteral("%1 [s]").arg(content.xName) : content.xName;
}

QString columnName(const PlotContent& content, const QString& series) {
  return content.valueName.isEmpty() ? series : QStringLiteral("%1 [%2]").arg(series, content.valueName);
}

QString shownText(const PlotContent& content, double value) {
  const double shown = inUnit(content, value);
  if (!std::isfinite(shown)) return valueText(shown);
  const QString text = content.isMultiple ? multipleText(shown)
                       : content.isCount  ? positionText(shown)
                                          : valueText(shown, scaleOf(content));
  return text + content.valueSuffix;
}

YScale scaleOf(const PlotContent& content) { return content.difference ? YScale::Linear : content.scale; }

PlotFrame makeFrame(const FrameRequest& request) { return FrameMaker(request).make(); }

}  // namespace mantissa::ui::plot
