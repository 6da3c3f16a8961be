// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_navigation.h"

#include <algorithm>

namespace mantissa::ui::plot {
namespace {

constexpr qint64 kGestureMilliseconds = 800;
constexpr std::size_t kLongestHistory = 200;
constexpr double kRoomAtEnd = 0.1;  // of a zoom that follows the end: it moves in such steps

/// A range that is no longer than `all`, moved to where there is something.
Range within(const Range& range, const Range& all) {
  const double low = std::clamp(range.low, all.low, all.high - range.length());
  return {low, low + range.length()};
}

}  // namespace

PlotNavigation::PlotNavigation(QObject* parent)
    : QObject(parent),
      m_backAction(tr("Zoom back")),
      m_forwardAction(tr("Zoom forward")),
      m_resetAction(tr("Show all data")) {
  m_backAction.setShortcut(Qt::ALT | Qt::Key_Left);
  m_forwardAction.setShortcut(Qt::ALT | Qt::Key_Right);
  for (auto* action : {&m_backAction, &m_forwardAction, &m_resetAction}) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  }
  connect(&m_backAction, &QAction::triggered, this, &PlotNavigation::back);
  connect(&m_forwardAction, &QAction::triggered, this, &PlotNavigation::forward);
  connect(&m_resetAction, &QAction::triggered, this, &PlotNavigation::reset);
  changed();
}

void PlotNavigation::setExpectedRange(std::optional<Range> range) {
  if (range == m_expected) return;
  m_expected = range;
  m_automatic = range.value_or(Range{});
  const auto extents = std::exchange(m_extents, {});
  for (const auto& [plot, extent] : extents) reportExtent(plot, extent);
  changed();
}

void PlotNavigation::startOver(std::optional<Range> expected) {
  m_expected = expected;
  m_automatic = expected.value_or(Range{});
  m_extents.clear();
  m_current = {};
  m_followsEnd = false;
  m_past.clear();
  m_future.clear();
  m_sinceGesture.invalidate();
  changed();
}

void PlotNavigation::reportExtent(const QObject* plot, std::optional<Range> extent) {
  if (!extent) {
    m_extents.erase(plot);
    return;
  }
  m_extents[plot] = *extent;
  auto all = m_expected.value_or(*extent);
  for (const auto& [other, range] : m_extents) all = {std::min(all.low, range.low), std::max(all.high, range.high)};

  auto range = m_automatic;
  const bool fits = range.low <= all.low && all.high <= range.high;
  // Data that fills too little of the axis belongs to a new run, or to another kind of axis.
  const bool fills = m_expected || all.length() > 0.5 * range.length() || all.length() == 0;
  if (!fits || !fills || (!m_expected && range.low != all.low)) {
    range = all;
    const bool beyondExpectation = !m_expected || all.high > m_expected->high;
    if (beyondExpectation && all.length() > 0) range.high = all.low + 1.2 * all.length();
  }
  if (range.length() <= 0) range.high = range.low + 1;
  const bool isOther = range != m_automatic;
  m_automatic = range;
  if (m_followsEnd && isZoomed() && !isEndInSight()) {
    m_current.x = atEnd(m_current.x->length());
    Q_EMIT rangesChanged();
  } else if (isOther && !isZoomed()) {
    Q_EMIT rangesChanged();
  }
}

std::optional<double> PlotNavigation::end() const {
  std::optional<double> last;
  for (const auto& [plot, extent] : m_extents) last = std::max(last.value_or(extent.high), extent.high);
  return last;
}

Range PlotNavigation::atEnd(double length) const {
  const double high = end().value_or(m_automatic.high) + kRoomAtEnd * length;
  return {high - length, high};
}

bool PlotNavigation::isEndInSight() const {
  return !m_current.x || end().value_or(m_current.x->low) <= m_current.x->high;
}

void PlotNavigation::followEnd() {
  if (!m_current.x) return;
  State state = m_current;
  state.x = atEnd(m_current.x->length());
  go(std::move(state), Gesture::New);
  m_followsEnd = true;
}

Range PlotNavigation::xRange() const { return m_current.x.value_or(m_automatic); }

std::optional<Range> PlotNavigation::yRange(const QString& plotId) const {
  const auto found = m_current.y.find(plotId);
  if (found == m_current.y.end()) return std::nullopt;
  return found->second;
}

void PlotNavigation::zoomX(const Range& range, Gesture gesture) {
  auto state = m_current;
  const auto length = m_automatic.length();
  // A millionth of the data is one step of a long run: closer there is nothing. Farther out there is nothing either.
  if (range.length() >= (1 - 1e-9) * length) {  // moved along, a length changes in its last digits
    state.x = std::nullopt;
  } else if (range.length() >= 1e-6 * length) {
    state.x = within(range, m_automatic);
  }
  go(std::move(state), gesture);
}

void PlotNavigation::zoomY(const QString& plotId, const Range& range, Gesture gesture) {
  if (!(range.length() > 0)) return;
  auto state = m_current;
  state.y[plotId] = range;
  go(std::move(state), gesture);
}

void PlotNavigation::zoomBox(const Range& x, const QString& plotId, const Range& y) {
  auto state = m_current;
  if (x.length() >= 1e-6 * m_automatic.length()) state.x = x;
  if (y.length() > 0) state.y[plotId] = y;
  go(std::move(state), Gesture::New);
}

void PlotNavigation::back() {
  if (m_past.empty()) return;
  m_followsEnd = false;
  m_future.push_back(std::exchange(m_current, m_past.back()));
  m_past.pop_back();
  m_sinceGesture.invalidate();
  changed();
}

void PlotNavigation::forward() {
  if (m_future.empty()) return;
  m_followsEnd = false;
  m_past.push_back(std::exchange(m_current, m_future.back()));
  m_future.pop_back();
  m_sinceGesture.invalidate();
  changed();
}

void PlotNavigation::reset() { go({}, Gesture::New); }

void PlotNavigation::go(State state, Gesture gesture) {
  if (state == m_current) return;
  const bool continues = gesture == Gesture::Continued && m_sinceGesture.isValid() && !m_past.empty() &&
                         m_sinceGesture.elapsed() < kGestureMilliseconds;
  if (!continues) {
    m_past.push_back(m_current);
    if (m_past.size() > kLongestHistory) m_past.erase(m_past.begin());
  }
  if (gesture == Gesture::Continued) {
    m_sinceGesture.start();
  } else {
    m_sinceGesture.invalidate();
  }
  m_future.clear();
  m_followsEnd = false;
  m_current = std::move(state);
  changed();
}

void PlotNavigation::changed() {
  m_backAction.setEnabled(canGoBack());
  m_forwardAction.setEnabled(canGoForward());
  m_resetAction.setEnabled(isZoomed() || !m_current.y.empty());
  Q_EMIT rangesChanged();
}

}  // namespace mantissa::ui::plot
