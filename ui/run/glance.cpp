// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/glance.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/report/plain_words.h"
#include "ui/models/record_words.h"

namespace mantissa::ui::run {
namespace {

constexpr std::size_t kLearningBack = 200;  // steps
constexpr double kFlat = 0.01;              // a change of the loss below this share is none

QString say(const char* text) { return QCoreApplication::translate("Glance", text); }
QString count(qint64 value) { return QString::fromStdString(report::count_words(value)); }
QString number(double value) { return QString::fromStdString(report::number_words(value)); }
QString nameOf(const ArmData& arm) { return QString::fromStdString(arm.arm().start.name); }

bool isReference(const ArmData& arm) { return arm.arm().start.kind == record::TrialKind::Reference; }

/// Two significant digits, never as a power of ten: "3.1", "0.84", "120".
QString multiple(double value) {
  if (!std::isfinite(value)) return number(value);
  const int whole = value <= 0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
  return QString::number(value, 'f', std::clamp(2 - whole, 0, 4));
}

Statement finite(const RunData& data) {
  Statement statement{say("Finite"), {}, {}, Statement::State::Unknown};
  const ArmData* worst = nullptr;
  qint64 measured = 0;
  for (const ArmData* const arm : data.shown()) {
    measured += arm->counters().attempted;
    if (arm->nonFiniteLosses() > (worst == nullptr ? 0 : worst->nonFiniteLosses())) worst = arm;
  }
  if (measured == 0) return statement;
  if (worst == nullptr) {
    statement.state = Statement::State::Good;
    statement.answer = say("all losses finite");
    statement.detail = data.shown().size() == 1
                           ? say("%1 steps of one arm").arg(count(data.steps()))
                           : say("%1 steps, %2 arms").arg(count(data.steps())).arg(data.shown().size());
    return statement;
  }
  const qint64 losses = worst->nonFiniteLosses();
  statement.state = Statement::State::Bad;
  const QString step = count(worst->firstNonFiniteLoss());
  statement.answer = losses == 1 ? say("1 non-finite loss") : say("%1 non-finite losses").arg(count(losses));
  statement.detail = losses == 1 ? say("%1, at step %2").arg(nameOf(*worst), step)
                                 : say("%1, the first at step %2").arg(nameOf(*worst), step);
  return statement;
}

Statement skipping(const RunData& data) {
  Statement statement{say("Skipping"), {}, {}, Statement::State::Unknown};
  const ArmData* worst = nullptr;
  for (const ArmData* const arm : data.shown()) {
    if (worst == nullptr || arm->counters().skipped > worst->counters().skipped) worst = arm;
  }
  if (worst == nullptr || data.steps() == 0) return statement;
  const Counters& counters = worst->counters();
  statement.answer = models::skipText(counters.skipped, counters.attempted);
  statement.state = Statement::State::Good;
  if (counters.skipped == 0) {
    statement.detail = say("in every arm");
    return statement;
  }
  const Skip& last = worst->skips().back();
  statement.detail = say("%1, last at step %2: %3").arg(nameOf(*worst), count(last.step), causeWords(last.cause));
  // A scale that finds its level at the start, or probes a higher one, is doing its work.
  const bool ordinary = std::all_of(worst->skips().begin(), worst->skips().end(), [](const Skip& skip) {
    return skip.cause == record::SkipCause::Calibration || skip.cause == record::SkipCause::GrowthProbe;
  });
  const bool half = counters.skipped * 2 > counters.attempted;
  if (half) {
    statement.state = Statement::State::Bad;
  } else if (!ordinary) {
    statement.state = Statement::State::Warn;
  }
  return statement;
}

Statement deviating(const RunData& data) {
  Statement statement{say("Deviating"), {}, {}, Statement::State::Unknown};
  const std::optional<Yardstick> yardstick = data.yardstick(kMainDeviation);
  const double spread = yardstick && yardstick->isUsable() ? yardstick->size : 0;
  const ArmData* worst = nullptr;
  double largest = -1;
  for (const ArmData* const arm : data.shown()) {
    if (const std::optional<double> newest = arm->counters().deviation; newest && !std::isfinite(*newest)) {
      statement.answer = say("%1 by %2").arg(nameOf(*arm), number(*newest));
      statement.detail = say("the newest RMSE of outputs");
      statement.state = Statement::State::Bad;
      return statement;
    }
    const std::optional<double> mean = arm->recentMean(kMainDeviation);
    if (isReference(*arm) || !mean || *mean <= largest) continue;
    worst = arm;
    largest = *mean;
  }
  if (worst == nullptr) return statement;
  if (spread <= 0) {
    statement.state = Statement::State::Plain;
    statement.answer = say("%1 by %2").arg(nameOf(*worst), number(largest));
    statement.detail = say("RMSE over 50 steps; no yardstick");
    return statement;
  }
  statement.answer = say("%1 at %2 × spread").arg(nameOf(*worst), multiple(largest / spread));
  statement.detail =
      yardstick->repeats == 1
          ? say("RMSE %1; spread of one repeat %2").arg(number(largest), number(spread))
          : say("RMSE %1; spread of %2 repeats %3").arg(number(largest)).arg(yardstick->repeats).arg(number(spread));
  statement.state = largest > spread ? Statement::State::Warn : Statement::State::Good;
  return statement;
}

Statement learning(const RunData& data) {
  Statement statement{say("Learning"), {}, {}, Statement::State::Unknown};
  const ArmData* worst = nullptr;  // the arm whose loss falls least
  double worstChange = 0;
  double worstLoss = 0;
  std::size_t steps = 0;
  for (const ArmData* const arm : data.shown()) {
    if (const std::optional<double> newest = arm->counters().loss; newest && !std::isfinite(*newest)) {
      statement.answer = say("loss %1").arg(number(*newest));
      statement.detail = say("%1, at its last step").arg(nameOf(*arm));
      statement.state = Statement::State::Bad;
      return statement;
    }
    const std::size_t size = arm->series(Quantity::Loss)->size();
    const std::size_t back = std::min(kLearningBack, size / 2);
    const std::optional<double> now = arm->recentMean(Quantity::Loss);
    const std::optional<double> before = arm->recentMean(Quantity::Loss, back);
    if (!now || !before || back == 0 || *before == 0) continue;
    const double change = (*now - *before) / std::abs(*before);
    if (worst != nullptr && change <= worstChange) continue;
    worst = arm;
    worstChange = change;
    worstLoss = *now;
    steps = back;
  }
  if (worst == nullptr) return statement;
  const QString share = QString::number(std::abs(worstChange) * 100, 'f', std::abs(worstChange) < 0.1 ? 1 : 0);
  if (worstChange < -kFlat) {
    statement.state = Statement::State::Good;
    statement.answer = say("loss %1, falling").arg(number(worstLoss));
    statement.detail = say("%1, %2 % lower than %3 steps ago");
  } else if (worstChange <= kFlat) {
    statement.state = Statement::State::Plain;
    statement.answer = say("loss %1, level").arg(number(worstLoss));
    statement.detail =
        worstChange < 0 ? say("%1, %2 % lower than %3 steps ago") : say("%1, %2 % higher than %3 steps ago");
  } else {
    statement.state = Statement::State::Warn;
    statement.answer = say("loss %1, rising").arg(number(worstLoss));
    statement.detail = say("%1, %2 % higher than %3 steps ago");
  }
  statement.detail = statement.detail.arg(nameOf(*worst), share).arg(steps);
  return statement;
}

/// How what is over has ended: by the reference, which every run has.
QString endWords(const std::vector<const ArmData*>& arms) {
  switch (arms.front()->arm().end.status) {
    case record::Status::Finished:
      return say("finished");
    case record::Status::Stopped:
      return say("stopped");
    case record::Status::Interrupted:
      return say("interrupted");
    case record::Status::Failed:
      return say("failed");
    case record::Status::Running:
      break;
  }
  return say("not running");
}

Statement timeLeft(const RunData& data, const Standing& standing) {
  Statement statement{say("Time left"), {}, {}, Statement::State::Plain};
  const qint64 step = data.steps();
  std::optional<double> elapsed;
  for (const ArmData* const arm : data.shown()) {
    const std::optional<double> seconds = arm->counters().seconds;
    if (seconds && std::isfinite(*seconds)) elapsed = std::max(elapsed.value_or(0.0), *seconds);
  }
  std::optional<double> remaining = standing.remainingSeconds;
  if (!remaining && standing.plannedSteps > 0 && step > 0 && elapsed) {
    remaining = *elapsed / static_cast<double>(step) * static_cast<double>(standing.plannedSteps - step);
  }
  const QString steps = standing.plannedSteps > 0 ? say("step %1 of %2").arg(count(step), count(standing.plannedSteps))
                                                  : say("step %1").arg(count(step));
  if (standing.paused) {
    statement.answer = say("paused at step %1").arg(count(step));
    statement.detail = steps;
  } else if (standing.running) {
    const bool known = remaining && std::isfinite(*remaining) && *remaining > 0;
    statement.answer = known ? QString::fromStdString(report::duration_words(*remaining)) : standing.phase;
    if (statement.answer.isEmpty()) statement.answer = say("running");
    statement.detail = steps;
  } else if (step > 0 && !data.shown().empty()) {
    statement.answer = endWords(data.shown());
    statement.detail = steps;
  } else {
    statement.state = Statement::State::Unknown;
    return statement;
  }
  if (elapsed && *elapsed > 0) {
    statement.detail += say(", %1 elapsed").arg(QString::fromStdString(report::duration_words(*elapsed)));
  }
  return statement;
}

}  // namespace

std::array<Statement, kStatements> glance(const RunData& data, const Standing& standing) {
  return {finite(data), skipping(data), deviating(data), learning(data), timeLeft(data, standing)};
}

}  // namespace mantissa::ui::run
