// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <QObject>
#include <QString>

#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "ui/worker/job.h"

namespace mantissa::ui::worker {

class ArchivePoll;
class Mailbox;

/// Follows a run that another process writes, as if it were ours: looks into its archive several times a second, for
/// reading only, on a thread of its own. Steps come in chunks as those of a controller do, whole history first.
///
/// Where the archive is locked, damaged, gone or replaced by another file, a sentence says so, and the follower goes on
/// looking. Nothing of it is ever written.
///
/// Lives on the window's thread; its signals arrive there. Destruction waits for one look into the archive at most.
class ArchiveFollower : public QObject {
  Q_OBJECT

 public:
  /// \param experiment  whose arms are followed, by the archive's id; 0: the newest with an arm that runs, now or later
  explicit ArchiveFollower(const QString& archive, qint64 experiment = 0, QObject* parent = nullptr);
  ~ArchiveFollower() override;

  /// Steps since the last call. Waits for nothing; nothing is ever missed: a window that is late is waited for.
  std::vector<StepBatch> takeSteps();

 Q_SIGNALS:
  void experimentFound(qint64 experiment);
  /// Arms that are new: all there are at first, then those that begin.
  void armsFound(const std::vector<mantissa::record::TrialRow>& arms);
  /// An arm has ended (finished, stopped, failed, or its process is gone), and all of its steps can be taken.
  void armEnded(const mantissa::record::TrialRow& arm);
  /// An arm that had ended goes on after `step`; what came after that step is gone.
  void armResumed(const mantissa::record::TrialRow& arm, qint64 step);
  void armEvaluated(const mantissa::record::Evaluation& evaluation);
  void checkpointReached(qint64 step);
  /// Another file stands in the archive's place: what was found and taken so far is void. Everything begins anew.
  void archiveReplaced();
  void problemArose(const QString& sentence);
  void problemSolved();

 private:
  std::unique_ptr<Mailbox> m_mailbox;
  std::unique_ptr<ArchivePoll> m_poll;  // last: its thread ends before the mailbox goes
};

}  // namespace mantissa::ui::worker
