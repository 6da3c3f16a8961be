// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/preflight_panel.h"

#include <QCoreApplication>
#include <QEvent>
#include <QGridLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/report/plain_words.h"
#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/plain_tip.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

using State = PreflightLine::State;

// While a run goes on, the archive has its log beside it (-wal), which SQLite writes back at 4,096 pages of 4,120 bytes
// (core/archive/archive_file.cpp), plus what one batch or checkpoint writes at once. Measured with mantissa-cli run:
// at most 18.9 MB for archives of 11, 167 and 493 MB.
constexpr qint64 kLogBytes = 20'000'000;

constexpr int kLongestWord = 250;   // px
constexpr int kLongestValue = 120;  // px on one line; what is longer is a sentence and wraps

enum Column { kWords, kSign, kValue };

QString say(const char* text, int count = -1) {
  return QCoreApplication::translate("PreflightPanel", text, nullptr, count);
}
QString count(std::int64_t value) { return models::figure(report::count_words(value)); }
QString duration(double seconds) { return models::figure(report::duration_words(seconds)); }
QString bytes(std::int64_t value) { return models::figure(report::bytes_words(value)); }
QString word(const std::string& text) { return QString::fromStdString(text); }

PreflightLine armsLine(const session::Preflight& found) {
  PreflightLine line{say("Arms"), {}, {}, State::Good};
  QStringList names;
  QStringList failures;
  for (const session::PreflightArm& arm : found.arms) {
    names << word(arm.name);
    if (!arm.failure.empty()) failures << say("%1: %2").arg(word(arm.name), word(arm.failure));
  }
  line.detail = say("%1. An arm is one training: the reference or one trial.").arg(names.join(QStringLiteral(", ")));
  if (failures.isEmpty() && found.at_least) {
    line.value = say("%1, not all tried").arg(count(std::int64_t(found.arms.size())));
    line.state = State::Plain;
  } else if (failures.isEmpty()) {
    line.value = found.arms.size() == 1 ? say("1 tried") : say("%1 tried").arg(count(std::int64_t(found.arms.size())));
  } else {
    line.value = failures.size() == 1 ? say("1 failed") : say("%1 failed").arg(count(failures.size()));
    line.detail = failures.join(QLatin1Char('\n'));
    line.state = State::Bad;
  }
  return line;
}

PreflightLine timeLine(const session::Preflight& found, const spec::Experiment& experiment) {
  if (found.at_least) {
    return {say("Time"), say("more than %1").arg(duration(found.training_seconds)),
            say("The first step of all arms had taken %1 when it was cut off, and there are %2 steps.")
                .arg(duration(found.step_seconds), count(found.steps)),
            State::Warn};
  }
  if (found.timed_steps == 0) {
    return {say("Time"), QStringLiteral("–"),
            say("No step was timed: the run has one step only, or was not waited for."), State::Plain};
  }
  PreflightLine line{found.timed_steps == 1 ? say("Time, from 1 timed step")
                                            : say("Time, from %1 timed steps").arg(count(found.timed_steps)),
                     duration(found.training_seconds + found.gains_seconds),
                     say("%1 a step of all arms, %2 steps").arg(duration(found.step_seconds), count(found.steps)),
                     State::Plain};
  if (found.gains_seconds > 0)
    line.detail += say("; of it at most %1 for measuring gains afterwards").arg(duration(found.gains_seconds));
  if (experiment.budget.deadline_seconds) {
    const double deadline = *experiment.budget.deadline_seconds;
    line.state = found.training_seconds + found.gains_seconds <= deadline ? State::Good : State::Warn;
    line.detail += say("; the deadline is %1").arg(duration(deadline));
  }
  return line;
}

PreflightLine memoryLine(const session::Preflight& found) {
  std::optional<std::int64_t> peak;
  for (const session::PreflightArm& arm : found.arms) {
    if (arm.peak_bytes) peak = std::max(peak.value_or(0), *arm.peak_bytes);
  }
  return {say("Memory, live peak"), peak ? bytes(*peak) : QStringLiteral("–"),
          say("The most that tensors took in the timed steps, in the arm that took most; a forecast for longer "
              "sequences or other devices is not made."),
          State::Plain};
}

