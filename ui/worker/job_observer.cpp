// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/job_observer.h"

#include <utility>

#include "ui/worker/mailbox.h"

namespace mantissa::ui::worker {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};

JobState stateOf(session::RunState state) {
  switch (state) {
    case session::RunState::Running:
      return JobState::Running;
    case session::RunState::Paused:
      return JobState::Paused;
    case session::RunState::Stopping:
      break;
  }
  return JobState::Stopping;
}

}  // namespace

void TrainingController::JobObserver::tell(std::function<void(TrainingController&)> call) {
  m_controller.m_mailbox->post([&controller = m_controller, job = m_job, call = std::move(call)] {
    controller.engineLives();
    if (controller.isHeard(job)) call(controller);
  });
}

void TrainingController::JobObserver::tellHeldProgress() {
  if (!m_held) return;
  m_told = Clock::now();
  tell([job = m_job, progress = *std::exchange(m_held, std::nullopt)](TrainingController& controller) {
    Q_EMIT controller.progressed(job, progress);
  });
}

void TrainingController::JobObserver::on_progress(const session::Progress& progress) {
  m_held = progress;
  if (m_paused || !m_told || Clock::now() - *m_told >= kProgressInterval) tellHeldProgress();
}

void TrainingController::JobObserver::on_note(const std::string& sentence) {
  tell([job = m_job, text = QString::fromStdString(sentence)](TrainingController& controller) {
    Q_EMIT controller.noteArrived(job, text);
  });
}

void TrainingController::JobObserver::on_phase(const std::string& phase) {
  tellHeldProgress();
  tell([job = m_job, text = QString::fromStdString(phase)](TrainingController& controller) {
    Q_EMIT controller.phaseBegan(job, text);
  });
}

void TrainingController::JobObserver::on_arms(const std::vector<record::TrialRow>& arms) {
  tell([job = m_job, arms](TrainingController& controller) { Q_EMIT controller.armsOpened(job, arms); });
}

void TrainingController::JobObserver::on_evaluation(const record::Evaluation& evaluation) {
  tell([job = m_job, evaluation](TrainingController& controller) { Q_EMIT controller.armEvaluated(job, evaluation); });
}

void TrainingController::JobObserver::on_checkpoint(std::int64_t step) {
  tell([job = m_job, step](TrainingController& controller) { Q_EMIT controller.checkpointReached(job, step); });
}

void TrainingController::JobObserver::on_arm_end(const record::TrialRow& arm) {
  tellHeldProgress();
  tell([job = m_job, arm](TrainingController& controller) { Q_EMIT controller.armEnded(job, arm); });
}

void TrainingController::JobObserver::on_waiting(bool waits) {
  tell([job = m_job, waits](TrainingController& controller) { Q_EMIT controller.waitsForArchive(job, waits); });
}

void TrainingController::JobObserver::on_state(session::RunState state) {
  tellHeldProgress();  // the numbers of the step at which it came to stand still
  m_paused = state == session::RunState::Paused;
  tell([state](TrainingController& controller) { controller.engineIs(stateOf(state)); });
}

}  // namespace mantissa::ui::worker
