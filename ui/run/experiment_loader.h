// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/spec/experiment.h"

namespace mantissa::ui::run {

/// What an archive says of an experiment.
struct ArchivedExperiment {
  std::shared_ptr<const spec::Experiment> experiment;  ///< null where the archive does not give it (any more)
  std::optional<qint64> lastCheckpoint;                ///< the step that a run of it can go on from
};

/// Reads the experiment behind an archive's arms on a thread of its own: what was run, for the summary. Answers arrive
/// on the window's thread; what a newer call has made obsolete is dropped.
class ExperimentLoader : public QObject {
  Q_OBJECT

 public:
  explicit ExperimentLoader(QObject* parent = nullptr);
  /// Waits for a read that is going on.
  ~ExperimentLoader() override;

  /// \param reference  the arm whose checkpoints are all arms'
  void load(const QString& archive, std::int64_t experiment, std::int64_t reference);
  void cancel() { ++m_job; }

 Q_SIGNALS:
  /// Its arms are shown whatever is missing here.
  void loaded(std::int64_t experiment, const mantissa::ui::run::ArchivedExperiment& what);

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::uint64_t m_job = 0;
};

}  // namespace mantissa::ui::run