PreflightLine archiveLine(const session::Preflight& found, std::optional<qint64> freeBytes) {
  const qint64 needed = found.archive_bytes + kLogBytes;
  PreflightLine line{
      say("Archive space, at most"), bytes(needed),
      say("%1 that stay: steps, cases, weights, and checkpoints of %2 each. %3 for the log beside the archive (-wal) "
          "while the run goes on")
          .arg(bytes(found.archive_bytes), bytes(found.checkpoint_bytes), bytes(kLogBytes)),
      State::Plain};
  if (freeBytes) {
    line.state = *freeBytes >= needed ? State::Good : State::Bad;
    line.detail += say("; %1 are free").arg(bytes(*freeBytes));
  }
  return line;
}

/// A run that takes long and makes no checkpoint on its way; nothing where it is short, or makes some.
std::optional<PreflightLine> checkpointsLine(const session::Preflight& found, const spec::Experiment& experiment) {
  constexpr double kLongSeconds = 120;
  constexpr std::int64_t kManySteps = 5000;
  const std::int64_t steps = std::max(found.steps, experiment.training.steps.value_or(0));
  const bool isLong = found.training_seconds > kLongSeconds || steps > kManySteps;
  if (!isLong || experiment.training.checkpoint.every) return std::nullopt;
  return PreflightLine{
      say("No checkpoint before the end"), say("a kill loses all %1 steps").arg(count(steps)),
      say("Stop makes a checkpoint; a process that is killed makes none. With checkpoint = { every = 500 } under "
          "[training] (training.checkpoint.every) the run goes on from the last one."),
      State::Warn};
}

PreflightLine casesLine(const session::Preflight& found) {
  return {say("Frozen cases"), count(found.frozen_cases), {}, State::Plain};
}

PreflightLine rulesLine(const session::Preflight& found) {
  if (found.rules_sha256.empty()) {
    return {say("Rules"), say("none"), say("Without rules a trial is only rejected where numbers are not finite."),
            State::Warn};
  }
  const QString hash = word(found.rules_sha256.substr(0, 8));
  // A line a member, indented with spaces that a tooltip keeps.
  QString rules = QString::fromUtf8(QJsonDocument::fromJson(QByteArray::fromStdString(found.rules)).toJson()).trimmed();
  rules.replace(QStringLiteral("    "), QString(2, QChar(QChar::Nbsp)));
  return {say("Rules, fixed by Run"), say("hash %1").arg(hash), say("What is hashed and judged by:\n%1").arg(rules),
          State::Plain};
}

QString signOf(State state) {
  switch (state) {
    case State::Good:
      return QStringLiteral("✓");
    case State::Warn:
      return QStringLiteral("!");
    case State::Bad:
      return QStringLiteral("✕");
    case State::Plain:
      break;
  }
  return {};
}

QColor colorOf(State state, const QColor& plain) {
  const plot::PlotColors& colors = shell::Theme::colors();
  if (state == State::Good) return colors.good;
  if (state == State::Warn) return colors.warn;
  if (state == State::Bad) return colors.bad;
  return plain;
}

}  // namespace

std::vector<PreflightLine> preflightLines(const session::Preflight& found, const spec::Experiment& experiment,
                                          std::optional<qint64> freeBytes) {
  std::vector<PreflightLine> lines = {armsLine(found), timeLine(found, experiment), memoryLine(found),
                                      archiveLine(found, freeBytes)};
  if (std::optional<PreflightLine> line = checkpointsLine(found, experiment)) lines.push_back(std::move(*line));
  lines.push_back(casesLine(found));
  lines.push_back(rulesLine(found));
  return lines;
}

PreflightPanel::PreflightPanel(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(tr("Pre-flight"))),
      m_note(new QLabel),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_grid(new QGridLayout) {
  QFont bold = m_title->font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_note->setWordWrap(true);
  m_title->setTextFormat(Qt::PlainText);
  m_note->setTextFormat(Qt::PlainText);
  m_note->setForegroundRole(QPalette::PlaceholderText);
  m_cancel->setAccessibleName(tr("Cancel the pre-flight"));
  m_cancel->setToolTip(tr("Makes no further step for nothing. One that LibTorch is at comes to its end first."));
  connect(m_cancel, &QPushButton::clicked, this, &PreflightPanel::cancelRequested);
  // Words give way to values, onto more lines: a QFormLayout that wraps long rows cuts the values of some of them.
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(6);
  m_grid->setVerticalSpacing(4);
  m_grid->setColumnStretch(kWords, 1);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(m_title);
  layout->addWidget(m_note);
  layout->addWidget(m_cancel, 0, Qt::AlignLeft);
  layout->addLayout(m_grid);
  clear();
}

