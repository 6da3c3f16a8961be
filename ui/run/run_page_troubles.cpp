// SPDX-License-Identifier: GPL-3.0-or-later
// What holds a run up, breaks it off, or keeps the window from closing.
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

#include <QAction>
#include <QFileInfo>
#include <QStackedLayout>

#include "core/archive/file_size_limit.h"
#include "core/archive/late_writers.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/report/plain_words.h"
#include "ui/measured_text.h"
#include "ui/models/error_words.h"
#include "ui/models/record_words.h"
#include "ui/run/run_page.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::run {
namespace {

constexpr int kLongestSilence = 20;  // seconds: so long a window that closes waits for a sign of the engine's life
constexpr int kClosingMilliseconds = 1000;             // between two looks at how long it has taken
constexpr std::chrono::seconds kLookAheadPatience{2};  // nothing is lost with what it has found

QString sentenceCase(QString words) {
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words;
}

}  // namespace

/// What is at work does not come back from LibTorch, which nothing interrupts.
void RunPage::tellHeldUp(int seconds) {
  m_isHeldUp = true;
  if (m_finishes) {
    if (seconds >= kLongestSilence) giveUpWork();
    return;
  }
  // How long it has been is told, second by second, where the step or the pre-flight stands.
  QString sentence;
  m_waitTold = m_controller->waitsForLookAhead();
  if (m_waitTold) {
    sentence =
        tr("The trial steps of the pre-flight have not come back yet, and LibTorch cannot be interrupted within one. "
           "The run waits for them. Stop takes it out of the queue; closing the window ends the trial steps, and "
           "nothing is lost.");
  } else {
    const QString step = models::figure(report::count_words(m_shown->steps()));
    sentence = tr("The step that is running has not come back yet, and LibTorch cannot be interrupted within one. The "
                  "run ends when it does. Closing the window ends the process without it; everything up to step %1 "
                  "is in the archive.")
                   .arg(step);
  }
  spdlog::warn("{}", sentence.toStdString());
  m_strips->show(shell::MessageStrip::Kind::Warning, sentence, QString::fromLatin1(kHeldUpTopic));
}

/// How long the engine has been at a step, or at another thing that gives no sign; nothing where that is not long.
std::optional<int> RunPage::silentSeconds() const {
  const auto silence = m_controller->silence();
  if (!silence) return std::nullopt;
  const auto seconds = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(*silence).count());
  return seconds >= m_longSilence ? std::optional<int>(seconds) : std::nullopt;
}

/// Of what the window waits for: "A step has been running for 24 s".
QString RunPage::lastingWords(int seconds) const {
  const QString since = models::figure(report::count_words(seconds));
  return m_phase == QLatin1String(kTraining) ? tr("The step that is running has taken %1 s so far").arg(since)
                                             : tr("%1 has taken %2 s so far").arg(sentenceCase(m_phase), since);
}

/// No more is promised than is certain: nobody knows whether the step that is running will end.
QString RunPage::closingWords() const {
  const bool isInAStep = m_phase == QLatin1String(kTraining) && m_controller->state() != worker::JobState::Idle;
  const std::optional<int> silent = silentSeconds();
  if (!silent && !isInAStep) return {};
  if (!silent) {
    return tr("Stop the run and close the window? It waits up to %1 s for the present step, of which a checkpoint is "
              "made that the run can go on from. If it does not come to that, what was recorded up to step %2 stays in "
              "the archive, and the run can go on only from a checkpoint that it has made before.")
        .arg(wholeText(kLongestSilence), models::figure(report::count_words(stepReached())));
  }
  return tr("%1, and LibTorch cannot be interrupted within one. Close the window? It waits %2 s for the step and its "
            "checkpoint. If it does not end, the run ends without them: what was made up to step %3 is in the archive, "
            "and the run can go on only from a checkpoint that it has made before.")
      .arg(lastingWords(*silent), wholeText(kLongestSilence), models::figure(report::count_words(stepReached())));
}

