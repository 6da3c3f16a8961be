// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>

#include <cstdlib>

namespace mantissa::test {

/// How many pixels of a picture have about this colour; lines one pixel wide are drawn without smoothing at the edges
/// only where they are level, so a small distance is allowed.
inline int pixelsLike(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      const int distance = std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                           std::abs(pixel.blue() - color.blue());
      if (distance < 60) ++count;
    }
  }
  return count;
}

}  // namespace mantissa::test
