// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_pictures.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/plot/axis_ticks.h"

namespace mantissa::ui::memory {
namespace {

constexpr double kBarHeight = 24;
constexpr double kBracket = 4;
constexpr double kGap = 8;  // between two words of a row

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

QFont boldened(QFont font) {
  font.setBold(true);
  return font;
}

/// Whichever of the two can be read on it.
QColor wordsOn(const QColor& ground, const plot::PlotInk& ink) {
  return plot::contrast(ground, ink.text) >= plot::contrast(ground, ink.base) ? ink.text : ink.base;
}

void hatch(QPainter& painter, const QRectF& place, const QColor& color) {
  painter.fillRect(place, QBrush(color, Qt::BDiagPattern));
  painter.setPen(QPen(color, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(place);
}

/// Words of one row, placed around an x; each gives way to those before it.
class Row {
 public:
  Row(QPainter& painter, const QRectF& row) : m_painter(painter), m_row(row) {}

  /// \return whether there was room
  bool put(const QString& text, double center, const QFont& font, const QColor& color) {
    const QFontMetricsF metrics(font);
    const double width = std::ceil(metrics.horizontalAdvance(text)) + 1;
    double left = std::clamp(center - width / 2, m_row.left(), std::max(m_row.left(), m_row.right() - width));
    // Where it lies on another, it moves beside it, to the side of its own place.
    for (const QRectF& taken : m_taken) {
      if (left + width + kGap <= taken.left() || taken.right() + kGap <= left) continue;
      left = center < taken.center().x() ? taken.left() - kGap - width : taken.right() + kGap;
    }
    const QRectF place(left, m_row.top(), width, m_row.height());
    if (!isFree(place)) return false;
    draw(place, text, font, color);
    return true;
  }

  /// Whether it has room whole, from there to the first word that is there.
  bool fits(const QString& text, double from, const QFont& font) const {
    return from + QFontMetricsF(font).horizontalAdvance(text) + 1 <= end(from);
  }

  /// From the left to the first word that is there.
  void fill(const QString& text, double from, const QFont& font, const QColor& color) {
    const double right = end(from);
    const QFontMetricsF metrics(font);
    if (right - from < metrics.averageCharWidth() * 8) return;
    const QString shown = metrics.elidedText(text, Qt::ElideRight, right - from);
    draw(QRectF(from, m_row.top(), right - from, m_row.height()), shown, font, color);
  }

 private:
  double end(double from) const {
    double right = m_row.right();
    for (const QRectF& taken : m_taken) {
      if (taken.right() > from) right = std::min(right, taken.left() - kGap);
    }
    return right;
  }
  bool isFree(const QRectF& place) const {
    if (place.left() < m_row.left() - 0.5 || place.right() > m_row.right() + 0.5) return false;
    return std::none_of(m_taken.begin(), m_taken.end(), [&](const QRectF& taken) {
      return place.left() < taken.right() + kGap - 1 && taken.left() < place.right() + kGap - 1;
    });
  }
  void draw(const QRectF& place, const QString& text, const QFont& font, const QColor& color) {
    m_painter.setFont(font);
    m_painter.setPen(color);
    m_painter.drawText(place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), text);
    m_taken.push_back(place);
  }

  QPainter& m_painter;
  QRectF m_row;
  std::vector<QRectF> m_taken;
};

class StackPainting {
 public:
  StackPainting(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const ShownStack& stack,
                const ByteScale& scale)
      : m_painter(painter),
        m_ink(ink),
        m_stack(stack),
        m_scale(scale),
        m_device(ByteScale::of(std::max(stack.capacity, stack.total))),
        m_shades(LedgerShades::of(ink)) {
    const double line = QFontMetricsF(ink.font).height();
    const double height = line * 2 + 2 * kBracket + 8 + kBarHeight;
    const double top = area.top() + std::max(0.0, (area.height() - height) / 2);
    m_above = QRectF(area.left(), top, area.width(), line);
    m_bar = QRectF(area.left() + 4, top + line + kBracket + 4, area.width() - 8, kBarHeight);
    m_below = QRectF(area.left(), m_bar.bottom() + kBracket + 4, area.width(), line);
    m_whole = static_cast<double>(std::max(stack.capacity, stack.total));
  }

  void paint() {
    if (m_whole <= 0) return;
    drawDevice();
    drawParts();
    drawOver();
    drawLines();
    drawWords();
  }

 private:
  double x(std::int64_t bytes) const { return m_bar.left() + static_cast<double>(bytes) / m_whole * m_bar.width(); }
  QRectF stretch(std::int64_t from, std::int64_t to) const {
    return {QPointF(x(from), m_bar.top()), QPointF(x(to), m_bar.bottom())};
  }

  void drawDevice() {
    if (m_stack.capacity <= 0) return;
    m_painter.fillRect(stretch(0, m_stack.usable), m_ink.grid);
    hatch(m_painter, stretch(m_stack.usable, m_stack.capacity), m_ink.faintText);
    if (m_stack.usable <= m_stack.total) return;
    const QString words =
        say(QT_TRANSLATE_NOOP("MemoryPage", "headroom %1")).arg(m_device.textWithUnit(m_stack.usable - m_stack.total));
    writeInside(stretch(m_stack.total, m_stack.usable), {words, m_device.text(m_stack.usable - m_stack.total)},
                m_ink.font, m_ink.text);
  }

  void writeInside(const QRectF& place, const QStringList& words, const QFont& font, const QColor& color) {
    const QFontMetricsF metrics(font);
    for (const QString& one : words) {
      if (metrics.horizontalAdvance(one) + 4 > place.width()) continue;
      m_painter.setFont(font);
      m_painter.setPen(color);
      m_painter.drawText(place, static_cast<int>(Qt::AlignCenter), one);
      return;
    }
  }

  void drawParts() {
    std::int64_t from = 0;
    std::size_t shade = 0;
    for (const StackPart& part : m_stack.parts) {
      const QRectF place = stretch(from, from + part.bytes);
      from += part.bytes;
      const QColor color = part.isActivation ? m_shades.activations : m_shades.parts[shade++ % m_shades.parts.size()];
      if (place.width() <= 0) continue;
      m_painter.fillRect(place, color);
      m_painter.setPen(QPen(m_ink.base, 1));
      m_painter.drawLine(place.topRight(), place.bottomRight());
      writeInside(place, {m_scale.text(part.bytes)}, boldened(m_ink.font), wordsOn(color, m_ink));
    }
  }

  void drawOver() {
    if (m_stack.capacity <= 0 || m_stack.total <= m_stack.usable) return;
    hatch(m_painter, stretch(m_stack.usable, m_stack.total), m_ink.colors.bad);
  }

  void vertical(double at, double extra, const QPen& pen) {
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(at, m_bar.top() - extra), QPointF(at, m_bar.bottom() + extra));
  }

  void drawLines() {
    vertical(x(m_stack.total), kBracket, QPen(m_ink.text, 2));
    if (m_stack.capacity > 0) {
      vertical(x(m_stack.usable), kBracket, QPen(m_ink.text, 2, Qt::DotLine));
    }
    std::int64_t fixed = 0;
    for (const StackPart& part : m_stack.parts) fixed += part.isActivation ? 0 : part.bytes;
    m_painter.setPen(QPen(m_ink.faintText, 1));
    const auto bracket = [this](double left, double right, double edge, double outside) {
      if (right - left < 4) return;
      m_painter.drawPolyline(QPolygonF({{left, edge}, {left, outside}, {right, outside}, {right, edge}}));
    };
    bracket(x(0), x(fixed) - 1, m_bar.bottom(), m_bar.bottom() + kBracket);
    bracket(x(fixed), x(m_stack.total) - 1, m_bar.top(), m_bar.top() - kBracket);
    m_fixed = fixed;
  }

  void drawWords() {
    const QFont bold = boldened(m_ink.font);
    Row below(m_painter, m_below);
    const bool isOver = m_stack.capacity > 0 && m_stack.total > m_stack.usable;
    const QString total = say(QT_TRANSLATE_NOOP("MemoryPage", "total %1")).arg(m_scale.textWithUnit(m_stack.total));
    const double half = QFontMetricsF(bold).horizontalAdvance(total) / 2 + 1;
    const double left = m_below.left() + 4;
    // The total moves aside for the words before it, as far as it still touches its line.
    const double wordsEnd = left + QFontMetricsF(m_ink.font).horizontalAdvance(m_stack.fixedWords) + 2 + kGap;
    const double totalAt = std::max(x(m_stack.total), wordsEnd + half);
    below.put(total, totalAt <= x(m_stack.total) + half ? totalAt : x(m_stack.total), bold,
              isOver ? m_ink.colors.bad : m_ink.text);
    if (m_stack.capacity > 0) {
      below.put(say(QT_TRANSLATE_NOOP("MemoryPage", "usable %1")).arg(m_device.textWithUnit(m_stack.usable)),
                x(m_stack.usable), bold, m_ink.text);
      below.put(m_device.text(m_stack.capacity), x(m_stack.capacity), m_ink.font, m_ink.faintText);
    }
    below.fill(below.fits(m_stack.fixedWords, left, m_ink.font) ? m_stack.fixedWords : m_stack.fixedShort, left,
               m_ink.font, m_ink.text);
    Row above(m_painter, m_above);
    if (isOver) {
      above.put(
          say(QT_TRANSLATE_NOOP("MemoryPage", "over by %1")).arg(m_device.textWithUnit(m_stack.total - m_stack.usable)),
          (x(m_stack.usable) + x(m_stack.total)) / 2, bold, m_ink.colors.bad);
    }
    if (m_stack.capacity > 0 && m_stack.reserve > 0) {
      above.put(say(QT_TRANSLATE_NOOP("MemoryPage", "reserve %1")).arg(m_device.textWithUnit(m_stack.reserve)),
                (x(m_stack.usable) + x(m_stack.capacity)) / 2, m_ink.font, m_ink.text);
    }
    if (m_stack.total > m_fixed) {
      const double center = (x(m_fixed) + x(m_stack.total)) / 2;
      if (!above.put(m_stack.activationWords, center, m_ink.font, m_ink.text)) {
        above.fill(m_stack.activationWords, m_above.left() + 4, m_ink.font, m_ink.text);
      }
    }
  }

  QPainter& m_painter;
  const plot::PlotInk& m_ink;
  const ShownStack& m_stack;
  const ByteScale& m_scale;
  ByteScale m_device;
  LedgerShades m_shades;
  QRectF m_above, m_bar, m_below;
  double m_whole = 0;
  std::int64_t m_fixed = 0;
};

class BlocksPainting {
 public:
  BlocksPainting(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const ShownBlocks& blocks,
                 const ByteScale& scale)
      : m_painter(painter),
        m_ink(ink),
        m_blocks(blocks),
        m_scale(scale),
        m_metrics(ink.font),
        m_shades(LedgerShades::of(ink)) {
    constexpr double kNear = 1.5;  // how far the line of what is usable may be above the bars, to be shown
    const auto total = static_cast<double>(blocks.bars.back().total);
    const auto usable = static_cast<double>(blocks.usable);
    m_top = std::max(total, usable > 0 && usable < kNear * total ? usable : 0.0) / scale.bytes;
    if (m_top <= 0) m_top = 1;
    m_ticks = plot::yTicks(plot::YScale::Linear, {0, m_top * 1.12}, std::max(2, static_cast<int>(area.height() / 26)));
    double labels = 0;
    for (const plot::Tick& tick : m_ticks) labels = std::max(labels, m_metrics.horizontalAdvance(tick.label));
    const double line = m_metrics.height();
    m_area = area.adjusted(labels + 8, 4, -4, -line - 6);
    m_lineHeight = line;
    m_top = std::max(m_top, m_ticks.empty() ? 0 : m_ticks.back().height);
    // Words above the highest bar.
    const double scaled = m_area.height() > 2 * line ? m_area.height() / (m_area.height() - line) : 1;
    m_top *= scaled;
  }