/// What a window that closes waits for, and the way to wait no longer.
void RunPage::tellClosing() {
  const QString topic = QString::fromLatin1(kClosingTopic);
  const auto silence = m_controller->silence();
  const int seconds =
      silence ? static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(*silence).count()) : 0;
  const QString sentence =
      tr("The window closes when the run has ended: it waits for the present step and its checkpoint. %1. Without "
         "a sign of life within %2 s of closing, the window closes without them.")
          .arg(lastingWords(seconds), wholeText(kLongestSilence));
  for (shell::MessageStrip* const strip : m_strips->findChildren<shell::MessageStrip*>()) {
    if (strip->objectName() == topic) return strip->setSentence(sentence);
  }
  shell::MessageStrip* const strip = m_strips->show(shell::MessageStrip::Kind::Note, sentence, topic);
  strip->setObjectName(topic);
  auto* const end = new QAction(tr("Close now"), strip);
  end->setToolTip(tr("Ends the run without a checkpoint of its present step; what was recorded is in the archive"));
  connect(end, &QAction::triggered, this, &RunPage::giveUpWork);
  strip->addWayOut(end);
  m_stack->setCurrentIndex(0);
}

void RunPage::giveUpWork() {
  m_closing.stop();
  m_isGivenUp = true;
  QMetaObject::invokeMethod(this, &RunPage::workEnded, Qt::QueuedConnection);
}

/// A run that ended because its archive could not be written has no end there.
void RunPage::tellBrokenRun(const worker::JobFailure& failure) {
  const std::int64_t experiment = ownExperiment();
  if (experiment == 0) return;  // it had not begun
  if (!m_ownData.shown().empty()) m_brokenWords = tr("stopped: %1").arg(tr("the archive could not be written"));
  m_brokenKind = failure.kind;
  const bool mayPass = failure.kind == ErrorKind::DiskFull || failure.kind == ErrorKind::ArchiveLocked;
  m_brokenReason = mayPass ? failure.sentence : QString();
  m_lateWriters.start();
  QString why;
  if (mantissa::archive::is_file_size_limit(failure.facts)) {
    why = tr("file size limit");
  } else if (failure.kind == ErrorKind::DiskFull) {
    why = tr("no space left");
  } else if (failure.kind == ErrorKind::ArchiveLocked) {
    why = tr("archive locked");
  } else if (failure.kind == ErrorKind::WriteFailed || !QFileInfo::exists(m_own.archive)) {
    // Where another file has taken its place, a copy of it for instance, that one knows nothing of the end.
    why = tr("archive lost");
  }
  if (why.isEmpty()) return;  // it is there, and says itself what has become of the run
  m_brokenRuns.insert({m_own.archive, experiment});
  Q_EMIT runBroken(m_own.archive, experiment, why);
  if (experiment == m_followed && m_own.archive == m_archive) endFollowedArms(why);
}

/// The archive could be written again, and has the run up to its end: what stood in the way is told no longer.
void RunPage::forgetBrokenRun(std::int64_t experiment) {
  const std::int64_t own = ownExperiment();
  if (m_brokenReason.isEmpty() || experiment != own || m_own.archive != m_archive) return;
  if (!m_failures.forget(std::exchange(m_brokenReason, {}))) return;
  if (m_failures.isEmpty()) {
    m_strips->dismiss(QString::fromLatin1(kFailuresTopic));
    Q_EMIT failureTold({});
  } else {
    tellFailures();
  }
}

/// What was followed before this window broke it off runs no more.
void RunPage::endFollowedArms(const QString& why) {
  std::vector<record::TrialRow> arms;
  for (const auto& arm : m_archiveData.arms()) {
    if (arm->arm().end.status != record::Status::Running) continue;
    arms.push_back(arm->arm());
    arms.back().end.status = record::Status::Failed;
    arms.back().end.failure_text = why.toStdString();
  }
  m_archiveData.setArms(arms);
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
  m_strips->dismiss(QString::fromLatin1(kHeldUpTopic));
  if (isBusy()) {
    Q_EMIT frontWanted();
    tellClosing();
    m_closing.start(kClosingMilliseconds);
  }
  // Between two runs nothing is left that would tell of its end.
  if (!isBusy()) QMetaObject::invokeMethod(this, &RunPage::workEnded, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::run
