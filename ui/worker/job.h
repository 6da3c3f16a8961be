// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include <QMetaType>
#include <QString>

#include "core/archive/step_feed.h"
#include "core/base/error.h"
#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "core/session/resume.h"
#include "core/session/run.h"
#include "core/spec/experiment.h"

namespace mantissa::ui::worker {

/// Names a job of a controller; never used twice. 0: none.
using JobId = quint64;

/// What the engine is to do, with every setting as it was when it was asked for: nothing is read from the window later.
struct Job {
  struct Run {
    spec::Experiment experiment;
    session::RunOptions options;
  };
  struct Resume {
    session::ResumeOptions options;
  };

  QString title;  ///< for the queue and the status bar
  std::variant<Run, Resume> work;
};

/// A job that waits for its turn.
struct WaitingJob {
  JobId id = 0;
  QString title;
};

/// Why a job ended without a result.
struct JobFailure {
  QString sentence;               ///< for people, complete
  std::optional<ErrorKind> kind;  ///< nothing: no error that was expected
  ErrorFacts facts;               ///< of an expected error; of any other, all of its words as the problem
};

/// Steps that came since they were last taken. Those of an arm rise; where one is not above the arm's last, the run was
/// resumed before it: what the window holds of the arm from that step on is gone.
struct StepBatch {
  JobId job = 0;                                     ///< 0: of an archive that is followed
  std::vector<mantissa::archive::StepChunk> chunks;  ///< oldest first; each record names its arm
  qint64 missed = 0;  ///< records before the first of them that the window was too late for: the archive has them
};

/// Where the current job of a controller stands.
enum class JobState {
  Idle,      ///< there is none
  Starting,  ///< preparing: no step has been made
  Running,
  Paused,    ///< between two steps
  Stopping,  ///< asked to stop, and not yet at its end
};

}  // namespace mantissa::ui::worker

Q_DECLARE_METATYPE(mantissa::ui::worker::JobState)
Q_DECLARE_METATYPE(mantissa::ui::worker::JobFailure)
Q_DECLARE_METATYPE(mantissa::session::Progress)
Q_DECLARE_METATYPE(mantissa::record::TrialRow)
Q_DECLARE_METATYPE(mantissa::record::RunSummary)
Q_DECLARE_METATYPE(mantissa::record::Evaluation)
