// SPDX-License-Identifier: GPL-3.0-or-later
// Colours are legible on their background, and told apart with common colour-vision deficiencies.
#include <QPainter>
#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ui/plot/plot_colors.h"

using namespace mantissa::ui::plot;

namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

/// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (IEEE TVCG
/// 2009), table of the matrices for severity 1.0, applied to linear RGB.
const std::vector<std::pair<QString, Matrix>>& visions() {
  static const std::vector<std::pair<QString, Matrix>> all = {
      {"full", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
      {"protanopia",
       {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
      {"deuteranopia",
       {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
      {"tritanopia",
       {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
  };
  return all;
}

double linear(double value) { return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); }

/// CIE 1976 L*a*b* (D65) of what a person with this vision sees.
std::array<double, 3> seen(const QColor& color, const Matrix& vision) {
  const std::array<double, 3> rgb = {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
  std::array<double, 3> simulated{};
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < 3; ++column) sum += vision[row][column] * rgb[column];
    simulated[row] = std::clamp(sum, 0.0, 1.0);
  }
  const auto [r, g, b] = simulated;
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const auto x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const auto y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const auto z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const QColor& left, const QColor& right, const Matrix& vision) {
  const auto a = seen(left, vision);
  const auto b = seen(right, vision);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

std::vector<QColor> bases(bool dark) {
  // White and what our and other dark palettes use as base.
  if (dark) return {QColor(0x1e, 0x1e, 0x1e), QColor(0x1c, 0x1e, 0x21), QColor(0x2b, 0x2b, 0x2b)};
  return {Qt::white};
}

}  // namespace

class PlotColorsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void contrast_is_that_of_the_standard() {
    // WCAG 2.1: black on white is (1 + 0.05) / (0 + 0.05) = 21; #777777 on white is known as 4.48.
    QVERIFY(std::abs(contrast(Qt::black, Qt::white) - 21) < 1e-9);
    QVERIFY(std::abs(contrast(QColor(0x77, 0x77, 0x77), Qt::white) - 4.48) < 0.005);
  }

  void colours_of_words_have_a_contrast_of_4_5_and_those_of_lines_of_3() {
    for (const bool dark : {false, true}) {
      const auto& colors = plotColors(dark);
      for (const auto& base : bases(dark)) {
        for (const auto& color : {colors.good, colors.warn, colors.bad, colors.undecided})
          QVERIFY(contrast(color, base) >= 4.5);
        QVERIFY(contrast(colors.reference, base) >= 3.0);
        for (const auto& color : colors.trials) QVERIFY(contrast(color, base) >= 3.0);
      }
    }
  }

  void reference_is_told_from_every_trial_by_its_colour_with_every_vision() {
    // 10 units of CIE 1976 are a difference seen at a glance; 2.3 is the least that is noticed side by side
    // (Mahy et al., 1994).
    for (const bool dark : {false, true}) {
      const auto& colors = plotColors(dark);
      for (const auto& [name, vision] : visions()) {
        for (const auto& trial : colors.trials) {
          QVERIFY2(distance(colors.reference, trial, vision) >= 10, qPrintable(name + " " + trial.name()));
        }
      }
    }
  }

  void trials_whose_colours_come_close_are_exactly_the_known_ones() {
    // Below 10 units the marker must tell. A change of the table that makes another pair close has to be seen here.
    const std::set<std::pair<std::size_t, std::size_t>> known = {{1, 6}, {2, 5}};
    for (const bool dark : {false, true}) {
      std::set<std::pair<std::size_t, std::size_t>> close;
      const auto& colors = plotColors(dark);
      for (const auto& [name, vision] : visions()) {
        for (std::size_t i = 0; i < colors.trials.size(); ++i) {
          for (auto j = i + 1; j < colors.trials.size(); ++j) {
            if (distance(colors.trials[i], colors.trials[j], vision) < 10) close.emplace(i + 1, j + 1);
          }
        }
      }
      QCOMPARE(close, dark ? decltype(close){} : known);
    }
  }

  void the_first_six_trials_and_the_reference_differ_in_their_markers() {
    std::set<MarkerShape> shapes = {referenceStyle(plotColors(false)).marker};
    for (int trial = 0; trial < 6; ++trial) shapes.insert(trialStyle(plotColors(false), trial).marker);
    QCOMPARE(shapes.size(), std::size_t(7));
  }

  void trials_beyond_six_repeat_hues_with_other_markers_on_their_lines() {
    std::set<std::pair<QRgb, MarkerShape>> pairs;
    for (int trial = 0; trial < 36; ++trial) {
      const auto style = trialStyle(plotColors(true), trial);
      QCOMPARE(style.markersAlongLine, trial >= 6);
      pairs.emplace(style.color.rgb(), style.marker);
    }
    QCOMPARE(pairs.size(), std::size_t(36));
  }

  void every_marker_paints_in_its_colour() {
    for (const auto shape : {MarkerShape::Square, MarkerShape::Circle, MarkerShape::TriangleUp, MarkerShape::Diamond,
                             MarkerShape::TriangleDown, MarkerShape::Plus, MarkerShape::Cross}) {
      QImage image(20, 20, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      drawMarker(painter, shape, {10, 10}, 9, Qt::red);
      painter.end();
      QCOMPARE(image.pixelColor(10, 10), QColor(Qt::red));
      QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
    }
  }

  void dark_is_told_from_light_by_the_palette() {
    QPalette palette;
    palette.setColor(QPalette::Base, Qt::white);
    palette.setColor(QPalette::Text, Qt::black);
    QVERIFY(!isDark(palette));
    palette.setColor(QPalette::Base, QColor(0x1e, 0x1e, 0x1e));
    palette.setColor(QPalette::Text, Qt::white);
    QVERIFY(isDark(palette));
  }
};

QTEST_GUILESS_MAIN(PlotColorsTests)
#include "plot_colors_tests.moc"
