// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ended_arms.h"

#include <algorithm>

namespace mantissa::ui::models {

void EndedArms::end(const QString& archive, std::int64_t experiment, const QString& why) {
  m_ended = Ended{archive, experiment, why};
}

bool EndedArms::isOfIt(const record::TrialRow& arm) const {
  return arm.experiment_id == m_ended->experiment && arm.end.status == record::Status::Running;
}

TrialList EndedArms::take(const QString& archive, const TrialList& read) {
  if (!m_ended || m_ended->archive != archive || !read) return read;
  if (std::none_of(read->begin(), read->end(), [this](const auto& arm) { return isOfIt(arm); })) m_ended.reset();
  return applied(archive, read);
}

TrialList EndedArms::applied(const QString& archive, const TrialList& read) const {
  if (!m_ended || m_ended->archive != archive || !read) return read;
  auto arms = std::make_shared<std::vector<record::TrialRow>>(*read);
  for (record::TrialRow& arm : *arms) {
    if (!isOfIt(arm)) continue;
    arm.end.status = record::Status::Failed;
    arm.end.failure_text = m_ended->why.toStdString();
  }
  return arms;
}

}  // namespace mantissa::ui::models
