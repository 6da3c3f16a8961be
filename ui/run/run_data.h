// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/judge/step_mean.h"
#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "ui/plot/series_data.h"
#include "ui/run/quantity.h"
#include "ui/worker/job.h"

namespace mantissa::ui::run {

/// What a curve is drawn against.
enum class XAxis { Step, AppliedUpdate, Samples, Seconds };
inline constexpr std::size_t kXAxes = 4;

/// "growth probe", "non-finite loss": why an update was refused, for people.
QString causeWords(record::SkipCause cause);

struct Skip;
/// "12 steps after the scale grew"; empty where it is not known to have grown before.
QString growthWords(const Skip& skip);

/// A figure that a person has set, in a sentence: "0.002", "−3.2". What was measured is written by plot::valueText,
/// whose digits do not change in number.
QString numberText(double value);

/// What one of several optimizers did in a skipped step.
struct OptimizerSkip {
  qint64 optimizer = 0;  ///< index
  record::SkipCause cause = record::SkipCause::None;
  QString parameter;
  std::optional<double> largestFiniteGradient;
};

/// A refused update.
struct Skip {
  qint64 step = 0;
  std::array<double, kXAxes> x{};
  record::SkipCause cause = record::SkipCause::None;
  QString parameter;                            ///< the first with a non-finite gradient; empty: unknown
  std::optional<qint64> optimizer;              ///< the first with a non-finite gradient
  std::optional<double> largestFiniteGradient;  ///< still scaled
  std::optional<double> scaleBefore;
  std::optional<double> scaleAfter;
  std::optional<qint64> sinceGrowth;      ///< steps since the last one that left a larger scale
  std::vector<OptimizerSkip> optimizers;  ///< those that skipped, where the arm has several

  /// Whether this optimizer skipped; nothing: any.
  bool isOf(std::optional<qint64> index) const;
};

/// A size of nothing but chance that a deviation is measured by: of whole repeats, or of rounding repeats.
struct Yardstick {
  double size = 0;  ///< of the repeat that deviates most, its mean over the steps so far
  int repeats = 0;
  bool isUsable() const { return size > 0 && std::isfinite(size); }
};

/// A mean over an arm's newest values.
struct RecentMean {
  double value = 0;
  std::size_t count = 0;  ///< of the values that it is the mean of
};

/// What an arm's gradients came to, step by step.
struct GradientCount {
  qint64 zero = 0;         ///< steps whose gradients were all exactly zero
  qint64 zeroAtEnd = 0;    ///< of them, those after the last step that had others; non-finite ones end nothing
  qint64 lastNonZero = 0;  ///< the last step with finite gradients that were not all zero; 0: none

  void take(qint64 step, double norm);
};

/// Where an arm stands after its last step.
struct Counters {
  qint64 iterations = 0;
  qint64 attempted = 0;
  qint64 applied = 0;
  qint64 skipped = 0;
  qint64 growthTracker = 0;
  std::optional<double> scale;      ///< that it used, as curves have it
  std::optional<double> nextScale;  ///< that it left to the next one, with the growth tracker; nothing: not known

  /// The one that belongs to the growth tracker, where it is known.
  std::optional<double> newestScale() const { return nextScale ? nextScale : scale; }
  std::optional<double> lr;
  std::optional<double> loss;
  std::optional<double> deviation;  ///< trajectory, of outputs, RMSE; nothing where that step has not measured it
  std::optional<double> seconds;    ///< since the run's first step
  std::optional<double> stepsPerSecond;
};

/// Positions on every axis.
using Positions = std::array<std::shared_ptr<plot::PositionColumn>, kXAxes>;

/// Where a step stands on every axis, given where the one before it stands (zeros before the first).
std::array<double, kXAxes> placeOf(const record::StepRecord& step, const std::array<double, kXAxes>& before);

/// A quantity of an arm from its first step on, as the archive has it.
struct PastCurve {
  Quantity quantity = Quantity::Loss;
  std::shared_ptr<plot::SeriesData> values;  ///< against its own positions
  Positions positions;
};

/// Which past an arm misses, since somebody wants to see what was not kept.
struct PastRequest {
  std::int64_t arm = 0;
  int cuts = 0;  ///< how often the arm was cut: the past of before a cut is void
  Quantities quantities;
};

/// The answer to a request.
struct Past {
  std::int64_t arm = 0;
  int cuts = 0;
  qint64 lastStep = 0;
  std::vector<PastCurve> curves;
};

/// One arm: its curves, its skipped steps, its counters. Steps rise; one that does not stand above the last goes on
/// from before it, and what stood from there on is gone.
class ArmData {
 public:
  /// \param kept  of an arm with a line of its own; yardsticks keep their deviations
  ArmData(record::TrialRow arm, XAxis axis, const Quantities& kept);

