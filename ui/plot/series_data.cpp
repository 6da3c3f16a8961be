// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/series_data.h"

#include <cmath>

namespace mantissa::ui::plot {

static_assert(ValueColumn::kChunk % BlockSummary::kSize == 0, "a block lies in one chunk");
static_assert(BlockSummary::kSize <= 256, "positions in a block are stored in a byte");

BlockSummary summarise(const double* values, std::size_t count) {
  BlockSummary summary;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = values[i];
    if (!std::isfinite(value)) continue;
    if (value < summary.minimum) {
      summary.minimum = value;
      summary.minimumAt = static_cast<std::uint8_t>(i);
    }
    if (value > summary.maximum) {
      summary.maximum = value;
      summary.maximumAt = static_cast<std::uint8_t>(i);
    }
    if (value > 0 && value < summary.smallestPositive) {
      summary.smallestPositive = value;
      summary.smallestPositiveAt = static_cast<std::uint8_t>(i);
    }
  }
  return summary;
}

NonFinite kindOf(double value) {
  if (std::isnan(value)) return NonFinite::NotANumber;
  return value > 0 ? NonFinite::PlusInfinity : NonFinite::MinusInfinity;
}

SeriesData::SeriesData(std::shared_ptr<const PositionColumn> positions) : m_positions(std::move(positions)) {}

void SeriesData::append(double value) {
  const auto index = m_values.size();
  m_values.append(value);
  if (!std::isfinite(value)) {
    const auto kind = kindOf(value);
    const bool continues = !m_nonFinite.empty() && m_nonFinite.back().kind == kind &&
                           m_nonFinite.back().first + m_nonFinite.back().count == index;
    if (continues) {
      ++m_nonFinite.back().count;
    } else {
      m_nonFinite.push_back({index, 1, kind});
    }
  }
  if (m_values.size() % BlockSummary::kSize == 0) {
    const auto first = m_values.size() - BlockSummary::kSize;
    m_summaries.push_back(summarise(m_values.run(first), BlockSummary::kSize));
  }
}

const double* SeriesData::values(std::size_t block, Block& /*scratch*/) const {
  return m_values.run(block * BlockSummary::kSize);
}

}  // namespace mantissa::ui::plot
