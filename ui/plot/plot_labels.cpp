// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_labels.h"

#include <algorithm>

namespace mantissa::ui::plot {

bool PlotLabels::isFree(const QRectF& place) const {
  const bool crossed =
      std::any_of(m_levels.begin(), m_levels.end(), [&](double y) { return place.top() < y && y < place.bottom(); });
  return !crossed &&
         std::none_of(m_taken.begin(), m_taken.end(), [&](const QRectF& taken) { return taken.intersects(place); });
}

QRectF PlotLabels::place(const std::vector<QRectF>& candidates) {
  const auto fits = [&](const QRectF& candidate) { return m_area.contains(candidate) && isFree(candidate); };
  const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
  const QRectF place = found == candidates.end() ? candidates.front() : *found;
  take(place);
  return place;
}

}  // namespace mantissa::ui::plot
