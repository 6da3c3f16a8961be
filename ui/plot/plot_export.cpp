// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_export.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "ui/plot/chart_widget.h"
#include "ui/plot/picture_header.h"
#include "ui/plot/plot_frame.h"
#include "ui/plot/plot_table.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kMargin = 8;
constexpr int kLeastWidth = 320;  // of a plot in a picture
constexpr int kLeastHeight = 160;

void paintPicture(QPainter& painter, const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink,
                  const QSize& size) {
  auto content = state.content;
  content.live = false;
  const PictureHeader header(state, ink, size.width() - 2 * kMargin);
  const QSizeF plotSize(size.width() - 2 * kMargin, std::max(1.0, size.height() - header.height() - 2 * kMargin));
  auto frame = makeFrame(plotSize);
  for (auto& line : frame.lines) line.width = 2;
  painter.fillRect(QRectF(QPointF(0, 0), size), ink.base);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(kMargin, kMargin);
  header.paint(painter);
  painter.translate(0, header.height());
  LineChart chart;
  paintPlot(painter, frame, content, ink, chart);
}

}  // namespace

QSize pictureSize(const PlotState& state, const PlotInk& ink, const QSize& plot) {
  const int width = std::max(plot.width(), kLeastWidth) + 2 * static_cast<int>(kMargin);
  const PictureHeader header(state, ink, width - 2 * kMargin);
  const double height = std::max(plot.height(), kLeastHeight) + header.height() + 2 * kMargin;
  return {width, static_cast<int>(std::ceil(height))};
}

QImage plotImage(const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink, const QSize& size,
                 double scale) {
  return paintedImage(size, scale, ink.base,
                      [&](QPainter& painter) { paintPicture(painter, state, makeFrame, ink, size); });
}

QByteArray plotSvg(const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink, const QSize& size) {
  return paintedSvg(size, state.content.title, wholeRun(state.content) + u'\n' + unitText(state.content),
                    [&](QPainter& painter) { paintPicture(painter, state, makeFrame, ink, size); });
}

std::string plotCsv(const PlotState& state) {
  std::vector<std::shared_ptr<const SeriesData>> series;
  auto text = csvField(xColumnName(state.content));
  for (const auto& source : state.sources.sources()) {
    series.push_back(source.series.data);
    const QString name = source.difference ? source.series.name + QStringLiteral(" - reference") : source.series.name;
    // Files of several runs are laid side by side: each column says whose it is.
    const QString column = columnName(state.content, name);
    text +=
        ',' + csvField(state.content.run.isEmpty() ? column : QStringLiteral("%1 (%2)").arg(column, state.content.run));
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
