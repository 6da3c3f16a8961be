// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/line_chart.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <QtNumeric>

#include <algorithm>
#include <utility>

namespace mantissa::ui::plot {
namespace {

constexpr std::size_t kMostSeries = 64;

/// Lines of one pen as one, with gaps: Qt Charts takes the square of the number of series to make them. Where there are
/// so many, nobody sees which one of two trials is drawn above the other; the last pen, the reference's, stays on top.
std::vector<Line> mergedByPen(std::vector<Line> lines) {
  const QPointF gap(qQNaN(), qQNaN());
  std::vector<Line> merged;
  for (Line& line : lines) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&line](const Line& one) {
      return one.color == line.color && one.width == line.width;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(line));
      continue;
    }
    same->points << gap << line.points;
    std::rotate(same, same + 1, merged.end());
  }
  return merged;
}

}  // namespace

struct LineChart::Chart {
  QGraphicsScene scene;
  QChart* chart = nullptr;  // owned by the scene
  QValueAxis* x = nullptr;  // owned by the chart, as are the series
  QValueAxis* y = nullptr;
  std::vector<QLineSeries*> series;
};

LineChart::LineChart() : m_chart(std::make_unique<Chart>()) {
  auto& it = *m_chart;
  it.scene.setItemIndexMethod(QGraphicsScene::NoIndex);
  it.chart = new QChart;
  it.scene.addItem(it.chart);
  it.chart->legend()->hide();
  it.chart->setBackgroundVisible(false);
  it.chart->setPlotAreaBackgroundVisible(false);
  it.chart->setAnimationOptions(QChart::NoAnimation);
  it.chart->setMargins({});
  it.chart->layout()->setContentsMargins(0, 0, 0, 0);
  it.x = new QValueAxis;
  it.y = new QValueAxis;
  it.chart->addAxis(it.x, Qt::AlignBottom);
  it.chart->addAxis(it.y, Qt::AlignLeft);
  for (auto* axis : {it.x, it.y}) {
    axis->setRange(0, 1);
    axis->setVisible(false);
  }
}

LineChart::~LineChart() = default;

void LineChart::setLines(std::vector<Line> lines) {
  auto& it = *m_chart;
  if (lines.size() > kMostSeries) lines = mergedByPen(std::move(lines));
  while (it.series.size() < lines.size()) {
    auto* series = new QLineSeries;
    it.chart->addSeries(series);
    series->attachAxis(it.x);
    series->attachAxis(it.y);
    it.series.push_back(series);
  }
  while (it.series.size() > lines.size()) {
    it.chart->removeSeries(it.series.back());
    delete it.series.back();  // removeSeries hands it back
    it.series.pop_back();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    QPen pen(lines[i].color, lines[i].width);
    pen.setCosmetic(true);
    pen.setJoinStyle(Qt::BevelJoin);
    if (it.series[i]->pen() != pen) it.series[i]->setPen(pen);
    if (it.series[i]->points() != lines[i].points) it.series[i]->replace(lines[i].points);
  }
}

std::size_t LineChart::seriesCount() const { return m_chart->series.size(); }

void LineChart::paint(QPainter& painter, const QRectF& area) {
  if (area.width() < 1 || area.height() < 1) return;
  auto& it = *m_chart;
  const QRectF place(QPointF(0, 0), area.size());
  if (it.chart->plotArea() != place) {
    it.chart->resize(area.size());
    it.chart->setPlotArea(place);
    it.scene.setSceneRect(place);
  }
  painter.save();
  painter.setClipRect(area, Qt::IntersectClip);
  it.scene.render(&painter, area, place, Qt::IgnoreAspectRatio);
  painter.restore();
}

}  // namespace mantissa::ui::plot
