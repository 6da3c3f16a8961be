// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_data.h"

#include <QCoreApplication>

#include <algorithm>
#include <new>

namespace mantissa::ui::run {
namespace {

constexpr std::size_t kMostEarly = 100'000;

}  // namespace

void RunData::setArms(const std::vector<record::TrialRow>& arms) {
  for (const record::TrialRow& row : arms) {
    if (ArmData* const known = arm(row.id)) {
      known->setArm(row);
      continue;
    }
    m_arms.push_back(std::make_unique<ArmData>(row, m_axis, m_kept));
    ++m_revision;
  }
  std::sort(m_arms.begin(), m_arms.end(),
            [](const auto& left, const auto& right) { return left->arm().id < right->arm().id; });
  const std::vector<record::StepRecord> early = std::move(m_early);
  m_early.clear();
  for (const record::StepRecord& step : early) takeWhereMemorySuffices(step);
}

void RunData::clear() {
  m_arms.clear();
  m_early.clear();
  m_missed = 0;
  m_isFull = false;
  ++m_revision;
}

bool RunData::take(const std::vector<worker::StepBatch>& batches) {
  bool isNew = false;
  for (const worker::StepBatch& batch : batches) {
    m_missed += batch.missed;
    for (const archive::StepChunk& chunk : batch.chunks) {
      for (const record::StepRecord& step : *chunk) isNew = takeWhereMemorySuffices(step) || isNew;
    }
  }
  return isNew;
}

/// What a step that did not find room has left in some columns is never read: a series ends with its shorter column.
bool RunData::takeWhereMemorySuffices(const record::StepRecord& step) {
  if (m_isFull) {
    ++m_missed;
    return false;
  }
  try {
    return takeOne(step);
  } catch (const std::bad_alloc&) {
    m_isFull = true;
    m_early = {};
    ++m_missed;
    return true;
  }
}

bool RunData::takeOne(const record::StepRecord& step) {
  ArmData* const found = arm(step.trial);
  if (found == nullptr) {
    if (m_early.size() < kMostEarly) {
      m_early.push_back(step);
    } else {
      ++m_missed;
    }
    return false;
  }
  if (found->take(step)) ++m_revision;
  return true;
}

ArmData* RunData::arm(std::int64_t id) const {
  for (const auto& arm : m_arms) {
    if (arm->arm().id == id) return arm.get();
  }
  return nullptr;
}

std::vector<const ArmData*> RunData::shown() const {
  std::vector<const ArmData*> arms;
  for (const auto& arm : m_arms) {
    if (!record::is_yardstick(arm->arm().start.kind)) arms.push_back(arm.get());
  }
  return arms;
}

bool RunData::takeEvaluation(const record::Evaluation& evaluation) {
  ArmData* const found = arm(evaluation.trial);
  if (found != nullptr) found->takeEvaluation(evaluation);
  return found != nullptr;
}

qint64 RunData::stepAt(XAxis axis, double x) const {
  for (const ArmData* const arm : shown()) {
    if (const qint64 step = arm->stepAt(axis, x); step > 0) return step;
  }
  return 0;
}

std::optional<Yardstick> RunData::yardstick(Quantity quantity) const {
  const bool trajectory = comparisonOf(quantity) == Comparison::Trajectory;
  std::vector<judge::StepMean> means;
  for (const auto& arm : m_arms) {
    if (arm->arm().start.kind != (trajectory ? record::TrialKind::Repeat : record::TrialKind::Rounding)) continue;
    if (arm->stepMean(quantity).count > 0) means.push_back(arm->stepMean(quantity));
  }
  const std::optional<double> size = judge::largest_mean(means);
  if (!size) return std::nullopt;
  return Yardstick{*size, static_cast<int>(means.size())};
}

void RunData::keep(const Quantities& wanted) {
  const Quantities kept = wanted | alwaysKept();
  if (kept == m_kept) return;
  m_kept = kept;
  for (const auto& arm : m_arms) arm->keep(kept);
  ++m_revision;
}

std::vector<PastRequest> RunData::missing() const {
  std::vector<PastRequest> requests;
  for (const auto& arm : m_arms) {
    if (const std::optional<PastRequest> request = arm->missing()) requests.push_back(*request);
  }
  return requests;
}

bool RunData::isMissing(Quantity quantity) const {
  return std::any_of(m_arms.begin(), m_arms.end(), [quantity](const auto& arm) { return arm->isMissing(quantity); });
}

bool RunData::fill(const std::vector<Past>& pasts) {
  for (const Past& past : pasts) {
    if (ArmData* const found = arm(past.arm)) found->fill(past);
  }
  ++m_revision;
  return missing().empty();
}

void RunData::goOnWithoutPast() {
  for (const auto& arm : m_arms) arm->goOnWithoutPast();
  ++m_revision;
}

void RunData::setAxis(XAxis axis) {
  if (axis == m_axis) return;
  m_axis = axis;
  for (const auto& arm : m_arms) arm->setAxis(axis);
  ++m_revision;
}

void RunData::truncate(std::int64_t id, qint64 step) {
  ArmData* const found = arm(id);
  if (found != nullptr && found->truncateAfter(step)) ++m_revision;
}

qint64 RunData::steps() const {
  qint64 most = 0;
  for (const auto& arm : m_arms) most = std::max(most, arm->counters().attempted);
  return most;
}

QString RunData::optimizerName(std::size_t index) const {
  const QString name = QCoreApplication::translate("RunData", "optimizer %1").arg(index);
  if (index >= m_optimizerKinds.size()) return name;
  return QCoreApplication::translate("RunData", "%1 (%2)").arg(name, m_optimizerKinds[index]);
}

std::int64_t RunData::experiment() const { return m_arms.empty() ? 0 : m_arms.front()->arm().experiment_id; }

}  // namespace mantissa::ui::run