  const record::TrialRow& arm() const { return m_arm; }
  void setArm(record::TrialRow arm) { m_arm = std::move(arm); }

  /// \return whether curves were cut, so that plots must take the series anew.
  bool take(const record::StepRecord& step);

  /// Forgets every step after this one. \return whether there was any.
  bool truncateAfter(qint64 step);

  /// An evaluation on the frozen cases; one of a step that is not here yet waits for it.
  void takeEvaluation(const record::Evaluation& evaluation);

  /// Memory goes to what is looked at: other quantities are dropped, and what is new begins with the next step. Its
  /// past is `missing` until `fill` brings it; until then its series is empty.
  void keep(const Quantities& wanted);
  std::optional<PastRequest> missing() const;
  bool isMissing(Quantity quantity) const { return m_waiting.count(quantity) > 0; }
  /// \return whether it was taken in; otherwise the past ends too early, or the arm was cut meanwhile: ask again.
  bool fill(const Past& past);
  /// Nobody can give the past: curves begin where they were asked for.
  void goOnWithoutPast();

  /// Its points are the steps at which the quantity was measured. The learning rate stands against applied updates,
  /// whatever the axis is: they are what its schedule counts.
  std::shared_ptr<const plot::SeriesData> series(Quantity quantity) const;
  /// Quality on the frozen cases, at each evaluation.
  std::shared_ptr<const plot::SeriesData> quality() const { return m_quality.values; }
  /// The newest evaluation.
  const std::optional<record::Evaluation>& evaluation() const { return m_evaluation; }

  /// Of a yardstick: mean of the size of a deviation over all steps at which it was measured.
  const judge::StepMean& stepMean(Quantity quantity) const { return m_means[static_cast<std::size_t>(quantity)]; }

  void setAxis(XAxis axis);

  /// The step at or behind this place of an axis; 0: there is none.
  qint64 stepAt(XAxis axis, double x) const;

  const std::vector<Skip>& skips() const { return m_skips; }
  const Skip* skipAt(qint64 step) const;
  static constexpr int kCauses = 10;
  /// By one of several optimizers.
  qint64 skipsOf(std::size_t optimizer) const;
  qint64 skipsBy(record::SkipCause cause) const { return m_causes[static_cast<std::size_t>(cause)]; }
  /// How many optimizers the arm's steps tell of; 0: one.
  std::size_t optimizers() const { return m_optimizers; }
  const Counters& counters() const { return m_counters; }

  const GradientCount& gradients() const { return m_gradients; }
  qint64 firstNonFinite(Quantity quantity) const;  ///< the step; 0: all are finite
  qint64 nonFinite(Quantity quantity) const;       ///< how many values
  /// Over all finite values; nothing where there is none.
  std::optional<double> finiteMean(Quantity quantity) const;
  /// Nothing where it was not measured at this step.
  std::optional<double> valueAt(Quantity quantity, qint64 step) const;

  /// Of up to 50 values that end `back` values before the newest, their finite ones; nothing where there is none.
  std::optional<RecentMean> recentMean(Quantity quantity, std::size_t back = 0) const;

