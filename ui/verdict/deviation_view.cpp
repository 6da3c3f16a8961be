// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/deviation_view.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/plot/axis_ticks.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/deviation_bins.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

QString decadeText(int exponent) { return QStringLiteral("1e") + wholeText(exponent); }

/// Everything that is painted, as it was when the page was filled.
struct Picture {
  DeviationBins bins;
  DeviationLines lines;
  Side side = Side::SameWeights;
  int place = 1;
  double low = -1, high = 0;  ///< log10 of the ends of the axis

  const DeviationLimit* deciding() const { return lines.limits.empty() ? nullptr : &lines.limits.front(); }
};

/// Widens a range of log10 by a picture's bars and by the lines that it must show.
void takeRange(const Picture& picture, double& low, double& high) {
  const auto take = [&low, &high](double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low = std::min(low, std::log10(value));
    high = std::max(high, std::log10(value));
  };
  if (!picture.bins.counts.empty()) {
    take(picture.bins.from(0));
    take(picture.bins.to(picture.bins.counts.size() - 1));
  }
  if (const DeviationLimit* const deciding = picture.deciding()) {
    take(deciding->limit);
    if (deciding->value) take(*deciding->value);
  }
  if (picture.lines.yardstick) take(*picture.lines.yardstick);
}

class HistogramPainting {
 public:
  HistogramPainting(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const Picture& picture)
      : m_painter(painter), m_ink(ink), m_picture(picture), m_metrics(ink.font), m_line(m_metrics.height()) {
    m_color = picture.place <= 0 ? plot::referenceStyle(ink.colors).color
                                 : plot::trialStyle(ink.colors, picture.place - 1).color;
    m_most = static_cast<double>(std::max<std::int64_t>(1, picture.bins.most()));
    m_ticks = plot::countTicks({0, m_most * 1.05}, std::max(2, static_cast<int>(area.height() / 34)));
    double labels = 0;
    for (const plot::Tick& tick : m_ticks) labels = std::max(labels, m_metrics.horizontalAdvance(tick.label));
    const double endRoom = m_metrics.horizontalAdvance(decadeText(-10)) / 2 + 2;
    QRectF bars = area.adjusted(labels + 8, 2 * m_line + 6, -endRoom, -m_line - 6);
    // What has no logarithm stands beside the axis, each in a lane of its own.
    if (picture.bins.zeros > 0) {
      m_zeros = laneWidth(zerosText());
      bars.setLeft(bars.left() + m_zeros + endRoom);
    }
    if (picture.bins.nonFinite > 0) {
      m_nonFinite = laneWidth(nonFiniteText());
      bars.setRight(bars.right() - m_nonFinite - endRoom);
    }
    m_bars = bars;
    m_all = QRectF(QPointF(area.left() + labels + 8, bars.top()), QPointF(area.right() - endRoom, bars.bottom()));
    m_low = picture.low;
    m_high = picture.high;
  }

  void paint() {
    if (m_bars.width() < 40 || m_bars.height() < 20) return;
    drawBands();
    drawGrid();
    drawBars();
    drawLanes();
    drawLines();
  }

 private:
  static constexpr double kLaneBar = 14;

  static QString zerosText() { return say(QT_TRANSLATE_NOOP("VerdictPage", "exactly 0")); }
  static QString nonFiniteText() { return say(QT_TRANSLATE_NOOP("VerdictPage", "NaN or ∞")); }
  double laneWidth(const QString& words) const { return std::max(kLaneBar, m_metrics.horizontalAdvance(words) + 2); }

  double x(double value) const {
    return m_bars.left() + (std::log10(value) - m_low) / (m_high - m_low) * m_bars.width();
  }
  double y(double count) const { return m_bars.bottom() - count / (m_most * 1.05) * m_bars.height(); }