void PreflightPanel::clear() {
  m_lines.clear();
  m_isWaiting = false;
  fill();
  hide();
}

void PreflightPanel::showNote(const QString& sentence, bool isWaiting, bool canCancel) {
  m_isWaiting = isWaiting;
  m_note->setText(shell::withShortWords(sentence, m_note->fontMetrics(), kLongestWord));
  m_note->setToolTip(m_note->text() == sentence ? QString() : plainTip(sentence));
  m_note->show();
  m_cancel->setVisible(canCancel);
  show();
}

void PreflightPanel::showWaiting(const QString& arm, int seconds) {
  if (!m_isWaiting || !m_lines.empty()) {
    m_lines.clear();
    fill();
  }
  const QString words = seconds > 0 && !arm.isEmpty()
                            ? tr("Making its first steps for nothing: arm %1, %2 s").arg(arm, wholeText(seconds))
                            : tr("Making its first steps for nothing …");
  showNote(words, /*isWaiting=*/true, /*canCancel=*/true);
}

void PreflightPanel::showRunWaiting(const QString& arm, int seconds) {
  m_lines.clear();
  fill();
  const QString since = wholeText(seconds);
  showNote(arm.isEmpty() ? tr("The run starts when the preparing of the pre-flight ends: %1 s so far. Stop gives the "
                              "run up.")
                               .arg(since)
                         : tr("The run starts when the trial step of arm %1 ends: %2 s so far. Stop gives the run up.")
                               .arg(arm, since),
           /*isWaiting=*/true, /*canCancel=*/false);
}

void PreflightPanel::endWaiting() {
  if (m_lines.empty()) clear();
}

void PreflightPanel::showCancelled() {
  showNote(tr("Cancelled: nothing is known of its duration and memory. Look ahead (F8) finds out."),
           /*isWaiting=*/false, /*canCancel=*/false);
}

void PreflightPanel::showFailure(const QString& sentence) {
  m_lines = {{tr("It cannot run"), {}, sentence, State::Bad}};
  fill();
  showNote(sentence, /*isWaiting=*/false, /*canCancel=*/false);
}

void PreflightPanel::showLines(const std::vector<PreflightLine>& lines) {
  m_lines = lines;
  fill();
  m_isWaiting = false;
  m_note->hide();
  m_cancel->hide();
  show();
}

void PreflightPanel::fill() {
  while (QLayoutItem* const item = m_grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (int i = 0; i < int(m_lines.size()); ++i) {
    const PreflightLine& line = m_lines[std::size_t(i)];
    auto* const what = new QLabel(line.what);
    what->setWordWrap(true);
    what->setForegroundRole(QPalette::PlaceholderText);
    auto* const sign = new QLabel(signOf(line.state));
    QPalette signPalette = sign->palette();
    signPalette.setColor(QPalette::WindowText, colorOf(line.state, palette().color(QPalette::WindowText)));
    sign->setPalette(signPalette);
    auto* const value = new QLabel(line.value);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setWordWrap(value->sizeHint().width() > kLongestValue);
    value->setAlignment(Qt::AlignRight | Qt::AlignTop);
    value->setAccessibleDescription(line.detail);
    for (QLabel* const part : {what, sign, value}) {
      part->setTextFormat(Qt::PlainText);
      part->setToolTip(plainTip(line.detail));
    }
    m_grid->addWidget(what, i, kWords, Qt::AlignTop);
    m_grid->addWidget(sign, i, kSign, Qt::AlignRight | Qt::AlignTop);
    m_grid->addWidget(value, i, kValue, Qt::AlignRight | Qt::AlignTop);
  }
}

void PreflightPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !m_lines.empty()) fill();
}

}  // namespace mantissa::ui::run
