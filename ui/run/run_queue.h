// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <map>
#include <memory>

#include "core/spec/experiment.h"
#include "ui/worker/training_controller.h"

namespace mantissa::ui::run {

/// A run that this window makes or goes on with.
struct OwnRun {
  std::shared_ptr<const spec::Experiment> experiment;  ///< null where the archive did not give it
  QString archive;
  std::int64_t resumes = 0;  ///< id of the experiment in the archive that it goes on with; 0: a new one
};

/// What this window runs, one after another: new experiments, and resumptions of those in an archive. Window's thread.
class RunQueue : public QObject {
  Q_OBJECT

 public:
  /// \param controller  must outlive it
  explicit RunQueue(worker::TrainingController* controller, QObject* parent = nullptr);

  /// Begins a run: nothing is at work, and what is held goes on waiting.
  void runNow(std::shared_ptr<const spec::Experiment> experiment, const QString& archive);
  /// Puts a run at the end of the queue.
  void run(std::shared_ptr<const spec::Experiment> experiment, const QString& archive);
  /// \param trial  id of any arm of the run that goes on. \param experiment  null: unknown. \param name  for people
  void resume(const QString& archive, std::int64_t trial, std::int64_t experimentId,
              std::shared_ptr<const spec::Experiment> experiment, const QString& name);

  /// Finds out what a run would be; the controller's `lookedAhead` tells.
  void lookAhead(const spec::Experiment& experiment, const QString& archive);

  /// The run at work; null: none.
  const OwnRun* current() const;
  /// One that waits or is at work; null: the job is none of these.
  const OwnRun* run(worker::JobId job) const;
  /// Whether a run of this experiment of this archive waits or is at work.
  bool resumes(const QString& archive, std::int64_t experimentId) const;

 Q_SIGNALS:
  /// What `run` gives has one more.
  void added();

 private:
  enum class Place { Front, End };
  void add(worker::Job job, OwnRun run, Place place);

  worker::TrainingController* m_controller;
  std::map<worker::JobId, OwnRun> m_runs;  // of jobs that wait or are at work
};

}  // namespace mantissa::ui::run
