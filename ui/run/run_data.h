// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/record/trial.h"
#include "ui/plot/plot_content.h"
#include "ui/plot/series_data.h"
#include "ui/worker/job.h"

namespace mantissa::ui::run {

/// What a curve is drawn against.
enum class XAxis { Step, AppliedUpdate, Samples, Seconds };
inline constexpr std::size_t kXAxes = 4;

/// What the page draws.
enum class Quantity { Loss, Scale, Trajectory, Shadow, GradientNorm };
inline constexpr std::size_t kQuantities = 5;

/// "growth probe", "non-finite loss": why an update was refused, for people.
QString causeWords(record::SkipCause cause);

/// A refused update.
struct Skip {
  qint64 step = 0;
  std::array<double, kXAxes> x{};
  record::SkipCause cause = record::SkipCause::None;
  QString parameter;  ///< the first with a non-finite gradient; empty: unknown
};

/// Where an arm stands after its last step.
struct Counters {
  qint64 iterations = 0;
  qint64 attempted = 0;
  qint64 applied = 0;
  qint64 skipped = 0;
  qint64 growthTracker = 0;
  std::optional<double> scale;
  std::optional<double> lr;
  std::optional<double> loss;
  std::optional<double> deviation;  ///< trajectory, of outputs, RMSE
  std::optional<double> seconds;    ///< since the run's first step
};

/// One arm: its curves, its skipped steps, its counters. Steps rise; one that does not stand above the last goes on
/// from before it, and what stood from there on is gone.
class ArmData {
 public:
  ArmData(record::TrialRow arm, XAxis axis);

  const record::TrialRow& arm() const { return m_arm; }
  void setArm(record::TrialRow arm) { m_arm = std::move(arm); }

  /// \return whether curves were cut, so that plots must take the series anew.
  bool take(const record::StepRecord& step);

  /// Forgets every step after this one. \return whether there was any.
  bool truncateAfter(qint64 step);

  /// Its points are the steps at which the quantity was measured.
  std::shared_ptr<const plot::SeriesData> series(Quantity quantity) const;
  void setAxis(XAxis axis);

  const std::vector<Skip>& skips() const { return m_skips; }
  const Counters& counters() const { return m_counters; }

  qint64 firstNonFiniteLoss() const;  ///< 0: all are finite
  qint64 nonFiniteLosses() const;

  /// Mean of up to 50 finite values that end `back` values before the newest; nothing where there is none.
  std::optional<double> recentMean(Quantity quantity, std::size_t back = 0) const;

 private:
  using Positions = std::array<std::shared_ptr<plot::PositionColumn>, kXAxes>;
  struct Curve {
    std::shared_ptr<plot::SeriesData> values;
    Positions own;  ///< null while it was measured at every step: then the arm's positions are its own
  };

  const Positions& positionsOf(const Curve& curve) const { return curve.own[0] ? curve.own : m_positions; }
  void makeColumns();
  void append(Curve& curve, std::optional<double> value, const std::array<double, kXAxes>& x);

  record::TrialRow m_arm;
  XAxis m_axis;
  Positions m_positions;
  std::array<Curve, kQuantities> m_curves;
  std::vector<Skip> m_skips;
  Counters m_counters;
};

/// All arms of the run or experiment that is shown, oldest first. Window's thread.
class RunData {
 public:
  /// Adds arms, and renews those that are known. Steps that came before their arm are taken now.
  void setArms(const std::vector<record::TrialRow>& arms);
  void clear();

  /// \return whether anything was new.
  bool take(const std::vector<worker::StepBatch>& batches);

  const std::vector<std::unique_ptr<ArmData>>& arms() const { return m_arms; }
  ArmData* arm(std::int64_t id) const;

  /// The reference and the trials: those with a line of their own. Yardsticks measure the reference against itself.
  std::vector<const ArmData*> shown() const;
  /// Whole repeats of the reference.
  std::vector<const ArmData*> repeats() const;

  /// Another number whenever plots must take their series anew.
  int revision() const { return m_revision; }

  XAxis axis() const { return m_axis; }
  void setAxis(XAxis axis);
  /// An arm goes on after `step`.
  void truncate(std::int64_t arm, qint64 step);
  qint64 missed() const { return m_missed; }

  /// The attempted steps of the arm that has most.
  qint64 steps() const;

  std::int64_t experiment() const;

 private:
  bool takeOne(const record::StepRecord& step);

  std::vector<std::unique_ptr<ArmData>> m_arms;
  std::vector<record::StepRecord> m_early;  ///< of arms that are not known yet: their news is on its way
  XAxis m_axis = XAxis::Step;
  int m_revision = 0;
  qint64 m_missed = 0;
};

}  // namespace mantissa::ui::run
