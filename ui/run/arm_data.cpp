// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_data.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "core/report/plain_words.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::run {
namespace {

constexpr std::size_t kMeanOf = 50;

QString say(const char* text) { return QCoreApplication::translate("RunData", text); }

std::size_t at(Quantity quantity) { return static_cast<std::size_t>(quantity); }
std::size_t at(XAxis axis) { return static_cast<std::size_t>(axis); }

template <class Positions>
void makePositions(Positions& positions) {
  for (auto& column : positions) column = std::make_shared<plot::PositionColumn>();
}

}  // namespace

QString numberText(double value) { return models::figure(report::number_words(value)); }

QString causeWords(record::SkipCause cause) {
  switch (cause) {
    case record::SkipCause::None:
      return {};
    case record::SkipCause::Calibration:
      return say(QT_TRANSLATE_NOOP("RunData", "calibration"));
    case record::SkipCause::GrowthProbe:
      return say(QT_TRANSLATE_NOOP("RunData", "growth probe"));
    case record::SkipCause::Overflow:
      return say(QT_TRANSLATE_NOOP("RunData", "overflow"));
    case record::SkipCause::Input:
      return say(QT_TRANSLATE_NOOP("RunData", "non-finite input"));
    case record::SkipCause::Loss:
      return say(QT_TRANSLATE_NOOP("RunData", "non-finite loss"));
    case record::SkipCause::Weights:
      return say(QT_TRANSLATE_NOOP("RunData", "non-finite weights"));
    case record::SkipCause::Rule:
      return say(QT_TRANSLATE_NOOP("RunData", "rule"));
    case record::SkipCause::NoGradient:
      return say(QT_TRANSLATE_NOOP("RunData", "no gradient"));
    case record::SkipCause::ScaleTooSmall:
      return say(QT_TRANSLATE_NOOP("RunData", "scale too small"));
  }
  return {};
}

QString growthWords(const Skip& skip) {
  if (!skip.sinceGrowth) return {};
  return *skip.sinceGrowth == 1 ? say(QT_TRANSLATE_NOOP("RunData", "1 step after the scale grew"))
                                : say(QT_TRANSLATE_NOOP("RunData", "%1 steps after the scale grew"))
                                      .arg(models::figure(report::count_words(*skip.sinceGrowth)));
}

std::array<double, kXAxes> placeOf(const record::StepRecord& step, const std::array<double, kXAxes>& before) {
  std::array<double, kXAxes> x = {static_cast<double>(step.step), static_cast<double>(step.applied_updates),
                                  static_cast<double>(step.samples), step.wall_seconds.value_or(0.0)};
  // A clock that begins anew after a resume stands still until it has caught up: positions never fall.
  for (std::size_t axis = 0; axis < kXAxes; ++axis) {
    if (!std::isfinite(x[axis]) || x[axis] < before[axis]) x[axis] = before[axis];
  }
  return x;
}

void GradientCount::take(qint64 step, double norm) {
  if (norm == 0) {
    ++zero;
    ++zeroAtEnd;
  } else if (std::isfinite(norm)) {
    zeroAtEnd = 0;
    lastNonZero = step;
  }
}

bool Skip::isOf(std::optional<qint64> index) const {
  if (!index) return true;
  if (optimizers.empty()) return *index == 0;
  return std::any_of(optimizers.begin(), optimizers.end(),
                     [&](const OptimizerSkip& it) { return it.optimizer == *index; });
}

ArmData::ArmData(record::TrialRow arm, XAxis axis, const Quantities& kept)
    : m_arm(std::move(arm)), m_axis(axis), m_kept(kept) {
  if (isYardstick()) {
    m_kept.reset();
    const bool isRepeat = m_arm.start.kind == record::TrialKind::Repeat;
    for (std::size_t i = 0; i < kMeasures; ++i) {
      const auto measure = static_cast<Measure>(i);
      m_kept.set(at(deviation(measure, isRepeat ? Comparison::Trajectory : Comparison::Shadow)));
    }
  }
  makeColumns();
}

bool ArmData::isYardstick() const { return record::is_yardstick(m_arm.start.kind); }

