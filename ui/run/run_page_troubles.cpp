// SPDX-License-Identifier: GPL-3.0-or-later
// What holds a run up, breaks it off, or keeps the window from closing.
#include <spdlog/spdlog.h>

#include <chrono>

#include <QLocale>

#include "core/archive/late_writers.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/report/plain_words.h"
#include "ui/models/error_words.h"
#include "ui/models/record_words.h"
#include "ui/run/run_page.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::run {
namespace {

constexpr int kLongestSilence = 20;  // seconds: so long a window that closes waits for a sign of the engine's life
constexpr std::chrono::seconds kLookAheadPatience{2};  // nothing is lost with what it has found

}  // namespace

/// What is at work does not come back from LibTorch, which nothing interrupts.
void RunPage::tellHeldUp(int seconds) {
  m_isHeldUp = true;
  const QString since = QLocale().toString(seconds);
  QString sentence;
  if (m_controller->waitsForLookAhead()) {
    sentence =
        tr("The trial steps of the pre-flight have not come back for %1 s, and LibTorch cannot be interrupted within "
           "one. The run waits for them. Stop takes it out of the queue; closing the window ends the trial steps, and "
           "nothing is lost.")
            .arg(since);
  } else {
    const QString step = models::figure(report::count_words(m_shown->steps()));
    sentence = tr("The step that is running has not come back for %1 s, and LibTorch cannot be interrupted within one. "
                  "The run ends when it does. Closing the window ends the process without it; everything up to step %2 "
                  "is in the archive.")
                   .arg(since, step);
  }
  spdlog::warn("{}", sentence.toStdString());
  m_strips->show(shell::MessageStrip::Kind::Warning, sentence, QString::fromLatin1(kHeldUpTopic));
  if (m_finishes && seconds >= kLongestSilence) giveUpWork();
}

void RunPage::giveUpWork() {
  m_isGivenUp = true;
  QMetaObject::invokeMethod(this, &RunPage::workEnded, Qt::QueuedConnection);
}

/// A run that ended because its archive could not be written has no end there.
void RunPage::tellBrokenRun(const worker::JobFailure& failure) {
  if (m_ownData.shown().empty()) return;  // it had not begun
  m_brokenWords = tr("stopped: %1").arg(tr("the archive could not be written"));
  m_brokenKind = failure.kind;
  m_lateWriters.start();
}

/// Waits until there is space again, or nobody holds the archive: then it has the run's last steps, and how it ended.
void RunPage::lookAtLateWriters() {
  if (mantissa::archive::writers_that_wait() > 0) return;
  m_lateWriters.stop();
  Q_EMIT archiveChanged(m_own.archive);
  const bool isThere = m_brokenKind == ErrorKind::DiskFull || m_brokenKind == ErrorKind::ArchiveLocked;
  if (isThere && m_view == View::OwnRun && m_own.archive == m_archive) follow(m_ownData.experiment());
}

bool RunPage::isBusy() const {
  return !m_isGivenUp && (m_controller->state() != worker::JobState::Idle || startsSoon());
}

bool RunPage::letsGo() {
  const std::chrono::seconds patience = m_isGivenUp ? std::chrono::seconds(0) : kLookAheadPatience;
  if (m_controller->endWithin(patience)) return true;
  if (m_controller->currentJob() == 0) return false;
  spdlog::warn("the window ends in the midst of a step: the run is interrupted");
  try {
    mantissa::archive::interrupt_arms_of_this_process(m_own.archive.toStdString());
  } catch (const Error& error) {
    spdlog::warn("{}", models::errorText(error).toStdString());  // the next process that opens it does it
  }
  return false;
}

void RunPage::finishWork() {
  if (m_finishes && m_isHeldUp) return giveUpWork();
  m_finishes = true;
  m_controller->clearWaiting();
  m_controller->stop();
  // Between two runs nothing is left that would tell of its end.
  if (!isBusy()) QMetaObject::invokeMethod(this, &RunPage::workEnded, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::run
