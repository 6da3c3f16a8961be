// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/trial_list.h"

#include <QFileInfo>

#include <algorithm>

#include "ui/models/name_words.h"
#include "ui/models/record_words.h"

namespace mantissa::ui::models {

int placeOf(const record::TrialRow& arm, const std::vector<record::TrialRow>& arms) {
  if (record::is_yardstick(arm.start.kind)) return kYardstickPlace;
  if (arm.start.kind != record::TrialKind::Trial && arm.start.kind != record::TrialKind::Foreign) return 0;
  int place = 0;
  for (const record::TrialRow& other : arms) {
    if (other.experiment_id != arm.experiment_id || other.id > arm.id) continue;
    if (other.start.kind == record::TrialKind::Trial || other.start.kind == record::TrialKind::Foreign) ++place;
  }
  return place;
}

QString experimentTitle(const QString& name, std::int64_t id, bool isOneOfSeveral) {
  return isOneOfSeveral ? QStringLiteral("%1 · #%2").arg(isolated(name), QString::number(id)) : name;
}

QString experimentTitle(const QString& name, std::int64_t id, const TrialList& trials) {
  const std::string same = name.toStdString();
  const bool isOneOfSeveral =
      id != 0 && trials && std::any_of(trials->begin(), trials->end(), [&](const record::TrialRow& arm) {
        return arm.experiment_id != id && arm.experiment == same;
      });
  return experimentTitle(name, id, isOneOfSeveral);
}

QString experimentTitle(const record::TrialRow& arm, const TrialList& trials) {
  return experimentTitle(QString::fromStdString(arm.experiment), arm.experiment_id, trials);
}

QDateTime startOf(const record::TrialRow& arm) {
  return QDateTime::fromString(QString::fromStdString(arm.started_at), Qt::ISODate).toLocalTime();
}

QString stateWords(const record::TrialRow& arm) {
  if (arm.end.verdict) return verdictText(arm.end.verdict->word);
  const QString word = statusText(arm.end.status);
  const QString why = QString::fromStdString(arm.end.failure_text);
  const bool isShort = arm.end.status == record::Status::Failed && !why.isEmpty() && !why.endsWith(u'.');
  return isShort ? QStringLiteral("%1 (%2)").arg(word, why) : word;
}

namespace {

/// The first arm of the newest experiment that is so.
template <typename Question>
const record::TrialRow* newestArm(const TrialList& trials, Question isSo) {
  if (!trials || trials->empty()) return nullptr;
  const record::TrialRow& newest = *std::max_element(
      trials->begin(), trials->end(), [](const auto& a, const auto& b) { return a.experiment_id < b.experiment_id; });
  const auto found = std::find_if(trials->begin(), trials->end(), [&](const record::TrialRow& arm) {
    return arm.experiment_id == newest.experiment_id && isSo(arm);
  });
  return found != trials->end() ? &*found : nullptr;
}

}  // namespace

const record::TrialRow* interruptedArm(const TrialList& trials) {
  return newestArm(trials, [](const record::TrialRow& arm) { return arm.end.status == record::Status::Interrupted; });
}

const record::TrialRow* stoppedArm(const TrialList& trials) {
  return newestArm(trials, [](const record::TrialRow& arm) {
    return arm.end.status == record::Status::Stopped && arm.end.counts.attempted > 0;
  });
}

QString endKey(const QString& archive, const record::TrialRow& arm) {
  return QStringLiteral("%1#%2#%3")
      .arg(QFileInfo(archive).absoluteFilePath(), QString::number(arm.id), QString::number(arm.end.counts.attempted));
}

bool standAlike(const TrialList& one, const TrialList& other) {
  if (!one || !other) return one == other;
  return std::equal(one->begin(), one->end(), other->begin(), other->end(), [](const auto& a, const auto& b) {
    const auto word = [](const record::TrialRow& arm) {
      return arm.end.verdict ? std::optional(arm.end.verdict->word) : std::nullopt;
    };
    return a.id == b.id && a.started_at == b.started_at && a.end.status == b.end.status && word(a) == word(b);
  });
}

}  // namespace mantissa::ui::models