void ArmData::setCurve(Quantity quantity, Curve curve) {
  curve.values->setPositions(positionsOf(curve)[at(axisOf(quantity))]);
  m_curves[at(quantity)] = std::move(curve);
}

void ArmData::keep(const Quantities& wanted) {
  if (isYardstick()) return;
  for (std::size_t i = 0; i < kQuantities; ++i) {
    const auto quantity = static_cast<Quantity>(i);
    const bool isWanted = wanted.test(i) || alwaysKept().test(i);
    if (isWanted == (m_kept.test(i) || isMissing(quantity))) continue;
    Curve fresh;
    fresh.values = std::make_shared<plot::SeriesData>(m_positions[at(axisOf(quantity))]);
    if (!isWanted || m_counters.attempted == 0) {
      m_kept.set(i, isWanted);
      m_waiting.erase(quantity);
      if (!isWanted) makePositions(fresh.own);  // its series stays empty, whatever comes
      setCurve(quantity, std::move(fresh));
      continue;
    }
    makePositions(fresh.own);
    setCurve(quantity, fresh);
    Waiting waiting;
    makePositions(waiting.curve.own);
    waiting.curve.values = std::make_shared<plot::SeriesData>(waiting.curve.own[0]);
    waiting.from = m_counters.attempted;
    m_waiting.emplace(quantity, std::move(waiting));
  }
}

std::optional<PastRequest> ArmData::missing() const {
  if (m_waiting.empty()) return std::nullopt;
  PastRequest request{m_arm.id, m_cuts, {}};
  for (const auto& [quantity, waiting] : m_waiting) request.quantities.set(at(quantity));
  return request;
}

bool ArmData::fill(const Past& past) {
  if (past.cuts != m_cuts) return m_waiting.empty();
  for (const PastCurve& old : past.curves) {
    const auto found = m_waiting.find(old.quantity);
    if (found == m_waiting.end()) continue;  // not wanted any more
    const Waiting& waiting = found->second;
    if (past.lastStep < waiting.from) return false;
    const plot::SeriesData& since = *waiting.curve.values;
    const plot::PositionColumn& steps = *waiting.curve.own[at(XAxis::Step)];
    for (std::size_t i = steps.upper(static_cast<double>(past.lastStep), 0, since.size()); i < since.size(); ++i) {
      old.values->append(since.y(i));
      for (std::size_t axis = 0; axis < kXAxes; ++axis) {
        plot::PositionColumn& column = *old.positions[axis];
        const double position = waiting.curve.own[axis]->at(i);
        column.append(column.size() == 0 ? position : std::max(position, column.last()));
      }
    }
    Curve curve{old.values, old.positions};
    if (old.values->size() == m_positions[0]->size()) curve.own = {};  // measured at every step: the arm's will do
    setCurve(old.quantity, std::move(curve));
    m_kept.set(at(old.quantity));
    m_waiting.erase(found);
  }
  return m_waiting.empty();
}

void ArmData::goOnWithoutPast() {
  for (auto& [quantity, waiting] : m_waiting) {
    setCurve(quantity, std::move(waiting.curve));
    m_kept.set(at(quantity));
  }
  m_waiting.clear();
}

XAxis ArmData::axisOf(Quantity quantity) const {
  return quantity == Quantity::LearningRate ? XAxis::AppliedUpdate : m_axis;
}

void ArmData::makeColumns() {
  makePositions(m_positions);
  for (std::size_t i = 0; i < kQuantities; ++i) {
    m_curves[i].own = {};
    m_curves[i].values = std::make_shared<plot::SeriesData>(m_positions[at(axisOf(static_cast<Quantity>(i)))]);
  }
  makePositions(m_quality.own);
  m_quality.values = std::make_shared<plot::SeriesData>(m_quality.own[at(m_axis)]);
  m_placed = 0;
}

