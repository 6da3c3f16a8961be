// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/plot/plot_labels.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kMarker = 8;
constexpr double kSkipTick = 8;
constexpr double kTriangleRoom = 11;  // from one triangle of a non-finite value to the next

QColor mixed(const QColor& over, const QColor& under, double share) {
  const auto part = [share](double a, double b) { return static_cast<float>(share * a + (1 - share) * b); };
  return QColor::fromRgbF(part(over.redF(), under.redF()), part(over.greenF(), under.greenF()),
                          part(over.blueF(), under.blueF()));
}

class Painting {
 public:
  Painting(QPainter& painter, const PlotFrame& frame, const PlotContent& content, const PlotInk& ink)
      : m_painter(painter),
        m_frame(frame),
        m_geometry(frame.geometry),
        m_content(content),
        m_ink(ink),
        m_metrics(ink.font),
        m_labels(frame.geometry.area) {
    m_painter.setFont(ink.font);
  }

  void below() {
    // Limits and yardsticks are about values, not about differences of values.
    if (!m_content.difference) {
      for (const auto& band : m_content.bands) fillBand(band);
    }
    fillBelowLines();
    drawGrid();
    drawMeasured();
    if (m_content.difference) return;
    for (const auto& limit : m_content.limits) drawLimit(limit);
  }

  void above() {
    for (const auto& series : m_frame.series) drawValuesWithoutLine(series);
    drawLineEnds();
    drawPoints();
    drawSkipTicks();
    drawNonFinite();
    if (!m_content.difference) labelLimitsAndBands();
    labelMarks();
    if (!m_content.difference) drawRemarks();
    drawNote();
    if (m_frame.isEmpty) drawInstead(m_content.emptyText);
    if (m_frame.isElsewhere) drawInstead(QCoreApplication::translate("PlotFrame", "No data in this range"));
  }

 private:
  /// Lines one pixel wide lie on the pixels of the device, not between two of them.
  double crisp(double position) const {
    const auto ratio = m_painter.device()->devicePixelRatioF();
    return (std::floor(position * ratio) + 0.5) / ratio;
  }

  void horizontal(double y, double from, double to) {
    m_painter.drawLine(QPointF(from, crisp(y)), QPointF(to, crisp(y)));
  }
  void vertical(double x, double from, double to) {
    m_painter.drawLine(QPointF(crisp(x), from), QPointF(crisp(x), to));
  }

  /// Of words in one row, as wide as they are where there is room for all of them.
  QSizeF sizeOf(const QString& text) const {
    return {std::min(std::ceil(m_metrics.horizontalAdvance(text)) + 1, m_geometry.area.width() - 10),
            m_metrics.height()};
  }

  /// Words over lines: the background shines through them less.
  void label(const QRectF& place, const QString& text, const QColor& color) {
    auto halo = m_ink.base;
    halo.setAlphaF(0.75F);
    m_painter.fillRect(place.adjusted(-2, 1, 2, -1), halo);
    m_painter.setPen(color);
    m_painter.drawText(place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                       m_metrics.elidedText(text, Qt::ElideRight, place.width()));
  }

  /// A place of this size on the right, and on the left, of the plot.
  std::vector<QRectF> atBothSides(const QSizeF& size, const std::vector<double>& tops) const {
    std::vector<QRectF> places;
    const auto& area = m_geometry.area;
    for (const double left : {area.right() - 4 - size.width(), area.left() + 6}) {
      for (const double top : tops) places.emplace_back(QPointF(left, top), size);
    }
    return places;
  }

  /// From the bottom of the plot upwards.
  std::vector<double> rowsFromBelow() const {
    std::vector<double> tops;
    const double line = m_metrics.height();
    for (double top = m_geometry.lines.bottom() - 2 - line; top > m_geometry.lines.top(); top -= (line + 1) / 2) {
      tops.push_back(top);
    }
    if (tops.empty()) tops.push_back(m_geometry.lines.top());
    return tops;
  }