  void drawBands() {
    if (const DeviationLimit* const deciding = m_picture.deciding(); deciding != nullptr && deciding->limit > 0) {
      QColor band = m_color;
      band.setAlphaF(static_cast<float>(m_ink.colors.toleranceOpacity));
      m_painter.fillRect(QRectF(m_all.topLeft(), QPointF(x(deciding->limit), m_bars.bottom())), band);
    }
    if (m_picture.lines.yardstick && *m_picture.lines.yardstick > 0) {
      QColor noise(128, 128, 128);
      noise.setAlphaF(static_cast<float>(m_ink.colors.noiseOpacity * 2));
      m_painter.fillRect(QRectF(m_all.topLeft(), QPointF(x(*m_picture.lines.yardstick), m_bars.bottom())), noise);
    }
  }

  void drawGrid() {
    m_painter.setFont(m_ink.font);
    for (const plot::Tick& tick : m_ticks) {
      const double at = std::floor(y(tick.height)) + 0.5;
      m_painter.setPen(QPen(m_ink.grid, 1));
      m_painter.drawLine(QPointF(m_all.left(), at), QPointF(m_all.right(), at));
      m_painter.setPen(m_ink.faintText);
      m_painter.drawText(QRectF(m_all.left() - 84, at - m_line / 2, 80, m_line),
                         static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), tick.label);
    }
    const auto decades = static_cast<int>(m_high - m_low);
    const double room = m_metrics.horizontalAdvance(decadeText(-10)) + 8;
    const int every = std::max(1, static_cast<int>(std::ceil(room * decades / m_bars.width())));
    for (int i = 0; i <= decades; i += every) {
      const double at = m_bars.left() + i * m_bars.width() / decades;
      m_painter.setPen(QPen(m_ink.grid, 1));
      m_painter.drawLine(QPointF(at, m_bars.top()), QPointF(at, m_bars.bottom()));
      m_painter.setPen(m_ink.faintText);
      m_painter.drawText(QRectF(at - 40, m_bars.bottom() + 3, 80, m_line), static_cast<int>(Qt::AlignCenter),
                         decadeText(static_cast<int>(m_low) + i));
    }
  }

  void drawBars() {
    const DeviationBins& bins = m_picture.bins;
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
      if (bins.counts[i] == 0) continue;
      const double left = x(bins.from(i));
      const double right = x(bins.to(i));
      // A bar of a single case is seen, however many others have.
      const double top = std::min(y(static_cast<double>(bins.counts[i])), m_bars.bottom() - 1.5);
      const double gap = right - left > 4 ? 1 : 0;
      const bool isBeyond = m_picture.deciding() != nullptr && bins.from(i) >= m_picture.deciding()->limit;
      m_painter.fillRect(QRectF(QPointF(left, top), QPointF(std::max(left + 1, right - gap), m_bars.bottom())),
                         isBeyond ? m_ink.colors.bad : m_color);
    }
    m_painter.setPen(QPen(m_ink.faintText, 1));
    const double base = std::floor(m_bars.bottom()) + 0.5;
    m_painter.drawLine(QPointF(m_all.left(), base), QPointF(m_all.right(), base));
  }

  void lane(double center, std::int64_t count, const QString& words, const QColor& color, const QColor& ink) {
    const double top = std::min(y(static_cast<double>(count)), m_bars.bottom() - 1.5);
    m_painter.fillRect(QRectF(QPointF(center - kLaneBar / 2, top), QPointF(center + kLaneBar / 2, m_bars.bottom())),
                       color);
    m_painter.setPen(ink);
    m_painter.drawText(QRectF(center - 60, m_bars.bottom() + 3, 120, m_line), static_cast<int>(Qt::AlignCenter), words);
    m_painter.drawText(QRectF(center - 60, top - m_line - 1, 120, m_line), static_cast<int>(Qt::AlignCenter),
                       wholeText(count));
  }

  void drawLanes() {
    if (m_picture.bins.zeros > 0) {
      lane(m_all.left() + m_zeros / 2, m_picture.bins.zeros, zerosText(), m_color, m_ink.text);
    }
    if (m_picture.bins.nonFinite > 0) {
      lane(m_all.right() - m_nonFinite / 2, m_picture.bins.nonFinite, nonFiniteText(), m_ink.colors.bad,
           m_ink.colors.bad);
    }
  }

  /// A line across the bars with its words above them, in the first of two rows that has room.
  void vertical(double value, const QString& words, const QPen& pen, bool toTheRight) {
    if (!(value > 0) || !std::isfinite(value)) return;
    const double at = std::floor(x(value)) + 0.5;
    const double width = m_metrics.horizontalAdvance(words) + 2;
    const double top = m_bars.top() - 2 * m_line - 4;
    std::vector<QRectF> places;
    for (const double row : {top, top + m_line}) {
      const QRectF right(at + 3, row, width, m_line);
      const QRectF left(at - 3 - width, row, width, m_line);
      places.push_back(toTheRight ? right : left);
      places.push_back(toTheRight ? left : right);
    }
    const auto isFree = [this](const QRectF& place) {
      const bool isInside = place.left() >= m_all.left() - 4 && place.right() <= m_all.right() + 18;
      return isInside && std::none_of(m_taken.begin(), m_taken.end(),
                                      [&place](const QRectF& taken) { return taken.intersects(place); });
    };
    const auto found = std::find_if(places.begin(), places.end(), isFree);
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(at, found == places.end() ? m_bars.top() : found->top() + 2),
                       QPointF(at, m_bars.bottom()));
    m_taken.emplace_back(at - 1, top, 2, 2 * m_line);
    if (found == places.end()) return;  // the tip of the title and the table say it
    m_painter.setPen(m_ink.text);
    m_painter.drawText(*found, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), words);
    m_taken.push_back(*found);
  }

  void drawLines() {
    const DeviationLines& lines = m_picture.lines;
    const bool isAlone = lines.limits.size() == 1;
    for (const DeviationLimit& one : lines.limits) {
      const bool isDeciding = &one == m_picture.deciding();
      const double at = one.limit > 0 ? std::log10(one.limit) : m_low - 1;
      if (at < m_low || at > m_high) continue;  // the tip of the title says it
      const QString words =
          isAlone ? say(QT_TRANSLATE_NOOP("VerdictPage", "limit %1")).arg(measuredText(one.limit))
                  : say(QT_TRANSLATE_NOOP("VerdictPage", "limit %1, %2")).arg(measuredText(one.limit), one.valueName);
      vertical(one.limit, words, QPen(m_ink.text, isDeciding ? 2 : 1), true);
    }
    if (const DeviationLimit* const deciding = m_picture.deciding(); deciding != nullptr && deciding->value) {
      vertical(*deciding->value, QStringLiteral("%1: %2").arg(deciding->valueName, measuredText(*deciding->value)),
               QPen(m_ink.text, 1, Qt::DotLine), false);
    }
    if (lines.yardstick) {
      const char* const name = m_picture.side == Side::SameWeights
                                   ? QT_TRANSLATE_NOOP("VerdictPage", "rounding floor %1")
                                   : QT_TRANSLATE_NOOP("VerdictPage", "run-to-run spread %1");
      vertical(*lines.yardstick, say(name).arg(measuredText(*lines.yardstick)), QPen(m_ink.text, 1, Qt::DashLine),
               true);
    }
  }

  QPainter& m_painter;
  const plot::PlotInk& m_ink;
  const Picture& m_picture;
  QFontMetricsF m_metrics;
  double m_line;
  QColor m_color;
  std::vector<plot::Tick> m_ticks;
  QRectF m_all;   ///< with the lanes
  QRectF m_bars;  ///< between the ends of the axis
  double m_most = 1;
  double m_zeros = 0, m_nonFinite = 0;  ///< px
  double m_low = 0, m_high = 1;         ///< log10
  std::vector<QRectF> m_taken;
};