bool ArmData::take(const record::StepRecord& step) {
  const bool cut = step.step <= m_counters.attempted && truncateAfter(step.step - 1);
  std::array<double, kXAxes> before{};
  for (std::size_t axis = 0; axis < kXAxes && m_positions[axis]->size() > 0; ++axis) {
    before[axis] = m_positions[axis]->last();
  }
  const std::array<double, kXAxes> x = placeOf(step, before);
  for (std::size_t i = 0; i < kQuantities; ++i) {
    if (!m_kept.test(i)) continue;
    const std::optional<double> value = valueOf(step, static_cast<Quantity>(i), m_samples);
    append(m_curves[i], value, x);
    if (value && isYardstick()) m_means[i].add(std::abs(*value));
  }
  for (auto& [quantity, waiting] : m_waiting) append(waiting.curve, valueOf(step, quantity, m_samples), x);
  for (std::size_t axis = 0; axis < kXAxes; ++axis) m_positions[axis]->append(x[axis]);
  if (step.skipped) takeSkip(step, x);
  if (step.scale_before && step.scale_after && *step.scale_after > *step.scale_before) m_grewAt = step.step;
  m_optimizers = std::max(m_optimizers, step.optimizers.size());
  if (step.grad_norm) m_gradients.take(step.step, *step.grad_norm);
  m_samples = step.samples;

  m_counters.iterations = step.iteration;
  m_counters.attempted = step.step;
  m_counters.applied = step.applied_updates;
  m_counters.skipped = static_cast<qint64>(m_skips.size());
  m_counters.growthTracker = step.growth_tracker;
  m_counters.scale = step.scale_before;
  m_counters.nextScale = step.scale_after;
  m_counters.lr = step.lr;
  m_counters.loss = step.loss;
  m_counters.deviation = step.deviation_output_rmse;
  m_counters.seconds = step.wall_seconds;
  m_counters.stepsPerSecond = valueOf(step, Quantity::StepsPerSecond, 0);
  placeEvaluations();
  return cut;
}

void ArmData::takeSkip(const record::StepRecord& step, const std::array<double, kXAxes>& x) {
  Skip skip;
  skip.step = step.step;
  skip.x = x;
  skip.cause = step.skip_cause;
  skip.parameter = QString::fromStdString(step.overflow_parameter);
  if (step.overflow_optimizer) skip.optimizer = *step.overflow_optimizer;
  skip.largestFiniteGradient = step.largest_finite_gradient;
  skip.scaleBefore = step.scale_before;
  skip.scaleAfter = step.scale_after;
  if (m_grewAt) skip.sinceGrowth = step.step - *m_grewAt;
  for (std::size_t i = 0; i < step.optimizers.size(); ++i) {
    const record::OptimizerStep& one = step.optimizers[i];
    if (!one.skipped) continue;
    skip.optimizers.push_back({static_cast<qint64>(i), one.skip_cause, QString::fromStdString(one.overflow_parameter),
                               one.largest_finite_gradient});
  }
  // A run that skips the same parameter a million times keeps its name once.
  if (!m_skips.empty() && m_skips.back().parameter == skip.parameter) skip.parameter = m_skips.back().parameter;
  ++m_causes[static_cast<std::size_t>(skip.cause)];
  m_skips.push_back(std::move(skip));
}

qint64 ArmData::stepAt(XAxis axis, double x) const {
  const plot::PositionColumn& positions = *m_positions[at(axis)];
  const std::size_t index = positions.lower(x, 0, positions.size());
  if (index == positions.size()) return 0;
  return std::llround(m_positions[at(XAxis::Step)]->at(index));
}

qint64 ArmData::skipsOf(std::size_t optimizer) const {
  return std::count_if(m_skips.begin(), m_skips.end(),
                       [&](const Skip& skip) { return skip.isOf(static_cast<qint64>(optimizer)); });
}

const Skip* ArmData::skipAt(qint64 step) const {
  const auto found = std::lower_bound(m_skips.begin(), m_skips.end(), step,
                                      [](const Skip& skip, qint64 wanted) { return skip.step < wanted; });
  return found != m_skips.end() && found->step == step ? &*found : nullptr;
}

/// Called before the step stands in the arm's own positions.
void ArmData::append(Curve& curve, std::optional<double> value, const std::array<double, kXAxes>& x) {
  if (!value && !curve.own[0]) {
    // The first step at which it was not measured: from here on it has positions of its own.
    makePositions(curve.own);
    for (std::size_t axis = 0; axis < kXAxes; ++axis) {
      for (std::size_t i = 0; i < m_positions[axis]->size(); ++i) curve.own[axis]->append(m_positions[axis]->at(i));
    }
    const auto quantity = static_cast<Quantity>(&curve - m_curves.data());
    curve.values->setPositions(curve.own[at(axisOf(quantity))]);
  }
  if (!value) return;
  curve.values->append(*value);
  if (!curve.own[0]) return;
  for (std::size_t axis = 0; axis < kXAxes; ++axis) curve.own[axis]->append(x[axis]);
}

