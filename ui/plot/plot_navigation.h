// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QElapsedTimer>
#include <QObject>

#include <map>
#include <optional>
#include <vector>

#include "ui/plot/decimate.h"

namespace mantissa::ui::plot {

/// Which part of the data linked plots show: one range of x for all, a range of y for each, and the way back.
///
/// Without a zoom x follows the data: all of it, and the expected range, with room to grow so that the axis rarely
/// moves.
class PlotNavigation : public QObject {
  Q_OBJECT

 public:
  explicit PlotNavigation(QObject* parent = nullptr);

  /// What a run will cover when it is finished, if that is known: 0 to 2,000 steps.
  void setExpectedRange(std::optional<Range> range);

  /// Forgets zooms, history and what plots reported: for other data, or another x axis for the same.
  void startOver(std::optional<Range> expected);

  /// What a plot has data for. Plots call it while redrawing.
  void reportExtent(const QObject* plot, std::optional<Range> extent);

  Range xRange() const;
  Range automaticRange() const { return m_automatic; }
  bool isZoomed() const { return m_current.x.has_value(); }

  /// The range in axis units that a person chose for the plot of this id.
  std::optional<Range> yRange(const QString& plotId) const;

  /// Whether the newest value that a plot has can be seen.
  bool isEndInSight() const;
  /// Moves a zoom to the newest values, and on with them until somebody chooses another range.
  void followEnd();

  /// What belongs to one gesture is one step of the history: turns of a wheel that follow each other quickly.
  enum class Gesture { New, Continued };
  /// Stays inside the data and the expected range; a longer range shows all of it.
  void zoomX(const Range& range, Gesture gesture);
  void zoomY(const QString& plotId, const Range& range, Gesture gesture);
  void zoomBox(const Range& x, const QString& plotId, const Range& y);

  bool canGoBack() const { return !m_past.empty(); }
  bool canGoForward() const { return !m_future.empty(); }

  /// For menus and toolbars: Alt+Left, Alt+Right and none; enabled where there is a way. Owned by this object.
  QAction* backAction() { return &m_backAction; }
  QAction* forwardAction() { return &m_forwardAction; }
  QAction* resetAction() { return &m_resetAction; }

 public Q_SLOTS:
  void back();
  void forward();
  /// Everything, on all plots. Can be gone back from.
  void reset();

 Q_SIGNALS:
  void rangesChanged();

 private:
  struct State {
    std::optional<Range> x;
    std::map<QString, Range> y;
    bool operator==(const State& other) const { return x == other.x && y == other.y; }
  };

  void go(State state, Gesture gesture);
  std::optional<double> end() const;
  Range atEnd(double length) const;
  void changed();

  std::optional<Range> m_expected;
  std::map<const QObject*, Range> m_extents;
  Range m_automatic;
  State m_current;
  bool m_followsEnd = false;
  std::vector<State> m_past;
  std::vector<State> m_future;
  QElapsedTimer m_sinceGesture;
  QAction m_backAction;
  QAction m_forwardAction;
  QAction m_resetAction;
};

}  // namespace mantissa::ui::plot
