// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/difference.h"

namespace mantissa::ui::plot {

Difference::Difference(std::shared_ptr<const SeriesData> trial, std::shared_ptr<const SeriesData> reference)
    : m_trial(std::move(trial)),
      m_reference(std::move(reference)),
      m_positions(std::make_shared<PositionColumn>()),
      m_data(std::make_shared<SeriesData>(m_positions)) {}

void Difference::update() {
  while (m_nextTrial < m_trial->size() && m_nextReference < m_reference->size()) {
    const auto x = m_trial->x(m_nextTrial);
    const auto other = m_reference->x(m_nextReference);
    if (x < other) {
      ++m_nextTrial;
    } else if (other < x) {
      ++m_nextReference;
    } else {
      m_positions->append(x);
      m_data->append(m_trial->y(m_nextTrial++) - m_reference->y(m_nextReference++));
    }
  }
}

}  // namespace mantissa::ui::plot
