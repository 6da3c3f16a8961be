// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/session/run.h"
#include "ui/worker/job.h"
#include "ui/worker/training_controller.h"

namespace mantissa::ui::worker {

/// Turns what a run tells on the engine's thread into signals of its controller.
class TrainingController::JobObserver : public session::Observer {
 public:
  JobObserver(TrainingController& controller, JobId job) : m_controller(controller), m_job(job) {}

  void on_note(const std::string& sentence) override;
  void on_progress(const session::Progress& progress) override;
  void on_phase(const std::string& phase) override;
  void on_arms(const std::vector<record::TrialRow>& arms) override;
  void on_evaluation(const record::Evaluation& evaluation) override;
  void on_checkpoint(std::int64_t step) override;
  void on_arm_end(const record::TrialRow& arm) override;
  void on_waiting(bool waits) override;
  void on_state(session::RunState state) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// Calls it on the window's thread, unless the job is not heard of any more by then.
  void tell(std::function<void(TrainingController&)> call);
  void tellHeldProgress();

  TrainingController& m_controller;
  JobId m_job;
  std::optional<session::Progress> m_held;  // the newest one, not told because the last was told a moment ago
  std::optional<Clock::time_point> m_told;
  bool m_paused = false;  // steps come one by one, and each is looked at
};

}  // namespace mantissa::ui::worker