  double bandEdge(double value, double missing) const {
    const auto height = toAxis(m_geometry.scale, value);
    if (std::isnan(height)) return missing;
    return std::clamp(m_geometry.toPixelY(height), m_geometry.area.top(), m_geometry.area.bottom());
  }

  void fillBand(const PlotBand& band) {
    const auto bottom = m_geometry.area.bottom();
    const auto low = bandEdge(band.low, bottom);
    const auto high = bandEdge(band.high, bottom);
    // A lower edge at zero means everything down to the axis.
    const QRectF filled(QPointF(m_geometry.area.left(), high),
                        QPointF(m_geometry.area.right(), band.low == 0 ? bottom : low));
    if (filled.height() <= 0) return;
    const auto share = band.color ? m_ink.colors.toleranceOpacity : m_ink.colors.noiseOpacity;
    m_painter.fillRect(filled, mixed(band.color.value_or(m_ink.text), m_ink.base, share));
  }

  void drawGrid() {
    const auto& area = m_geometry.area;
    QPen pen(m_ink.grid, 0);
    m_painter.setPen(pen);
    const auto textHeight = m_metrics.height();
    for (const auto& tick : m_frame.yTicks) horizontal(m_geometry.toPixelY(tick.height), area.left(), area.right());
    if (m_content.sections.empty()) {
      for (const auto& tick : m_frame.xTicks) vertical(m_geometry.toPixelX(tick.height), area.top(), area.bottom());
    } else {
      for (const PlotSection& section : m_content.sections) {
        const double x = m_geometry.toPixelX(section.from);
        if (x > area.left() && x < area.right()) vertical(x, area.top(), area.bottom());
      }
    }
    m_painter.setPen(QPen(mixed(m_ink.text, m_ink.base, 0.35), 0));
    horizontal(area.bottom(), area.left(), area.right());

    m_painter.setPen(m_ink.faintText);
    for (const auto& tick : m_frame.yTicks) {
      const auto y =
          std::clamp(m_geometry.toPixelY(tick.height) - textHeight / 2, 0.0, area.bottom() - textHeight * 0.6);
      // Beside the row of zeros stands what it is for.
      if (!m_geometry.zeroRow.isEmpty() && y + 0.8 * textHeight > m_geometry.zeroRow.top()) continue;
      drawPower(QRectF(0, y, area.left() - 5, textHeight), tick);
    }
    if (!m_geometry.zeroRow.isEmpty()) {
      const auto text = m_geometry.scale == YScale::Log2 ? QStringLiteral("0") : QStringLiteral("\u2264 0");
      m_painter.drawText(QRectF(0, m_geometry.zeroRow.top(), area.left() - 5, m_geometry.zeroRow.height()),
                         Qt::AlignRight | Qt::AlignVCenter, text);
    }
    drawXLabels();
  }

