// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ended_arms.h"

#include <algorithm>

namespace mantissa::ui::models {
namespace {

/// When the first arm of an experiment began; empty: the list has none.
std::string beginningOf(std::int64_t experiment, const std::vector<record::TrialRow>& arms) {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const record::TrialRow& arm) { return arm.experiment_id == experiment; });
  return found != arms.end() ? found->started_at : std::string();
}

bool isRunningIn(std::int64_t experiment, const record::TrialRow& arm) {
  return arm.experiment_id == experiment && arm.end.status == record::Status::Running;
}

}  // namespace

void EndedArms::end(const QString& archive, std::int64_t experiment, const QString& why) {
  forget(archive, experiment);
  m_ended.push_back({archive, experiment, why, {}});
}

void EndedArms::forget(const QString& archive, std::int64_t experiment) {
  const auto isIt = [&](const Ended& one) { return one.archive == archive && one.experiment == experiment; };
  m_ended.erase(std::remove_if(m_ended.begin(), m_ended.end(), isIt), m_ended.end());
}

TrialList EndedArms::take(const QString& archive, const TrialList& read) {
  if (!read) return read;
  const auto isOver = [&](const Ended& one) {
    if (one.archive != archive) return false;
    const bool isAnother = !one.began.empty() && beginningOf(one.experiment, *read) != one.began;
    return isAnother ||
           std::none_of(read->begin(), read->end(), [&](const auto& arm) { return isRunningIn(one.experiment, arm); });
  };
  m_ended.erase(std::remove_if(m_ended.begin(), m_ended.end(), isOver), m_ended.end());
  return applied(archive, read);
}

TrialList EndedArms::applied(const QString& archive, const TrialList& read) {
  if (!read) return read;
  std::shared_ptr<std::vector<record::TrialRow>> arms;
  for (Ended& one : m_ended) {
    if (one.archive != archive) continue;
    if (!arms) arms = std::make_shared<std::vector<record::TrialRow>>(*read);
    if (one.began.empty()) one.began = beginningOf(one.experiment, *arms);
    for (record::TrialRow& arm : *arms) {
      if (!isRunningIn(one.experiment, arm)) continue;
      arm.end.status = record::Status::Failed;
      arm.end.failure_text = one.why.toStdString();
    }
  }
  return arms ? arms : read;
}

}  // namespace mantissa::ui::models