void ArmData::takeEvaluation(const record::Evaluation& evaluation) {
  const auto place = std::lower_bound(m_evaluations.begin(), m_evaluations.end(), evaluation.step,
                                      [](const auto& known, std::int64_t step) { return known.step < step; });
  if (place != m_evaluations.end()) return;  // they come in order, and each once
  m_evaluations.push_back(evaluation);
  m_evaluation = evaluation;
  placeEvaluations();
}

void ArmData::placeEvaluations() {
  for (; m_placed < m_evaluations.size() && m_evaluations[m_placed].step <= m_counters.attempted; ++m_placed) {
    const record::Evaluation& evaluation = m_evaluations[m_placed];
    if (!evaluation.value) continue;
    const Positions& steps = m_positions;
    const auto step = static_cast<double>(evaluation.step);
    const std::size_t index = steps[0]->lower(step, 0, steps[0]->size());
    m_quality.values->append(*evaluation.value);
    for (std::size_t axis = 0; axis < kXAxes; ++axis) {
      m_quality.own[axis]->append(evaluation.step == 0 ? 0.0
                                                       : steps[axis]->at(std::min(index, steps[axis]->size() - 1)));
    }
  }
}

bool ArmData::truncateAfter(qint64 step) {
  if (m_counters.attempted <= step) return false;
  ++m_cuts;
  const Positions positions = m_positions;
  const std::array<Curve, kQuantities> curves = m_curves;
  makeColumns();
  const auto limit = static_cast<double>(step);
  const auto keptOf = [&](const Positions& of) { return of[0]->upper(limit, 0, of[0]->size()); };
  const std::size_t kept = keptOf(positions);
  for (std::size_t axis = 0; axis < kXAxes; ++axis) {
    for (std::size_t i = 0; i < kept; ++i) m_positions[axis]->append(positions[axis]->at(i));
  }
  for (std::size_t quantity = 0; quantity < kQuantities; ++quantity) {
    const Curve& old = curves[quantity];
    Curve& curve = m_curves[quantity];
    const bool isKept = m_kept.test(quantity);
    const std::size_t values = !isKept ? 0 : old.own[0] ? keptOf(old.own) : kept;
    if (old.own[0] || !isKept) {
      makePositions(curve.own);
      curve.values->setPositions(curve.own[at(axisOf(static_cast<Quantity>(quantity)))]);
      for (std::size_t axis = 0; axis < kXAxes; ++axis) {
        for (std::size_t i = 0; i < values; ++i) curve.own[axis]->append(old.own[axis]->at(i));
      }
    }
    for (std::size_t i = 0; i < values; ++i) curve.values->append(old.values->y(i));
  }
  const auto isAfter = [step](const auto& it) { return it.step > step; };
  m_skips.erase(std::remove_if(m_skips.begin(), m_skips.end(), isAfter), m_skips.end());
  m_evaluations.erase(std::remove_if(m_evaluations.begin(), m_evaluations.end(), isAfter), m_evaluations.end());
  m_evaluation = m_evaluations.empty() ? std::nullopt : std::optional(m_evaluations.back());
  countAnew();
  placeEvaluations();
  for (auto& [quantity, waiting] : m_waiting) {
    makePositions(waiting.curve.own);
    waiting.curve.values = std::make_shared<plot::SeriesData>(waiting.curve.own[0]);
    waiting.from = m_counters.attempted;
  }
  return true;
}