/// One bar of the table twin.
struct Bar {
  QString from, to;
  QString exactFrom, exactTo;
  std::int64_t cases;
  RowsCell::Tone tone = RowsCell::Tone::Plain;
};

std::vector<Bar> barsOf(const Picture& picture) {
  const DeviationBins& bins = picture.bins;
  std::vector<Bar> bars;
  if (bins.zeros > 0) {
    const QString zero = wholeText(0);
    bars.push_back({zero, zero, QStringLiteral("0"), QStringLiteral("0"), bins.zeros});
  }
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    if (bins.counts[i] == 0) continue;
    const bool isBeyond = picture.deciding() != nullptr && bins.from(i) >= picture.deciding()->limit;
    bars.push_back({measuredText(bins.from(i)), measuredText(bins.to(i)), exactNumber(bins.from(i)),
                    exactNumber(bins.to(i)), bins.counts[i], isBeyond ? RowsCell::Tone::Bad : RowsCell::Tone::Plain});
  }
  const auto addWords = [&bars](std::int64_t cases, const QString& words, RowsCell::Tone tone) {
    if (cases > 0) bars.push_back({words, {}, {}, {}, cases, tone});
  };
  addWords(bins.nonFinite, say(QT_TRANSLATE_NOOP("VerdictPage", "NaN or ∞")), RowsCell::Tone::Bad);
  addWords(bins.notMeasured, say(QT_TRANSLATE_NOOP("VerdictPage", "not measured")), RowsCell::Tone::Faint);
  return bars;
}

}  // namespace