  void paint() {
    drawGrid();
    drawBars();
    drawUsable();
  }

 private:
  double y(double inUnit) const { return m_area.bottom() - inUnit / m_top * m_area.height(); }
  double y(std::int64_t bytes) const { return y(static_cast<double>(bytes) / m_scale.bytes); }

  void drawGrid() {
    m_painter.setFont(m_ink.font);
    for (const plot::Tick& tick : m_ticks) {
      const double at = std::floor(y(tick.height)) + 0.5;
      m_painter.setPen(QPen(m_ink.grid, 1));
      m_painter.drawLine(QPointF(m_area.left(), at), QPointF(m_area.right(), at));
      m_painter.setPen(m_ink.faintText);
      m_painter.drawText(QRectF(m_area.left() - 60 - 4, at - m_lineHeight / 2, 60, m_lineHeight),
                         static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), tick.label);
    }
  }

  void drawBars() {
    // More bars than pixels are drawn as one for each pixel: the highest of those that share it, which is the last.
    constexpr double kLeastBar = 3;
    const auto count = m_blocks.bars.size();
    const auto shown = std::min(count, static_cast<std::size_t>(std::max(1.0, m_area.width() / kLeastBar)));
    const double pitch = m_area.width() / static_cast<double>(shown);
    const double width = std::max(1.0, std::min(pitch * 0.64, 64.0));
    const double wordRoom = pitch - 4;
    double named = -1e9;
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t place = (i + 1) * count / shown - 1;
      const ShownBlocks::Bar& bar = m_blocks.bars[place];
      const double center = m_area.left() + (static_cast<double>(i) + 0.5) * pitch;
      const QRectF fixed(QPointF(center - width / 2, y(m_blocks.fixed)), QPointF(center + width / 2, m_area.bottom()));
      const QRectF activations(QPointF(fixed.left(), y(bar.total)), QPointF(fixed.right(), fixed.top()));
      m_painter.fillRect(fixed, m_shades.fixed);
      m_painter.fillRect(activations, m_shades.activations);
      if (bar.exceeds > 0) hatch(m_painter, activations, m_ink.colors.bad);
      const QString value = m_scale.text(bar.activations);
      const QFont bold = boldened(m_ink.font);
      if (QFontMetricsF(bold).horizontalAdvance(value) <= wordRoom) {
        m_painter.setFont(bold);
        m_painter.setPen(bar.exceeds > 0 ? m_ink.colors.bad : m_ink.text);
        m_painter.drawText(QRectF(center - pitch / 2, activations.top() - m_lineHeight - 1, pitch, m_lineHeight),
                           static_cast<int>(Qt::AlignCenter), value);
        m_painter.setFont(m_ink.font);
      }
      const QString own = m_scale.text(m_blocks.fixed);
      if (i == 0 && fixed.height() > m_lineHeight + 4 && m_metrics.horizontalAdvance(own) <= width) {
        m_painter.setPen(wordsOn(m_shades.fixed, m_ink));
        m_painter.drawText(QRectF(fixed.left(), fixed.top() + 2, fixed.width(), m_lineHeight),
                           static_cast<int>(Qt::AlignCenter), own);
      }
      const QString name = m_blocks.name(place);
      const double nameWidth = std::min(m_metrics.horizontalAdvance(name) + 1, std::max(pitch - 4, 60.0));
      const double left = std::clamp(center - nameWidth / 2, m_area.left(), m_area.right() - nameWidth);
      if (left < named) continue;
      m_painter.setPen(m_ink.faintText);
      m_painter.drawText(QRectF(left, m_area.bottom() + 4, nameWidth, m_lineHeight), static_cast<int>(Qt::AlignCenter),
                         m_metrics.elidedText(name, Qt::ElideMiddle, nameWidth));
      named = left + nameWidth + 4;
    }
    m_painter.setPen(QPen(m_ink.faintText, 1));
    m_painter.drawLine(m_area.bottomLeft(), m_area.bottomRight());
  }

