// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/look_ahead_teller.h"

#include <chrono>
#include <utility>

#include "ui/run/preflight_panel.h"

namespace mantissa::ui::run {

using worker::TrainingController;

LookAheadTeller::LookAheadTeller(TrainingController* controller, PreflightPanel* panel, QObject* parent)
    : QObject(parent), m_controller(controller), m_panel(panel) {
  m_clock.setInterval(std::chrono::seconds(1));
  connect(&m_clock, &QTimer::timeout, this, &LookAheadTeller::tell);
  connect(controller, &TrainingController::lookAheadReached, this, &LookAheadTeller::begin);
  connect(controller, &TrainingController::queueChanged, this, &LookAheadTeller::tell);
  connect(panel, &PreflightPanel::cancelRequested, this, &LookAheadTeller::cancel);
}

void LookAheadTeller::begin(const QString& arm) {
  m_arm = arm;
  m_since.start();
  m_clock.start();  // quick steps are not told one by one
}

void LookAheadTeller::tell() {
  if (!m_controller->looksAhead()) return m_clock.stop();
  const auto seconds = static_cast<int>(m_since.elapsed() / 1000);
  const bool waits = m_controller->waitsForLookAhead();
  const bool wasGivenUp = std::exchange(m_runWaited, waits) && !waits;
  if (waits) {
    m_panel->showRunWaiting(m_arm, seconds);
  } else if (wasGivenUp) {
    m_panel->showCancelled();
  } else if (m_panel->isWaiting()) {
    m_panel->showWaiting(m_arm, seconds);
  }
}

void LookAheadTeller::cancel() {
  m_controller->cancelLookAhead();
  m_panel->showCancelled();
}

}  // namespace mantissa::ui::run
