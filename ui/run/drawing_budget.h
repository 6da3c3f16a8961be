// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <optional>

namespace mantissa::ui::run {

/// Says when a frame may be drawn: at every turn of the clock while a person interacts, otherwise so seldom that
/// drawing takes no more than a share of a core. The training needs the rest.
class DrawingBudget {
 public:
  static constexpr double kShare = 0.05;
  /// Of a core that the training computes on, too: all its threads wait at the next barrier for the one whose core is
  /// drawn on, so that it loses about twice what drawing takes (mantissa_window_bench training).
  static constexpr double kShareOfBusyCore = 0.02;
  static constexpr double kLongestPause = 1000;  ///< ms: however dear a frame is, a run is seen to move

  void setShare(double share) { m_share = share; }

  /// A frame is being drawn. What the window's thread computes until the next `isDue` counts as its cost: the paint
  /// events come after the call that asks for them.
  /// \param now  ms of any clock; \param computed  ms that the thread has computed so far
  void begin(double now, double computed);

  /// At the beginning of a turn of the clock.
  bool isDue(double now, double computed, bool personInteracts);

  double frameMilliseconds() const { return m_cost.value_or(0.0); }

 private:
  double m_share = kShare;
  std::optional<double> m_cost;  // of a frame, smoothed
  std::optional<double> m_began;
  std::optional<double> m_computed;  // when the frame began; nothing: its cost is known
};

/// Knows whether a person uses the program right now, and what the thread has computed.
class PersonWatch : public QObject {
  Q_OBJECT

 public:
  static constexpr qint64 kMoment = 1500;  ///< ms without a key, a click, the wheel or a move of the mouse

  explicit PersonWatch(QObject* parent = nullptr);
  bool interacts() const { return m_last.isValid() && m_last.elapsed() < kMoment; }

  static double now();       ///< ms
  static double computed();  ///< ms of processor time of the calling thread

 Q_SIGNALS:
  void began();  ///< a person uses the program again

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  QElapsedTimer m_last;
};

}  // namespace mantissa::ui::run