DeviationLines deviationLines(const record::Verdict* verdict, const std::vector<record::YardstickReading>& yardsticks,
                              Side side) {
  DeviationLines lines;
  const std::string of = side == Side::SameWeights ? "same_weights" : "trained";
  for (const record::RuleVerdict& rule : verdict != nullptr ? verdict->rules : std::vector<record::RuleVerdict>()) {
    const bool isOutput = rule.name.rfind("output", 0) == 0 && rule.of == of;
    const std::size_t measure = rule.limit.find("case_relative");
    if (!isOutput || measure == std::string::npos || !rule.limit_value) continue;
    if (rule.limit.find(", of slice ") != std::string::npos) continue;    // not of all cases
    if (rule.limit.find("case_relative of output") == measure) continue;  // not of the prediction, which is drawn
    const QString name = QString::fromStdString(rule.limit.substr(0, measure)).trimmed();
    DeviationLimit limit;
    limit.rule = ruleName(rule);
    limit.limit = *rule.limit_value;
    limit.value = rule.value;
    limit.valueName = models::figuresIn(name.endsWith(QLatin1String(" of")) ? name.chopped(3) : name);
    limit.isExceeded = rule.verdict == record::VerdictWord::Rejected;
    limit.isOfAverage = name.startsWith(QLatin1String("mean"));
    const auto isKnown = [&limit](const DeviationLimit& one) {
      return one.limit == limit.limit && one.valueName == limit.valueName;
    };
    if (std::none_of(lines.limits.begin(), lines.limits.end(), isKnown)) lines.limits.push_back(limit);
  }
  std::stable_sort(lines.limits.begin(), lines.limits.end(),
                   [](const DeviationLimit& one, const DeviationLimit& other) {
                     if (one.isExceeded != other.isExceeded) return one.isExceeded;
                     if (one.isOfAverage != other.isOfAverage) return other.isOfAverage;
                     return one.limit < other.limit;
                   });
  for (const record::YardstickReading& reading : yardsticks) {
    const bool isOfCases = reading.measure.find("case_relative") != std::string::npos;
    if (reading.of == of && isOfCases) lines.yardstick = reading.size;
  }
  return lines;
}

