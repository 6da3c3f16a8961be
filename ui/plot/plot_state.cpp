// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_state.h"

#include <cmath>

namespace mantissa::ui::plot {
namespace {

/// \pre data is not empty.
std::size_t nearestIndex(const SeriesData& data, double position) {
  const auto after = data.positions().lower(position, 0, data.size());
  if (after == 0) return 0;
  if (after == data.size()) return after - 1;
  return position - data.x(after - 1) <= data.x(after) - position ? after - 1 : after;
}

}  // namespace

std::optional<std::size_t> indexToRead(const PlotState& state, const SeriesData& data) {
  if (data.empty()) return std::nullopt;
  const auto position = state.cursor ? state.cursor->position() : std::nullopt;
  if (!position) return data.size() - 1;
  const auto index = nearestIndex(data, *position);
  // A value that stands far from the cursor is no value at the cursor.
  const auto reach = state.navigation->xRange().length() * 0.01;
  if (std::abs(data.x(index) - *position) > reach) return std::nullopt;
  return index;
}

std::optional<double> valueToRead(const PlotState& state, const SeriesData& data) {
  const auto index = indexToRead(state, data);
  return index ? std::optional(data.y(*index)) : std::nullopt;
}

std::optional<double> nearestPosition(const PlotState& state, double position) {
  std::optional<double> nearest;
  for (const auto& source : state.sources.sources()) {
    const auto& data = *source.series.data;
    if (data.empty() || state.hidden.contains(source.series.id)) continue;
    const auto x = data.x(nearestIndex(data, position));
    if (!nearest || std::abs(x - position) < std::abs(*nearest - position)) nearest = x;
  }
  return nearest;
}

}  // namespace mantissa::ui::plot