 private:
  struct Curve {
    std::shared_ptr<plot::SeriesData> values;
    Positions own;  ///< null while it was measured at every step: then the arm's positions are its own
  };

  const Positions& positionsOf(const Curve& curve) const { return curve.own[0] ? curve.own : m_positions; }
  XAxis axisOf(Quantity quantity) const;
  void makeColumns();
  void append(Curve& curve, std::optional<double> value, const std::array<double, kXAxes>& x);
  bool isYardstick() const;
  void setCurve(Quantity quantity, Curve curve);
  void takeSkip(const record::StepRecord& step, const std::array<double, kXAxes>& x);
  void placeEvaluations();
  void countAnew();
  void findGrowth();
  void countGradients();

  record::TrialRow m_arm;
  XAxis m_axis;
  Positions m_positions;
  std::array<Curve, kQuantities> m_curves;
  Quantities m_kept;
  /// What was wanted later than from the first step on: what has come since, against positions of its own.
  struct Waiting {
    Curve curve;
    qint64 from = 0;  // the steps after this one are in it
  };
  std::map<Quantity, Waiting> m_waiting;
  int m_cuts = 0;
  std::array<judge::StepMean, kQuantities> m_means;  // of a yardstick's deviations
  Curve m_quality;
  std::vector<record::Evaluation> m_evaluations;  // by step
  std::size_t m_placed = 0;                       // of them, those that stand in the curve
  std::optional<record::Evaluation> m_evaluation;
  std::vector<Skip> m_skips;
  std::array<qint64, kCauses> m_causes{};  // skips by cause
  std::optional<qint64> m_grewAt;          // the last step that left a larger scale
  std::size_t m_optimizers = 0;
  GradientCount m_gradients;
  qint64 m_samples = 0;
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
  /// \return whether the arm is known; evaluations of others are dropped.
  bool takeEvaluation(const record::Evaluation& evaluation);

  /// The step that stands at this place of an axis, of the arm that has one nearest to it; 0: there is none.
  qint64 stepAt(XAxis axis, double x) const;

  /// What this deviation is measured by; nothing where no repeat has measured it.
  std::optional<Yardstick> yardstick(Quantity quantity) const;

  /// Another number whenever plots must take their series anew.
  int revision() const { return m_revision; }

  /// What the arms with a line of their own keep from now on, beside `alwaysKept`.
  void keep(const Quantities& wanted);
  /// Of every arm that misses some past.
  std::vector<PastRequest> missing() const;
  bool isMissing(Quantity quantity) const;
  /// \return whether all of it was taken in; otherwise ask again.
  bool fill(const std::vector<Past>& pasts);
  void goOnWithoutPast();

  XAxis axis() const { return m_axis; }
  void setAxis(XAxis axis);
  /// An arm goes on after `step`.
  void truncate(std::int64_t arm, qint64 step);
  qint64 missed() const { return m_missed; }
  /// There was no memory for a step: it and all that came later are missed.
  bool isFull() const { return m_isFull; }

  /// The attempted steps of the arm that has most.
  qint64 steps() const;

  std::int64_t experiment() const;

  /// The kinds of the experiment's optimizers, in its order; empty: not known.
  void setOptimizerKinds(std::vector<QString> kinds) { m_optimizerKinds = std::move(kinds); }
  /// "optimizer 1 (adamw)" of the one with index 1: the number that files, exports and messages give it.
  QString optimizerName(std::size_t index) const;

 private:
  bool takeOne(const record::StepRecord& step);
  bool takeWhereMemorySuffices(const record::StepRecord& step);

  std::vector<std::unique_ptr<ArmData>> m_arms;
  std::vector<record::StepRecord> m_early;  ///< of arms that are not known yet: their news is on its way
  XAxis m_axis = XAxis::Step;
  Quantities m_kept = alwaysKept();
  std::vector<QString> m_optimizerKinds;
  int m_revision = 0;
  qint64 m_missed = 0;
  bool m_isFull = false;
};

}  // namespace mantissa::ui::run
