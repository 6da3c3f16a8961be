// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/archive_follower.h"

#include <utility>

#include "ui/worker/archive_poll.h"
#include "ui/worker/mailbox.h"

namespace mantissa::ui::worker {

ArchiveFollower::ArchiveFollower(const QString& archive, qint64 experiment, QObject* parent)
    : QObject(parent), m_mailbox(std::make_unique<Mailbox>()) {
  // Each runs on the thread of the poll and has the signal sent on ours.
  ArchivePoll::Calls calls;
  Mailbox& mailbox = *m_mailbox;
  calls.experimentFound = [this, &mailbox](std::int64_t found) {
    mailbox.post([this, found] { Q_EMIT experimentFound(found); });
  };
  calls.armsFound = [this, &mailbox](std::vector<record::TrialRow> arms) {
    mailbox.post([this, arms = std::move(arms)] { Q_EMIT armsFound(arms); });
  };
  calls.armEnded = [this, &mailbox](record::TrialRow arm) {
    mailbox.post([this, arm = std::move(arm)] { Q_EMIT armEnded(arm); });
  };
  calls.armResumed = [this, &mailbox](record::TrialRow arm, std::int64_t step) {
    mailbox.post([this, arm = std::move(arm), step] { Q_EMIT armResumed(arm, step); });
  };
  calls.armEvaluated = [this, &mailbox](record::Evaluation evaluation) {
    mailbox.post([this, evaluation = std::move(evaluation)] { Q_EMIT armEvaluated(evaluation); });
  };
  calls.checkpointReached = [this, &mailbox](std::int64_t step) {
    mailbox.post([this, step] { Q_EMIT checkpointReached(step); });
  };
  calls.archiveReplaced = [this, &mailbox] {
    mailbox.post([this] {
      m_poll->goOn();
      Q_EMIT archiveReplaced();
    });
  };
  calls.problemArose = [this, &mailbox](const std::string& sentence) {
    mailbox.post([this, text = QString::fromStdString(sentence)] { Q_EMIT problemArose(text); });
  };
  calls.problemSolved = [this, &mailbox] { mailbox.post([this] { Q_EMIT problemSolved(); }); };
  m_poll = std::make_unique<ArchivePoll>(archive.toStdString(), experiment, std::move(calls));
}

ArchiveFollower::~ArchiveFollower() = default;

std::vector<StepBatch> ArchiveFollower::takeSteps() {
  std::vector<archive::StepChunk> chunks = m_poll->take();
  if (chunks.empty()) return {};
  std::vector<StepBatch> batches(1);
  batches.front().chunks = std::move(chunks);
  return batches;
}

}  // namespace mantissa::ui::worker