  void drawPower(const QRectF& place, const Tick& tick) {
    if (tick.exponent.isEmpty()) {
      m_painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, tick.label);
      return;
    }
    auto small = m_ink.font;
    small.setPointSizeF(m_ink.font.pointSizeF() * 0.8);
    const QFontMetricsF smallMetrics(small, m_painter.device());
    const auto width = smallMetrics.horizontalAdvance(tick.exponent);
    m_painter.drawText(place.adjusted(0, 0, -width, 0), Qt::AlignRight | Qt::AlignVCenter, tick.label);
    m_painter.setFont(small);
    m_painter.drawText(
        QPointF(place.right() - width, place.center().y() + m_metrics.ascent() / 2 - m_metrics.ascent() * 0.42),
        tick.exponent);
    m_painter.setFont(m_ink.font);
  }

  void fillBelowLines() {
    if (!m_content.isFilled) return;
    const QRectF& area = m_geometry.area;
    m_painter.save();
    m_painter.setClipRect(area, Qt::IntersectClip);
    m_painter.setPen(Qt::NoPen);
    for (const FrameSeries& series : m_frame.series) {
      const std::vector<Sample>& samples = series.raw.samples;
      if (samples.empty()) continue;
      const bool steps = m_content.series[series.source].steps;
      QPolygonF below;
      below << QPointF(m_geometry.toPixelX(samples.front().x), area.bottom());
      for (const Sample& sample : samples) {
        const QPointF place(m_geometry.toPixelX(sample.x), m_geometry.toPixelY(toAxis(m_geometry.scale, sample.y)));
        if (steps) below << QPointF(place.x(), below.back().y());
        below << place;
      }
      below << QPointF(below.back().x(), area.bottom());
      m_painter.setBrush(mixed(series.style.color, m_ink.base, 0.45));
      m_painter.drawPolygon(below);
    }
    m_painter.restore();
  }

  void drawSectionNames() {
    const auto& area = m_geometry.area;
    m_painter.setPen(m_ink.faintText);
    for (std::size_t i = 0; i < m_content.sections.size(); ++i) {
      const PlotSection& section = m_content.sections[i];
      const bool isLast = i + 1 == m_content.sections.size();
      const double left = std::max(area.left(), m_geometry.toPixelX(section.from));
      const double right =
          isLast ? area.right() : std::min(area.right(), m_geometry.toPixelX(m_content.sections[i + 1].from));
      if (right - left < m_metrics.averageCharWidth() * 3) continue;
      const QRectF place(left + 1, area.bottom() + 4, right - left - 2, m_metrics.height());
      m_painter.drawText(place, static_cast<int>(Qt::AlignCenter),
                         m_metrics.elidedText(section.name, Qt::ElideRight, place.width()));
    }
  }

  void drawPoints() {
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    for (const PlotPoint& point : m_content.points) {
      constexpr double kRing = 4;
      const QPointF at(m_geometry.toPixelX(point.x), m_geometry.toPixelY(toAxis(m_geometry.scale, point.y)));
      if (!m_geometry.area.adjusted(-1, -1, 1, 1).contains(at)) continue;
      m_painter.setPen(QPen(m_ink.text, 2));
      m_painter.setBrush(m_ink.base);
      m_painter.drawEllipse(at, kRing, kRing);
      m_labels.take(QRectF(at - QPointF(kRing, kRing), QSizeF(2 * kRing, 2 * kRing)));
      const QSizeF size = sizeOf(point.label);
      std::vector<QRectF> places;
      for (const double top : {at.y() - size.height() / 2, at.y() - size.height() - kRing, at.y() + kRing}) {
        places.emplace_back(QPointF(at.x() + kRing + 8, top), size);
        places.emplace_back(QPointF(at.x() - kRing - 8 - size.width(), top), size);
      }
      const QRectF& area = m_geometry.area;
      const double left =
          std::clamp(at.x() - size.width() / 2, area.left(), std::max(area.left(), area.right() - size.width()));
      places.emplace_back(QPointF(left, at.y() - size.height() - kRing - 2), size);
      places.emplace_back(QPointF(left, at.y() + kRing + 2), size);
      label(m_labels.place(places), point.label, m_ink.text);
    }
    m_painter.restore();
  }

  void drawXLabels() {
    if (!m_content.sections.empty()) return drawSectionNames();
    const auto& area = m_geometry.area;
    const QRectF row(0, area.bottom() + 4, area.right() + 14, m_metrics.height());
    const QString& name = m_frame.xName;
    const auto nameWidth = m_metrics.horizontalAdvance(name + QStringLiteral("  "));
    double end = row.right();  // from here on the row is taken
    for (auto tick = m_frame.xTicks.rbegin(); tick != m_frame.xTicks.rend(); ++tick) {
      const auto width = m_metrics.horizontalAdvance(tick->label);
      const auto center = m_geometry.toPixelX(tick->height);
      auto left = std::min(center - width / 2, row.right() - width);
      const bool last = tick == m_frame.xTicks.rbegin();
      if (last) {
        // The axis's name stands beside its last number, on the side that has room.
        const bool roomAfter = row.right() - (left + width) >= nameWidth + 4;
        const QRectF place = roomAfter ? QRectF(row.right() - nameWidth, row.top(), nameWidth, row.height())
                                       : QRectF(left - nameWidth, row.top(), nameWidth, row.height());
        m_painter.drawText(place, roomAfter ? Qt::AlignRight : Qt::AlignLeft, name);
        end = roomAfter ? place.left() : left + width + 1;
      }
      if (left + width > end) continue;
      m_painter.drawText(QPointF(left, row.top() + m_metrics.ascent()), tick->label);
      end = (last ? std::min(left, left - (row.right() - (left + width) >= nameWidth + 4 ? 0 : nameWidth)) : left) - 6;
    }
    if (m_frame.xTicks.empty()) m_painter.drawText(row, Qt::AlignRight, name);
  }

  /// Measured values behind smoothed lines, in all detail but without smooth edges while live: they cost half of a
  /// frame.
  void drawMeasured() {
    m_painter.save();
    m_painter.setClipRect(m_geometry.drawn, Qt::IntersectClip);
    m_painter.setRenderHint(QPainter::Antialiasing, !m_content.live);
    for (auto series = m_frame.series.rbegin(); series != m_frame.series.rend(); ++series) {
      auto color = series->style.color;
      color.setAlphaF(0.33F);
      m_painter.setPen(Qt::NoPen);
      m_painter.setBrush(color);
      if (!series->envelope.isEmpty()) m_painter.drawPolygon(series->envelope);
      m_painter.setPen(QPen(color, 1));
      for (const auto& line : series->faintLines) m_painter.drawPolyline(line);
    }
    m_painter.restore();
  }

  bool visibleHeight(double value, double& pixel) const {
    const auto height = toAxis(m_geometry.scale, value);
    pixel = m_geometry.toPixelY(height);
    return std::isfinite(height) && m_geometry.lines.top() - 1 <= pixel && pixel <= m_geometry.area.bottom();
  }

  void drawLimit(const PlotLimit& limit) {
    double y = 0;
    if (!visibleHeight(limit.value, y)) return;
    m_painter.setPen(QPen(m_ink.text, 1, Qt::DashLine, Qt::FlatCap));
    horizontal(y, m_geometry.area.left(), m_geometry.area.right());
  }

  void labelLimitsAndBands() {
    const auto line = m_metrics.height();
    for (const auto& limit : m_content.limits) {
      double y = 0;
      if (visibleHeight(limit.value, y)) m_labels.takeLevel(crisp(y));
    }
    for (const auto& limit : m_content.limits) {
      if (limit.label.isEmpty()) continue;
      double y = 0;
      const bool visible = visibleHeight(limit.value, y);
      const bool above = toAxis(m_geometry.scale, limit.value) > m_geometry.y.high;
      const auto text =
          visible ? limit.label : limit.label + (above ? QStringLiteral(" \u2191") : QStringLiteral(" \u2193"));
      // Beside its line; words of a limit out of sight stand at the edge beyond which it lies.
      std::vector<double> tops = {y - line - 1, y + 1};
      if (!visible && above) tops = {m_geometry.lines.top() + 1, m_geometry.lines.top() + line + 2};
      if (!visible && !above) tops = {m_geometry.lines.bottom() - line - 2, m_geometry.lines.bottom() - 2 * line - 3};
      label(m_labels.place(atBothSides(sizeOf(text), tops)), text, m_ink.text);
    }
    for (const auto& band : m_content.bands) {
      if (band.label.isEmpty()) continue;
      label(m_labels.place(atBothSides(sizeOf(band.label), rowsFromBelow())), band.label, m_ink.faintText);
    }
  }

  /// What has to be said of the curves and is no line among them.
  void drawRemarks() {
    for (const QString& remark : m_content.remarks) {
      label(m_labels.place(atBothSides(sizeOf(remark), rowsFromBelow())), remark, m_ink.text);
    }
  }

  void drawValuesWithoutLine(const FrameSeries& series) {
    m_painter.save();
    m_painter.setClipRect(m_geometry.area, Qt::IntersectClip);
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(series.style.color);
    for (const auto& at : series.loneValues) m_painter.drawEllipse(at, 2, 2);
    const auto row = m_geometry.zeroRow.center().y();
    double drawn = -100;
    for (const auto x : series.zeroPixels) {
      if (x - drawn < 3) continue;
      drawn = x;
      drawMarker(m_painter, series.style.marker, {x, row}, 6, series.style.color);
    }
    for (const auto& at : series.alongLine) drawMarker(m_painter, series.style.marker, at, 6, series.style.color);
    m_painter.restore();
  }

  /// A marker at the end of each line, on its newest value, and once more in the lane beside the plot: at the same
  /// height, each series in a column of its own, so that ends that lie on each other are told apart without a marker
  /// that stands at another value. Behind the line that ends the plot nobody reads them as values of later steps.
  void drawLineEnds() {
    if (m_frame.isEmpty || m_content.isFilled) return;  // what is filled has an end that is seen
    const QRectF& lane = m_geometry.lane;
    m_painter.setPen(QPen(mixed(m_ink.text, m_ink.base, 0.35), 0));
    vertical(m_geometry.area.right(), m_geometry.lines.top(), m_geometry.area.bottom());
    for (auto series = m_frame.series.rbegin(); series != m_frame.series.rend(); ++series) {
      if (series->beside) {
        const auto column = static_cast<double>(series->source % m_geometry.laneColumns);
        const double width = lane.width() / static_cast<double>(m_geometry.laneColumns);
        const QPointF place(lane.left() + (column + 0.5) * width, *series->beside);
        drawMarker(m_painter, series->style.marker, place, kMarker, series->style.color);
      }
      // Where the line ends beside the lane, one marker says it.
      if (!series->end || (series->beside && lane.left() - series->end->x() < kMarker)) continue;
      drawMarker(m_painter, series->style.marker, *series->end, kMarker, series->style.color);
      const double half = kMarker / 2 + 1;
      m_labels.take(QRectF(*series->end - QPointF(half, half), *series->end + QPointF(half, half)));
    }
  }

  void drawSkipTicks() {
    const auto bottom = m_geometry.area.bottom();
    QPen pen(m_ink.colors.bad, 1.6);
    pen.setCapStyle(Qt::FlatCap);
    double drawn = -100;
    for (std::size_t i = 0; i < m_frame.markPixels.size(); ++i) {
      const auto x = m_frame.markPixels[i];
      if (x - drawn >= 1) {
        m_painter.setPen(pen);
        vertical(x, bottom - kSkipTick, bottom);  // of a full pixel: between two, its colour would be half of it
        drawn = x;
      }
    }
  }

  /// Above the ticks, to the right of the one that they name or, at the end of the axis, to its left.
  void labelMarks() {
    const double line = m_metrics.height();
    const double lowest = m_geometry.area.bottom() - kSkipTick - line;
    for (const std::size_t i : m_frame.markedWithWords) {
      const QString& text = m_content.marks[i].label;
      const double x = m_frame.markPixels[i - m_frame.firstMark];
      const QSizeF size = sizeOf(text);
      std::vector<QRectF> places;
      for (double top = lowest; top > m_geometry.lines.top(); top -= line / 4) {
        places.emplace_back(QPointF(x + 4, top), size);
        places.emplace_back(QPointF(x - 4 - size.width(), top), size);
      }
      if (places.empty()) places.emplace_back(QPointF(x + 4, lowest), size);
      label(m_labels.place(places), text, m_ink.text);
    }
  }

  void drawInstead(const QString& words) {
    const QRectF place = m_geometry.area.adjusted(16, 12, -8, -16);
    m_painter.setPen(m_ink.faintText);
    m_painter.drawText(place, static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextWordWrap), words);
  }

  /// How much is behind the picture: in the row of non-finite marks where that is free, at the bottom otherwise.
  void drawNote() {
    if (m_frame.note.isEmpty()) return;
    const auto& area = m_geometry.area;
    const QSizeF size = sizeOf(m_frame.note);
    std::vector<QRectF> places = {{QPointF(area.left() + 5, area.top()), size},
                                  {QPointF(area.right() - 5 - size.width(), area.top()), size}};
    for (const QRectF& place : atBothSides(size, rowsFromBelow())) places.push_back(place);
    // Where lines are everywhere, the words lie on one of them.
    std::stable_partition(places.begin(), places.end(),
                          [this](const QRectF& place) { return !isOnLine(place.adjusted(-2, -1, 2, 1)); });
    label(m_labels.place(places), m_frame.note, m_ink.faintText);
  }

  /// Whether a line, or what was measured behind it, goes through.
  bool isOnLine(const QRectF& place) const {
    const auto& drawn = m_geometry.drawn;
    const QRectF unit((place.left() - drawn.left()) / drawn.width(), (drawn.bottom() - place.bottom()) / drawn.height(),
                      place.width() / drawn.width(), place.height() / drawn.height());
    const auto goesThrough = [](const auto& points, const QRectF& box) {
      for (qsizetype i = 1; i < points.size(); ++i) {
        const QPointF& from = points[i - 1];
        const QPointF& to = points[i];
        if (std::max(from.x(), to.x()) < box.left() || std::min(from.x(), to.x()) > box.right()) continue;
        if (std::max(from.y(), to.y()) < box.top() || std::min(from.y(), to.y()) > box.bottom()) continue;
        if (!std::isnan(from.y()) && !std::isnan(to.y())) return true;
      }
      return false;
    };
    return std::any_of(m_frame.lines.begin(), m_frame.lines.end(),
                       [&](const Line& line) { return goesThrough(line.points, unit); }) ||
           std::any_of(m_frame.series.begin(), m_frame.series.end(), [&](const FrameSeries& series) {
             return goesThrough(series.envelope, place) ||
                    std::any_of(series.faintLines.begin(), series.faintLines.end(),
                                [&](const QPolygonF& line) { return goesThrough(line, place); });
           });
  }

  void drawNonFinite() {
    const auto top = m_geometry.area.top();
    const auto& bad = m_ink.colors.bad;
    double triangle = -100;
    double words = -100;
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    const auto& marks = m_frame.nonFinite;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const FrameNonFinite& mark = marks[i];
      // Every column with a mark is shown, above the triangles, which are whole; they and words stand where there is
      // room for them.
      m_painter.fillRect(QRectF(std::round(mark.pixel) - 1, top, 2, 2), bad);
      m_labels.take(QRectF(mark.pixel - 5, top, 10, 12));
      if (mark.pixel - triangle < kTriangleRoom) continue;
      triangle = mark.pixel;
      m_painter.setPen(Qt::NoPen);
      m_painter.setBrush(bad);
      m_painter.drawPolygon(
          QPolygonF({{mark.pixel - 4.5, top + 3}, {mark.pixel + 4.5, top + 3}, {mark.pixel, top + 11}}));
      // The word stands for all of the marks that share the triangle, where they are of one kind.
      auto last = i;
      bool sameWord = true;
      while (last + 1 < marks.size() && marks[last + 1].pixel - triangle < kTriangleRoom) {
        ++last;
        sameWord = sameWord && marks[last].text == mark.text;
      }
      const auto width = m_metrics.horizontalAdvance(mark.text);
      if (mark.pixel < words || !sameWord) continue;
      const double right = std::max(mark.pixel + 8, marks[last].pixel + 5);
      const bool roomRight = right + width <= m_geometry.area.right() + 14;
      m_painter.setPen(bad);
      const QRectF place(roomRight ? right : mark.pixel - 8 - width, top - 1, width + 1, m_metrics.height());
      const auto isInTheWay = [&](const FrameNonFinite& other) {
        return place.left() - 6 < other.pixel && other.pixel < place.right() + 4;
      };
      const auto from = marks.begin();
      const auto ownEnd = from + static_cast<std::ptrdiff_t>(last) + 1;
      if (std::any_of(from, from + static_cast<std::ptrdiff_t>(i), isInTheWay) ||
          std::any_of(ownEnd, marks.end(), isInTheWay)) {
        continue;
      }
      m_painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, mark.text);
      m_labels.take(place);
      words = place.right() + 4;
    }
    m_painter.restore();
  }

  QPainter& m_painter;
  const PlotFrame& m_frame;
  const PlotGeometry& m_geometry;
  const PlotContent& m_content;
  const PlotInk& m_ink;
  QFontMetricsF m_metrics;
  PlotLabels m_labels;
};

}  // namespace