/// From what the curves hold.
void ArmData::countAnew() {
  const auto newest = [this](Quantity quantity) -> std::optional<double> {
    const auto data = series(quantity);
    if (data->empty()) return std::nullopt;
    return data->y(data->size() - 1);
  };
  m_causes = {};
  for (const Skip& skip : m_skips) ++m_causes[static_cast<std::size_t>(skip.cause)];
  m_means = {};
  for (std::size_t i = 0; i < kQuantities; ++i) {
    if (!isYardstick()) break;
    const plot::SeriesData& values = *m_curves[i].values;
    for (std::size_t k = 0; k < values.size(); ++k) m_means[i].add(std::abs(values.y(k)));
  }
  findGrowth();
  countGradients();
  m_counters = {};
  m_samples = 0;
  m_counters.skipped = static_cast<qint64>(m_skips.size());
  if (m_positions[0]->size() == 0) return;
  m_counters.attempted = std::llround(m_positions[at(XAxis::Step)]->last());
  m_counters.iterations = m_counters.attempted;
  m_counters.applied = std::llround(m_positions[at(XAxis::AppliedUpdate)]->last());
  m_samples = std::llround(m_positions[at(XAxis::Samples)]->last());
  m_counters.loss = newest(Quantity::Loss);
  m_counters.scale = newest(Quantity::Scale);
  m_counters.deviation = valueAt(kMainDeviation, m_counters.attempted);
  m_counters.seconds = m_positions[at(XAxis::Seconds)]->last();
}

/// From the scales that the steps used: a larger one than the step before was left by that step.
void ArmData::findGrowth() {
  m_grewAt.reset();
  const plot::SeriesData& scales = *m_curves[at(Quantity::Scale)].values;
  const plot::PositionColumn& steps = *positionsOf(m_curves[at(Quantity::Scale)])[at(XAxis::Step)];
  for (std::size_t i = scales.size(); i > 1 && !m_grewAt; --i) {
    if (scales.y(i - 1) > scales.y(i - 2)) m_grewAt = std::llround(steps.at(i - 2));
  }
}

void ArmData::countGradients() {
  m_gradients = {};
  const Curve& curve = m_curves[at(Quantity::GradientNorm)];
  const plot::PositionColumn& steps = *positionsOf(curve)[at(XAxis::Step)];
  for (std::size_t i = 0; i < curve.values->size(); ++i) {
    m_gradients.take(std::llround(steps.at(i)), curve.values->y(i));
  }
}

std::shared_ptr<const plot::SeriesData> ArmData::series(Quantity quantity) const {
  return m_curves[at(quantity)].values;
}

void ArmData::setAxis(XAxis axis) {
  m_axis = axis;
  for (std::size_t i = 0; i < kQuantities; ++i) {
    m_curves[i].values->setPositions(positionsOf(m_curves[i])[at(axisOf(static_cast<Quantity>(i)))]);
  }
  m_quality.values->setPositions(m_quality.own[at(axis)]);
}

qint64 ArmData::firstNonFinite(Quantity quantity) const {
  const Curve& curve = m_curves[at(quantity)];
  if (curve.values->nonFinite().empty()) return 0;
  return std::llround(positionsOf(curve)[at(XAxis::Step)]->at(curve.values->nonFinite().front().first));
}

qint64 ArmData::nonFinite(Quantity quantity) const {
  qint64 count = 0;
  for (const plot::NonFiniteRun& run : m_curves[at(quantity)].values->nonFinite()) {
    count += static_cast<qint64>(run.count);
  }
  return count;
}

std::optional<double> ArmData::finiteMean(Quantity quantity) const {
  const plot::SeriesData& values = *m_curves[at(quantity)].values;
  judge::StepMean mean;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values.y(i))) mean.add(values.y(i));
  }
  return mean.value();
}

std::optional<double> ArmData::valueAt(Quantity quantity, qint64 step) const {
  const Curve& curve = m_curves[at(quantity)];
  const plot::PositionColumn& steps = *positionsOf(curve)[at(XAxis::Step)];
  const std::size_t index = steps.lower(static_cast<double>(step), 0, curve.values->size());
  if (index == curve.values->size() || std::llround(steps.at(index)) != step) return std::nullopt;
  return curve.values->y(index);
}

std::optional<RecentMean> ArmData::recentMean(Quantity quantity, std::size_t back) const {
  const auto data = series(quantity);
  if (data->size() <= back) return std::nullopt;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = data->size() - back; i > 0 && data->size() - back - i < kMeanOf; --i) {
    if (!std::isfinite(data->y(i - 1))) continue;
    sum += data->y(i - 1);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return RecentMean{sum / static_cast<double>(count), count};
}

}  // namespace mantissa::ui::run
