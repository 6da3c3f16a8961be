// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_log.h"

#include <QCoreApplication>

#include "core/report/interval_words.h"
#include "core/report/plain_words.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/run/run_data.h"

namespace mantissa::ui::run {
namespace {

QString say(const char* text) { return QCoreApplication::translate("RunLog", text); }
QString word(const std::string& text) { return QString::fromStdString(text); }
QString count(std::int64_t value) { return models::figure(report::count_words(value)); }

/// "fp16 is 1.4 × as fast as the reference (1.31 to 1.52)"; empty where it was not compared.
QString gainOf(const record::TrialRow& trial) {
  const record::Gains& gains = *trial.end.gains;
  if (!gains.speed_up) return {};
  const QString sentence = say("%1 is %2 × as fast as the reference");
  if (!gains.speed_up_low || !gains.speed_up_high) {
    return sentence.arg(word(trial.start.name), numberText(*gains.speed_up));
  }
  const report::IntervalWords interval =
      report::interval_words(*gains.speed_up, *gains.speed_up_low, *gains.speed_up_high);
  QString words = sentence.arg(word(trial.start.name), models::figure(interval.value));
  words += say(" (%1 to %2)").arg(models::figure(interval.low), models::figure(interval.high));
  // An interval over 1 shows neither a gain nor a loss.
  if (*gains.speed_up_low <= 1 && *gains.speed_up_high >= 1) words += say(", no difference shown");
  return words;
}

}  // namespace

QString evaluationLine(const QString& arm, const record::Evaluation& evaluation) {
  const QString value = evaluation.value ? plot::valueText(*evaluation.value) : QStringLiteral("–");
  return say("%1: %2 %3 at step %4").arg(arm, word(evaluation.metric), value, count(evaluation.step));
}

QString checkpointLine(qint64 step) { return say("checkpoint of all arms at step %1").arg(count(step)); }

QStringList endLines(const record::TrialRow& arm) {
  const record::TrialEnd& end = arm.end;
  const QString name = word(arm.start.name);
  QString first =
      say("%1: %2, %3")
          .arg(name, models::statusText(end.status), models::skipText(end.counts.skipped, end.counts.attempted));
  // A verdict's reasons tell of it, too.
  if (!end.failure_text.empty() && !end.verdict) first += say(". ") + models::figuresIn(word(end.failure_text));
  if (!end.verdict) return {first};
  QStringList lines = {first + QStringLiteral(", ") + models::verdictText(end.verdict->word)};
  for (const std::string& reason : end.verdict->reasons) {
    lines << say("%1 because: %2").arg(name, models::figuresIn(word(reason)));
  }
  return lines;
}

QStringList closingLines(const record::RunSummary& summary, const QString& name, const QString& archive) {
  QStringList gains;
  bool measured = summary.reference.end.gains.has_value();
  for (const record::TrialRow& trial : summary.trials) {
    if (!trial.end.gains) continue;
    measured = true;
    if (const QString words = gainOf(trial); !words.isEmpty()) gains << words;
  }
  QStringList lines;
  if (!gains.isEmpty()) {
    lines << say("%1: gains measured: %2").arg(name, gains.join(QStringLiteral("; ")));
  } else if (measured) {
    lines << say("%1: gains measured: of the reference only").arg(name);
  }
  lines << say("%1: %2, kept in %3").arg(name, models::statusText(summary.reference.end.status), archive);
  return lines;
}

}  // namespace mantissa::ui::run
