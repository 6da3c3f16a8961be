// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/latency_view.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;
using record::Latency;

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

/// The trial at a batch size, and the reference beside it.
struct Line {
  Latency trial, reference;
};

std::vector<Line> linesOf(const VerdictData& data) {
  std::vector<Line> lines;
  for (const Latency& trial : data.trial.end.latency) {
    Line& line = lines.emplace_back();
    line.trial = trial;
    const auto reference = std::find_if(data.latencyReference.begin(), data.latencyReference.end(),
                                        [&trial](const Latency& one) { return one.batch == trial.batch; });
    if (reference != data.latencyReference.end()) line.reference = *reference;
  }
  return lines;
}

RowsCell millisecondsCell(const std::optional<double>& seconds) {
  if (!seconds) return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint};
  return {measuredText(1000 * *seconds), exactNumber(1000 * *seconds)};
}

RowsCell ratioCell(const std::optional<double>& ratio, const std::optional<double>& low,
                   const std::optional<double>& high) {
  if (!ratio || !low || !high) return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint};
  const QString words = say(QT_TRANSLATE_NOOP("VerdictPage", "%1 (%2 to %3)"))
                            .arg(measuredText(*ratio), measuredText(*low), measuredText(*high));
  return {words, exactNumber(*ratio), RowsCell::Tone::Plain, false, words};
}

RowsCell paceCell(const Latency& trial) {
  if (trial.calls == 0) {
    const QString words =
        say(QT_TRANSLATE_NOOP("VerdictPage", "not measured: %1")).arg(QString::fromStdString(trial.missing));
    return {words, words, RowsCell::Tone::Faint, false, words};
  }
  switch (record::pace_of(trial)) {
    case record::Pace::Slower:
      return {say(QT_TRANSLATE_NOOP("VerdictPage", "slower")), QStringLiteral("slower"), RowsCell::Tone::Bad, true};
    case record::Pace::Faster:
      return {say(QT_TRANSLATE_NOOP("VerdictPage", "faster")), QStringLiteral("faster"), RowsCell::Tone::Good};
    case record::Pace::Same:
      return {say(QT_TRANSLATE_NOOP("VerdictPage", "no difference shown")), QStringLiteral("no difference shown")};
    case record::Pace::Unknown:
      break;
  }
  return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint};
}

RowsCell cellOf(const Line& line, int column) {
  switch (column) {
    case 0:
      return {wholeText(line.trial.batch), QString::number(line.trial.batch)};
    case 1:
      return paceCell(line.trial);
    case 2:
      return ratioCell(line.trial.p50_ratio, line.trial.p50_ratio_low, line.trial.p50_ratio_high);
    case 3:
      return ratioCell(line.trial.p95_ratio, line.trial.p95_ratio_low, line.trial.p95_ratio_high);
    case 4:
      return millisecondsCell(line.reference.p50_seconds);
    case 5:
      return millisecondsCell(line.trial.p50_seconds);
    case 6:
      return millisecondsCell(line.reference.p95_seconds);
    case 7:
      return millisecondsCell(line.trial.p95_seconds);
    case 8:
      return millisecondsCell(line.reference.p99_seconds);
    case 9:
      return millisecondsCell(line.trial.p99_seconds);
    default:
      return {wholeText(line.trial.calls), QString::number(line.trial.calls)};
  }
}

}  // namespace

void showLatency(plot::PictureView& view, const VerdictData& data, const QString& subject) {
  const auto lines = std::make_shared<const std::vector<Line>>(linesOf(data));
  plot::PictureWords words;
  words.title = say(QT_TRANSLATE_NOOP("VerdictPage", "Latency of inference"));
  words.subject = subject;
  words.unit = say(QT_TRANSLATE_NOOP("VerdictPage", "ms on the frozen cases"));
  for (const Line& line : *lines) {
    if (line.trial.method.empty()) continue;
    words.spoken = QString::fromStdString(line.trial.method);
    words.note = words.spoken.section(u',', 0, 0);  // the rest in full where it is read out, and in exports of the run
  }
  if (lines->empty()) words.emptyText = say(QT_TRANSLATE_NOOP("VerdictPage", "not measured"));
  view.setWords(std::move(words));
  const QString trial = models::isolated(QString::fromStdString(data.trial.start.name));
  plot::RowsModel& rows = view.table()->rows();
  rows.setColumns({{say(QT_TRANSLATE_NOOP("VerdictPage", "Batch")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "The trial is"))},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p50 ratio (95 %)"))},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p95 ratio (95 %)"))},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p50, reference")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p50, %1")).arg(trial), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p95, reference")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p95, %1")).arg(trial), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p99, reference")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "p99, %1")).arg(trial), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "Calls")), {}, true}});
  rows.setRows(static_cast<int>(lines->size()),
               [lines](int row, int column) { return cellOf((*lines)[static_cast<std::size_t>(row)], column); });
  view.table()->fitColumns();
}

}  // namespace mantissa::ui::verdict
