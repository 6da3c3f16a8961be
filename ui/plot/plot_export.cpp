// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_export.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QPainter>
#include <QSvgGenerator>

#include <cmath>

#include "core/base/number_text.h"
#include "ui/plot/plot_frame.h"
#include "ui/plot/plot_table.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kMargin = 8;

void paintPicture(QPainter& painter, const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink,
                  const QSize& size) {
  auto content = state.content;
  content.live = false;
  const auto header = std::ceil(QFontMetricsF(ink.font).height()) + 8;
  const QSizeF plotSize(size.width() - 2 * kMargin, size.height() - header - 2 * kMargin);
  auto frame = makeFrame(plotSize);
  for (auto& line : frame.lines) line.width = 2;
  painter.fillRect(QRectF(QPointF(0, 0), size), ink.base);
  painter.setRenderHint(QPainter::Antialiasing);
  paintHeader(painter, QRectF(kMargin, kMargin, plotSize.width() - 4, header), content, frame, state.sources, ink);
  painter.translate(kMargin, kMargin + header);
  LineChart chart;
  paintPlot(painter, frame, content, ink, chart);
}

/// A name as a field of CSV (RFC 4180).
std::string field(const QString& name) {
  auto text = name;
  if (text.contains(u',') || text.contains(u'"') || text.contains(u'\n'))
    text = u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
  return text.toStdString();
}

}  // namespace

QImage plotImage(const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink, const QSize& size,
                 double scale) {
  QImage image((QSizeF(size) * scale).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(ink.base);
  QPainter painter(&image);
  paintPicture(painter, state, makeFrame, ink, size);
  return image;
}

QByteArray plotSvg(const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink, const QSize& size) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setResolution(96);
  generator.setTitle(state.content.title);
  QPainter painter(&generator);
  paintPicture(painter, state, makeFrame, ink, size);
  painter.end();
  return bytes;
}

std::string plotCsv(const PlotState& state) {
  std::vector<std::shared_ptr<const SeriesData>> series;
  auto text = field(state.content.xName);
  for (const auto& source : state.sources.sources()) {
    series.push_back(source.series.data);
    const QString name = source.difference ? source.series.name + QStringLiteral(" - reference") : source.series.name;
    text += ',' + field(columnName(state.content, name));
  }
  text += '\n';
  RowMerge rows(std::move(series));
  rows.update();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    text += to_text(rows.x(row));
    for (std::size_t column = 0; column < rows.columns(); ++column) {
      text += ',';
      if (const auto value = rows.value(row, column)) text += to_text(inUnit(state.content, *value));
    }
    text += '\n';
  }
  return text;
}

}  // namespace mantissa::ui::plot
