// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include <array>

#include "ui/memory/shown_ledger.h"
#include "ui/plot/plot_painter.h"

class QPainter;

namespace mantissa::ui::memory {

/// The greys of a ledger: what depends on the microbatch, and the parts of what does not.
struct LedgerShades {
  QColor activations;
  QColor fixed;  ///< all of it
  std::array<QColor, 3> parts;

  static LedgerShades of(const plot::PlotInk& ink);
};

/// The step against the device: parts with their sizes, the total, what is usable, the reserve hatched. What does not
/// fit is drawn beyond the line in the colour of what is bad.
void paintStack(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const ShownStack& stack,
                const ByteScale& scale);

/// Fixed state and activations of each block, one upon the other, and the line of what is usable where it is near.
void paintBlocks(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const ShownBlocks& blocks,
                 const ByteScale& scale);

}  // namespace mantissa::ui::memory