  void drawUsable() {
    if (m_blocks.usable <= 0) return;
    const double at = std::floor(y(m_blocks.usable)) + 0.5;
    if (at < m_area.top()) return;
    m_painter.setPen(QPen(m_ink.text, 1, Qt::DashLine));
    m_painter.drawLine(QPointF(m_area.left(), at), QPointF(m_area.right(), at));
    m_painter.setFont(m_ink.font);
    m_painter.drawText(QRectF(m_area.left() + 2, at - m_lineHeight - 1, m_area.width() - 4, m_lineHeight),
                       static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                       say(QT_TRANSLATE_NOOP("MemoryPage", "usable %1")).arg(m_scale.text(m_blocks.usable)));
  }

  QPainter& m_painter;
  const plot::PlotInk& m_ink;
  const ShownBlocks& m_blocks;
  const ByteScale& m_scale;
  QFontMetricsF m_metrics;
  LedgerShades m_shades;
  QRectF m_area;
  double m_top = 1;  // in the unit
  double m_lineHeight = 0;
  std::vector<plot::Tick> m_ticks;
};

}  // namespace

LedgerShades LedgerShades::of(const plot::PlotInk& ink) {
  const bool isDark = ink.base.lightness() < ink.text.lightness();
  if (isDark) {
    return {QColor(0xC6, 0xCF, 0xD8),
            QColor(0x66, 0x70, 0x7A),
            {QColor(0x66, 0x70, 0x7A), QColor(0x59, 0x62, 0x6B), QColor(0x4B, 0x53, 0x5B)}};
  }
  return {QColor(0x4B, 0x5A, 0x68),
          QColor(0xB3, 0xBC, 0xC4),
          {QColor(0xA3, 0xAC, 0xB5), QColor(0xB3, 0xBC, 0xC4), QColor(0xC7, 0xCD, 0xD3)}};
}

void paintStack(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const ShownStack& stack,
                const ByteScale& scale) {
  painter.save();
  StackPainting(painter, area, ink, stack, scale).paint();
  painter.restore();
}

void paintBlocks(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const ShownBlocks& blocks,
                 const ByteScale& scale) {
  if (blocks.bars.empty() || area.height() < 20) return;
  painter.save();
  BlocksPainting(painter, area, ink, blocks, scale).paint();
  painter.restore();
}

}  // namespace mantissa::ui::memory
