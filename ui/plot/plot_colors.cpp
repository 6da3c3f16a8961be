// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_colors.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace mantissa::ui::plot {
namespace {

PlotColors lightColors() {
  return {0x3A3F47, {0x0072B2, 0xC24E00, 0x00805A, 0xB5588F, 0x7A6000, 0x2A7FB8},
          0x17683E, 0x7F5500,
          0xB42318, 0x4F53B8,
          0.12,     0.10};
}

PlotColors darkColors() {
  return {0xD5D9E0, {0x56B4E9, 0xE69F00, 0x2BC79A, 0xE8A5CC, 0xF0E442, 0x9AD0F5},
          0x4CC38A, 0xE2A336,
          0xFF8A7A, 0xA7AAFF,
          0.18,     0.14};
}

/// WCAG 2.1, definition of relative luminance.
double luminance(const QColor& color) {
  const auto linear = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

const PlotColors& plotColors(bool dark) {
  static const PlotColors light = lightColors();
  static const PlotColors darkSet = darkColors();
  return dark ? darkSet : light;
}

bool isDark(const QPalette& palette) {
  return luminance(palette.color(QPalette::Base)) < luminance(palette.color(QPalette::Text));
}

SeriesStyle referenceStyle(const PlotColors& colors) { return {colors.reference, MarkerShape::Square, false}; }

SeriesStyle trialStyle(const PlotColors& colors, int trial) {
  static constexpr std::array<MarkerShape, 6> shapes = {MarkerShape::Circle,  MarkerShape::TriangleUp,
                                                        MarkerShape::Diamond, MarkerShape::TriangleDown,
                                                        MarkerShape::Plus,    MarkerShape::Cross};
  const auto index = static_cast<std::size_t>(std::max(trial, 0));
  const auto hue = index % colors.trials.size();
  const auto round = index / colors.trials.size();
  // Each round of hues moves the shapes on by one: 36 pairs before one repeats.
  return {colors.trials[hue], shapes[(hue + round) % shapes.size()], round > 0};
}

void drawMarker(QPainter& painter, MarkerShape shape, const QPointF& center, double size, const QColor& color) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.translate(center);
  const auto half = size / 2;
  const auto bar = size / 6;
  switch (shape) {
    case MarkerShape::Square:
      painter.drawRect(QRectF(-0.85 * half, -0.85 * half, 1.7 * half, 1.7 * half));
      break;
    case MarkerShape::Circle:
      painter.drawEllipse(QPointF(), half, half);
      break;
    case MarkerShape::TriangleUp:
      painter.drawPolygon(QPolygonF({{0, -half}, {1.1 * half, 0.9 * half}, {-1.1 * half, 0.9 * half}}));
      break;
    case MarkerShape::TriangleDown:
      painter.drawPolygon(QPolygonF({{0, half}, {1.1 * half, -0.9 * half}, {-1.1 * half, -0.9 * half}}));
      break;
    case MarkerShape::Diamond:
      painter.drawPolygon(QPolygonF({{0, -1.15 * half}, {1.15 * half, 0}, {0, 1.15 * half}, {-1.15 * half, 0}}));
      break;
    case MarkerShape::Cross:
      painter.rotate(45);
      [[fallthrough]];
    case MarkerShape::Plus: {
      QPainterPath path;
      path.setFillRule(Qt::WindingFill);
      path.addRect(QRectF(-1.1 * half, -bar, 2.2 * half, 2 * bar));
      path.addRect(QRectF(-bar, -1.1 * half, 2 * bar, 2.2 * half));
      painter.drawPath(path);
      break;
    }
  }
  painter.restore();
}

double contrast(const QColor& left, const QColor& right) {
  const auto a = luminance(left) + 0.05;
  const auto b = luminance(right) + 0.05;
  return std::max(a, b) / std::min(a, b);
}

}  // namespace mantissa::ui::plot