namespace {

/// "none", "1", "1,284".
QString beyondText(const VerdictData& data, Side side, double limit) {
  const std::int64_t over = beyond(data.cases, side, limit);
  return over == 0 ? say(QT_TRANSLATE_NOOP("VerdictPage", "none")) : wholeText(over);
}

/// How many cases are beyond the limits, in few words.
QString noteOf(const VerdictData& data, const Picture& picture) {
  const std::vector<DeviationLimit>& limits = picture.lines.limits;
  if (limits.empty()) return say(QT_TRANSLATE_NOOP("VerdictPage", "no rule limits it"));
  const QString over = beyondText(data, picture.side, limits.front().limit);
  if (limits.size() == 1) return say(QT_TRANSLATE_NOOP("VerdictPage", "%1 beyond")).arg(over);
  return say(QT_TRANSLATE_NOOP("VerdictPage", "%1 beyond %2, of %3 limits"))
      .arg(over, measuredText(limits.front().limit), wholeText(static_cast<qlonglong>(limits.size())));
}

QString spokenOf(const VerdictData& data, const Picture& picture) {
  QStringList words;
  words << say(QT_TRANSLATE_NOOP("VerdictPage",
                                 "The largest difference of a case's outputs from the reference's, over the largest "
                                 "output that the reference has there, or over the RMS of all of its outputs where "
                                 "that is larger; the axis is logarithmic. %1: %2 exactly 0, %3 not finite."))
               .arg(casesText(picture.bins.cases()), wholeText(picture.bins.zeros), wholeText(picture.bins.nonFinite));
  for (const DeviationLimit& one : picture.lines.limits) {
    words << say(QT_TRANSLATE_NOOP("VerdictPage", "%1, limit %2: %3 beyond."))
                 .arg(one.rule, measuredText(one.limit), beyondText(data, picture.side, one.limit));
  }
  if (picture.lines.limits.size() > 1) {
    words << say(QT_TRANSLATE_NOOP("VerdictPage", "The first one decides: the band is what it allows."));
  }
  return words.join(u'\n');
}

void showDeviation(plot::PictureView& view, const VerdictData& data, const std::shared_ptr<const Picture>& picture,
                   bool isPostHoc, const QString& subject) {
  plot::PictureWords words;
  words.title = say(QT_TRANSLATE_NOOP("VerdictPage", "Deviation, %1")).arg(sideName(picture->side));
  words.subject = subject;
  if (picture->bins.cases() == 0) {
    words.emptyText = data.cases.empty()
                          ? say(QT_TRANSLATE_NOOP("VerdictPage", "No frozen cases were compared."))
                          : say(QT_TRANSLATE_NOOP("VerdictPage", "These weights were not compared on the cases."));
  } else {
    words.unit = say(QT_TRANSLATE_NOOP("VerdictPage", "case-relative, %1")).arg(casesText(picture->bins.cases()));
    words.note = noteOf(data, *picture);
    if (isPostHoc) words.note = say(QT_TRANSLATE_NOOP("VerdictPage", "post hoc: %1")).arg(words.note);
    words.spoken = spokenOf(data, *picture);
  }
  view.setWords(words);
  view.setPaint([picture](QPainter& painter, const QRectF& area, const plot::PlotInk& ink) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    HistogramPainting(painter, area, ink, *picture).paint();
    painter.restore();
  });
  plot::RowsModel& rows = view.table()->rows();
  rows.setColumns({{say(QT_TRANSLATE_NOOP("VerdictPage", "From")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "To")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "Cases")), {}, true}});
  const auto bars = std::make_shared<const std::vector<Bar>>(barsOf(*picture));
  rows.setRows(static_cast<int>(bars->size()), [bars](int row, int column) -> RowsCell {
    const Bar& bar = (*bars)[static_cast<std::size_t>(row)];
    if (column == 0) return {bar.from, bar.exactFrom, bar.tone};
    if (column == 1) return {bar.to, bar.exactTo, bar.tone};
    return {wholeText(bar.cases), QString::number(bar.cases), bar.tone};
  });
  view.table()->fitColumns();
}

}  // namespace

void showDeviations(const std::array<plot::PictureView*, 2>& views, const VerdictData& data,
                    const record::Verdict* verdict, bool isPostHoc, int place, const QString& subject) {
  std::array<std::shared_ptr<Picture>, 2> pictures;
  double low = 1e300;
  double high = -1e300;
  for (const Side side : kSides) {
    std::shared_ptr<Picture>& picture = pictures[index(side)];
    picture = std::make_shared<Picture>();
    picture->bins = binDeviations(data.cases, side);
    picture->lines = deviationLines(verdict, data.trial.end.yardsticks, side);
    picture->side = side;
    picture->place = place;
    if (picture->bins.cases() > 0) takeRange(*picture, low, high);
  }
  if (low > high) low = -1, high = 0;
  for (const Side side : kSides) {
    pictures[index(side)]->low = std::floor(low - 0.1);
    pictures[index(side)]->high = std::ceil(high + 0.1);
    showDeviation(*views[index(side)], data, pictures[index(side)], isPostHoc, subject);
  }
}

}  // namespace mantissa::ui::verdict
