// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/archive/file_identity.h"
#include "core/archive/reader.h"
#include "core/archive/step_feed.h"
#include "core/record/checkpoint.h"
#include "core/record/trial.h"

namespace mantissa::ui::worker {

/// The thread behind an ArchiveFollower: looks again and again, keeps a cursor for every arm, and calls what it has
/// found. Calls come from the thread; each is an event of ArchiveFollower of that name.
class ArchivePoll {
 public:
  struct Calls {
    std::function<void(std::int64_t)> experimentFound;
    std::function<void(std::vector<record::TrialRow>)> armsFound;
    std::function<void(record::TrialRow)> armEnded;
    std::function<void(record::TrialRow, std::int64_t)> armResumed;
    std::function<void(record::Evaluation)> armEvaluated;
    std::function<void(std::int64_t)> checkpointReached;
    std::function<void()> archiveReplaced;  ///< `goOn` answers it; no step is given before
    std::function<void(std::string)> problemArose;
    std::function<void()> problemSolved;
  };

  ArchivePoll(std::string archive, std::int64_t experiment, Calls calls);
  ~ArchivePoll();  ///< joins
  ArchivePoll(const ArchivePoll&) = delete;
  ArchivePoll& operator=(const ArchivePoll&) = delete;

  // From any thread:
  std::vector<archive::StepChunk> take();
  void goOn();

 private:
  struct Arm {
    archive::Standing standing;
    std::int64_t cursor = 0;      // the last step given
    std::int64_t evaluated = 0;   // the step of the last evaluation told
    std::int64_t checkpoint = 0;  // and of the last checkpoint
    bool hasEnded = false;        // and its end was told
  };

  void work();
  void look();
  void openAgainWhereNeeded();
  void chooseExperiment(const std::vector<archive::Standing>& standings);
  void see(const std::vector<archive::Standing>& standings);
  void seeArm(const archive::Standing& standing, std::vector<record::TrialRow>& found);
  bool isAnotherArchive(const std::vector<archive::Standing>& standings) const;
  void beginAnew();
  void readAllSteps();
  bool readSteps(Arm& arm);
  void tellHistory(Arm& arm);
  void tellEnds();
  void tellProblem(const std::string& sentence);
  bool hasToQuit();
  bool waitForNextLook();

  const std::string m_archive;
  const std::int64_t m_wanted;  // experiment; 0: the newest that runs
  const Calls m_calls;

  // The thread's own:
  std::unique_ptr<archive::Reader> m_reader;
  std::optional<archive::FileIdentity> m_identity;  // of the file that was followed last
  std::int64_t m_experiment = 0;
  std::int64_t m_version = -1;
  std::map<std::int64_t, Arm> m_arms;  // of the experiment
  std::string m_problem;
  int m_looks = 0;
  bool m_history_due = false;  // something was committed since evaluations and checkpoints were told

  std::mutex m_mutex;
  std::condition_variable m_changed;
  // Guarded by m_mutex:
  std::vector<archive::StepChunk> m_chunks;
  std::size_t m_waiting = 0;  // records in the chunks
  bool m_answer_due = false;
  bool m_quit = false;

  std::thread m_thread;  // last: starts when everything above is there
};

}  // namespace mantissa::ui::worker