PlotInk PlotInk::fromPalette(const QPalette& palette, const PlotColors& colors, const QFont& font) {
  PlotInk ink;
  ink.colors = colors;
  ink.base = palette.color(QPalette::Base);
  ink.text = palette.color(QPalette::Text);
  ink.faintText = mixed(ink.text, ink.base, 0.72);
  ink.grid = mixed(ink.text, ink.base, 0.10);
  ink.font = font;
  return ink;
}

void paintPlot(QPainter& painter, const PlotFrame& frame, const PlotContent& content, const PlotInk& ink,
               LineChart& chart) {
  painter.save();
  Painting painting(painter, frame, content, ink);
  painting.below();
  chart.setLines(frame.lines);
  chart.paint(painter, frame.geometry.drawn);
  painting.above();
  painter.restore();
}

void paintCursor(QPainter& painter, const PlotFrame& frame, const PlotContent& content, double position,
                 const PlotInk& ink) {
  const auto& geometry = frame.geometry;
  if (!geometry.x.contains(position)) return;
  const auto ratio = painter.device()->devicePixelRatioF();
  const auto x = (std::floor(geometry.toPixelX(position) * ratio) + 0.5) / ratio;
  painter.setPen(QPen(mixed(ink.text, ink.base, 0.75), 0));
  painter.drawLine(QPointF(x, geometry.area.top()), QPointF(x, geometry.area.bottom()));
  // Where it reads stands below it, over the numbers of the axis: the legend then does not say the newest values.
  painter.setFont(ink.font);
  const QFontMetricsF metrics(ink.font, painter.device());
  const QString where = placeText(content, position);
  const double width = metrics.horizontalAdvance(where) + 8;
  const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, geometry.area.right() + 16 - width));
  const QRectF box(left, geometry.area.bottom() + 3, width, metrics.height() + 1);
  // A number of the axis that would look out from behind it would be read as another one.
  for (const Tick& tick : frame.xTicks) {
    const double half = metrics.horizontalAdvance(tick.label) / 2;
    const double center = geometry.toPixelX(tick.height);
    const QRectF number(center - half - 1, box.top(), 2 * half + 2, box.height());
    if (number.intersects(box)) painter.fillRect(number, ink.base);
  }
  painter.fillRect(box, ink.text);
  painter.setPen(ink.base);
  painter.drawText(box, static_cast<int>(Qt::AlignCenter), where);
}

void paintSwatch(QPainter& painter, const QRectF& place, const SeriesStyle& style) {
  painter.save();
  painter.setPen(QPen(style.color, 2));
  painter.drawLine(QPointF(place.left(), place.center().y()), QPointF(place.right(), place.center().y()));
  drawMarker(painter, style.marker, place.center(), 8, style.color);
  painter.restore();
}

}  // namespace mantissa::ui::plot
