// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/picture_header.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/plot/plot_frame.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kSwatch = 16;
constexpr double kGap = 6;
constexpr double kBetween = 14;  // series
constexpr double kRowSpace = 3;
constexpr std::size_t kManySeries = 6;  // more stand below each other in columns

QFont boldened(QFont font) {
  font.setBold(true);
  return font;
}

/// As many words a row as fit; a single word that is too long has a row of its own.
QStringList wrapped(const QString& text, const QFontMetricsF& metrics, double width) {
  QStringList rows;
  for (const QString& word : text.split(u' ')) {
    const QString longer = rows.isEmpty() ? word : rows.back() + u' ' + word;
    if (!rows.isEmpty() && metrics.horizontalAdvance(longer) <= width) {
      rows.back() = longer;
    } else {
      rows << word;
    }
  }
  return rows;
}

/// The value of a series that belongs to the end of what is drawn: its newest one, or the last of a zoom.
std::optional<std::size_t> lastDrawn(const PlotState& state, const SeriesData& data) {
  if (data.empty()) return std::nullopt;
  if (state.navigation == nullptr || !state.navigation->isZoomed()) return data.size() - 1;
  const Range drawn = state.navigation->xRange();
  // Its positions may repeat, and never fall.
  std::size_t first = 0;
  std::size_t end = data.size();
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (data.x(middle) <= drawn.high) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (end == 0 || data.x(end - 1) < drawn.low) return std::nullopt;
  return end - 1;
}

/// "values at step 362": where all series that are drawn have theirs, or the last of them.
QString placeWords(const PlotContent& content, const std::vector<double>& places) {
  if (places.empty()) return {};
  const auto [first, last] = std::minmax_element(places.begin(), places.end());
  const QString place = placeText(content, *last);
  return (*first == *last ? QCoreApplication::translate("PictureHeader", "values at %1 %2")
                          : QCoreApplication::translate("PictureHeader", "newest values up to %1 %2"))
      .arg(content.xName, place);
}

}  // namespace

PictureHeader::PictureHeader(const PlotState& state, const PlotInk& ink, double width) {
  addTitle(state, ink, width);
  addLegend(state, ink, width);
}

void PictureHeader::addTitle(const PlotState& state, const PlotInk& ink, double width) {
  const PlotContent& content = state.content;
  const QFont bold = boldened(ink.font);
  const QFontMetricsF boldMetrics(bold);
  const QFontMetricsF metrics(ink.font);
  const double row = std::ceil(metrics.height());
  const QString unit = unitText(content);
  const QString experiment = content.experiment.isEmpty()
                                 ? QString()
                                 : QCoreApplication::translate("PictureHeader", "Experiment %1").arg(wholeRun(content));
  const double title = boldMetrics.horizontalAdvance(content.title);
  const double unitWidth = metrics.horizontalAdvance(unit);
  const double experimentWidth = metrics.horizontalAdvance(experiment);
  m_words.push_back({{0, 0, title + 1, row}, content.title, bold, ink.text});
  double used = title;
  const bool unitFits = !unit.isEmpty() && used + kGap + unitWidth <= width;
  if (unitFits) {
    m_words.push_back({{used + kGap, 0, unitWidth + 1, row}, unit, ink.font, ink.faintText});
    used += kGap + unitWidth;
  }
  const bool experimentFits = (unitFits || unit.isEmpty()) && used + 2 * kBetween + experimentWidth <= width;
  if (experimentFits && !experiment.isEmpty()) {
    m_words.push_back({{width - experimentWidth - 1, 0, experimentWidth + 1, row}, experiment, ink.font, ink.text});
  }
  m_height = row + kRowSpace;
  if (!unitFits) addWrapped(unit, ink, width);
  if (!experimentFits) addWrapped(experiment, ink, width);
}

void PictureHeader::addWrapped(const QString& text, const PlotInk& ink, double width) {
  if (text.isEmpty()) return;
  const QFontMetricsF metrics(ink.font);
  const double row = std::ceil(metrics.height());
  for (const QString& words : wrapped(text, metrics, width)) {
    m_words.push_back({{0, m_height, metrics.horizontalAdvance(words) + 1, row}, words, ink.font, ink.faintText});
    m_height += row;
  }
  m_height += kRowSpace;
}

void PictureHeader::addLegend(const PlotState& state, const PlotInk& ink, double width) {
  const QFont bold = boldened(ink.font);
  const QFontMetricsF boldMetrics(bold);
  const QFontMetricsF metrics(ink.font);
  const double row = std::ceil(metrics.height()) + kRowSpace;
  struct Item {
    SeriesStyle style;
    QString name, value;
    double nameWidth = 0;
    double needed = 0;
  };
  std::vector<Item> items;
  std::vector<double> places;
  double column = 0;
  for (const auto& source : state.sources.sources()) {
    const PlotSeries& series = source.series;
    if (state.hidden.contains(series.id)) continue;
    const auto& data = *series.data;
    const std::optional<std::size_t> last = lastDrawn(state, data);
    const QString value = last           ? shownText(state.content, data.y(*last))
                          : data.empty() ? series.note
                                         : QStringLiteral("–");
    if (last) places.push_back(data.x(*last));
    const double valueWidth = boldMetrics.horizontalAdvance(value);
    // A name that is longer than the picture is wide loses its middle, and no other series its place.
    const QString name = metrics.elidedText(series.name, Qt::ElideMiddle, width - kSwatch - 2 * kGap - valueWidth);
    const double nameWidth = metrics.horizontalAdvance(name);
    items.push_back({series.style, name, value, nameWidth, kSwatch + kGap + nameWidth + kGap + valueWidth});
    column = std::max(column, items.back().needed);
  }
  if (items.size() <= kManySeries) column = 0;
  double x = 0;
  for (const Item& item : items) {
    const double needed = std::max(item.needed, column);
    if (x > 0 && x + needed > width) {
      x = 0;
      m_height += row;
    }
    m_swatches.push_back({{x, m_height, kSwatch, row}, item.style});
    const double text = x + kSwatch + kGap;
    const double value = text + item.nameWidth + kGap;
    m_words.push_back({{text, m_height, item.nameWidth + 1, row}, item.name, ink.font, ink.text});
    m_words.push_back({{value, m_height, x + needed - value + 1, row}, item.value, bold, ink.text});
    x += needed + kBetween;
  }
  const QString place = placeWords(state.content, places);
  const double placeWidth = metrics.horizontalAdvance(place);
  if (!place.isEmpty() && x > 0 && x + placeWidth > width) {
    x = 0;
    m_height += row;
  }
  if (!place.isEmpty()) m_words.push_back({{x, m_height, placeWidth + 1, row}, place, ink.font, ink.faintText});
  if (!items.empty()) m_height += row;
}

void PictureHeader::paint(QPainter& painter) const {
  painter.save();
  for (const Swatch& swatch : m_swatches) paintSwatch(painter, swatch.place, swatch.style);
  for (const Words& words : m_words) {
    painter.setFont(words.font);
    painter.setPen(words.color);
    painter.drawText(words.place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip), words.text);
  }
  painter.restore();
}

}  // namespace mantissa::ui::plot
