// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/context_view.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "ui/measured_text.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("VerdictPage", text); }

/// One line of the table: who, what it reaches, and what that says.
struct Line {
  QString metric, who;
  std::optional<double> value;
  QString meaning;
  QString count = {};          ///< in place of the value
  bool isHighlighted = false;  ///< a reader should look at it
};

QString predictorName(const std::string& predictor) {
  if (predictor == "constant") return say(QT_TRANSLATE_NOOP("VerdictPage", "constant predictor"));
  if (predictor == "linear") return say(QT_TRANSLATE_NOOP("VerdictPage", "linear model"));
  return say(QT_TRANSLATE_NOOP("VerdictPage", "written rule"));
}

/// Begins a sentence.
QString subjectOf(const QString& predictor) { return say(QT_TRANSLATE_NOOP("VerdictPage", "The %1")).arg(predictor); }

/// "The linear model is right in 1 case fewer of 256 than the reference", in cases where the metric counts them.
QString beside(const record::WeighedQuality& quality, const QString& who, double value, std::int64_t cases) {
  const double worse = quality.higher_is_better ? *quality.reference - value : value - *quality.reference;
  if (quality.metric == "accuracy" && cases > 0 && std::isfinite(worse)) {
    const std::int64_t count = std::llround(worse * static_cast<double>(cases));
    if (count == 0) {
      return say(QT_TRANSLATE_NOOP("VerdictPage", "%1 is right in as many of %2 as the reference"))
          .arg(subjectOf(who), casesText(cases));
    }
    const char* const words = count > 0
                                  ? QT_TRANSLATE_NOOP("VerdictPage", "%1 is right in %2 fewer of %3 than the reference")
                                  : QT_TRANSLATE_NOOP("VerdictPage", "%1 is right in %2 more of %3 than the reference");
    return say(words).arg(subjectOf(who), casesText(std::abs(count)), wholeText(cases));
  }
  if (worse == 0) {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "%1 is as good as the reference")).arg(subjectOf(who));
  }
  const char* const words = worse < 0 ? QT_TRANSLATE_NOOP("VerdictPage", "%1 is better than the reference by %2")
                                      : QT_TRANSLATE_NOOP("VerdictPage", "%1 is worse than the reference by %2");
  return say(words).arg(subjectOf(who), measuredText(std::abs(worse)));
}

/// How much worse than the reference the rules let the trial be; nothing: no rule says it of this metric.
std::optional<double> allowedDrop(const std::string& rules, const std::string& metric) {
  const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(rules)).object();
  std::optional<double> allowed;
  for (const auto& one : object.value(QLatin1String("quality")).toArray()) {
    const QJsonObject rule = one.toObject();
    const QJsonValue drop = rule.value(QLatin1String("max_drop"));
    if (!drop.isDouble() || rule.value(QLatin1String("metric")).toString().toStdString() != metric) continue;
    if (!rule.value(QLatin1String("slice")).toString().isEmpty()) continue;
    allowed = allowed ? std::min(*allowed, drop.toDouble()) : drop.toDouble();
  }
  return allowed;
}

Line lineOf(const record::WeighedQuality& quality, const record::ContextScore& score, std::int64_t cases,
            const std::optional<double>& allowed) {
  const QString who = predictorName(score.predictor);
  Line line{QString::fromStdString(quality.metric), who, score.value, {}};
  const QString note = QString::fromStdString(score.note);
  if (!score.value) {
    line.meaning = say(QT_TRANSLATE_NOOP("VerdictPage", "%1 was not measured: %2")).arg(subjectOf(who), note);
    return line;
  }
  if (!quality.reference) {
    line.meaning = note;
    return line;
  }
  QStringList sentences = {beside(quality, who, *score.value, cases)};
  const double lack = quality.higher_is_better ? *quality.reference - *score.value : *score.value - *quality.reference;
  if (lack <= allowed.value_or(0)) {
    line.isHighlighted = true;
    sentences << (allowed && lack > 0
                      ? say(QT_TRANSLATE_NOOP("VerdictPage", "that is within the drop of %1 that the rules allow"))
                            .arg(measuredText(*allowed))
                      : say(QT_TRANSLATE_NOOP("VerdictPage", "the quality says little of what precision does")));
  } else if (const std::optional<double> share = quality.drop_of_lack(score); share && *quality.drop() > 0) {
    sentences
        << say(QT_TRANSLATE_NOOP("VerdictPage", "the trial's drop is %1 % of that")).arg(measuredText(100 * *share));
  }
  if (!note.isEmpty()) sentences << say(QT_TRANSLATE_NOOP("VerdictPage", "it is: %1")).arg(note);
  line.meaning = sentences.join(QStringLiteral("; ")) + u'.';
  return line;
}

/// Which cases and columns the counts are of, by name.
void addInputs(std::vector<Line>& lines, const record::InputQuality& inputs) {
  constexpr qsizetype kMost = 5;
  const QString what = say(QT_TRANSLATE_NOOP("VerdictPage", "inputs"));
  const auto add = [&](const QString& who, const QStringList& names) {
    if (names.isEmpty()) return;
    Line line{what, who, std::nullopt, names.mid(0, kMost).join(QStringLiteral("; "))};
    if (names.size() > kMost) {
      line.meaning += say(QT_TRANSLATE_NOOP("VerdictPage", " and %1 more")).arg(wholeText(names.size() - kMost));
    }
    line.count = wholeText(names.size());
    line.isHighlighted = true;
    lines.push_back(line);
  };
  const auto casesWith = [&inputs](auto member) {
    QStringList names;
    for (const record::InputCase& one : inputs.of_cases) {
      if (one.*member == 0) continue;
      names << say(QT_TRANSLATE_NOOP("VerdictPage", "case %1: %2"))
                   .arg(QString::fromStdString(one.id), QString::fromStdString(one.columns));
    }
    return names;
  };
  add(say(QT_TRANSLATE_NOOP("VerdictPage", "not finite")), casesWith(&record::InputCase::non_finite));
  add(say(QT_TRANSLATE_NOOP("VerdictPage", "outside the training range")), casesWith(&record::InputCase::outside));
  QStringList constant;
  for (const record::InputColumn& one : inputs.noted) {
    if (one.constant) constant << QString::fromStdString(one.name);
  }
  add(say(QT_TRANSLATE_NOOP("VerdictPage", "constant columns")), constant);
}

std::vector<Line> linesOf(const VerdictData& data) {
  std::vector<Line> lines;
  const auto cases = std::count_if(data.cases.begin(), data.cases.end(),
                                   [](const CaseFacts& one) { return !one.target.empty() && !one.positions; });
  for (const record::WeighedQuality& quality : data.beside.qualities) {
    const QString metric = QString::fromStdString(quality.metric);
    lines.push_back({metric, say(QT_TRANSLATE_NOOP("VerdictPage", "reference")), quality.reference, {}});
    const QString trial = say(QT_TRANSLATE_NOOP("VerdictPage", "trial"));
    lines.push_back({metric, trial, quality.trial, {}});
    if (quality.reference && quality.trial) {
      lines.back().meaning = beside(quality, trial, *quality.trial, cases) + u'.';
    }
    const std::optional<double> allowed = allowedDrop(data.rules, quality.metric);
    for (const record::ContextScore& score : quality.scores) lines.push_back(lineOf(quality, score, cases, allowed));
  }
  addInputs(lines, data.beside.inputs);
  return lines;
}

QString inputsText(const record::InputQuality& inputs) {
  if (!inputs.missing.empty()) {
    return say(QT_TRANSLATE_NOOP("VerdictPage", "inputs not measured: %1")).arg(QString::fromStdString(inputs.missing));
  }
  const auto count = [&inputs](auto member) {
    return std::count_if(inputs.of_cases.begin(), inputs.of_cases.end(),
                         [member](const record::InputCase& one) { return one.*member > 0; });
  };
  const auto constant = std::count_if(inputs.noted.begin(), inputs.noted.end(),
                                      [](const record::InputColumn& one) { return one.constant; });
  return say(QT_TRANSLATE_NOOP("VerdictPage",
                               "inputs: non-finite in %1, outside the training range in %2, constant columns: %3"))
      .arg(casesText(count(&record::InputCase::non_finite)), casesText(count(&record::InputCase::outside)),
           wholeText(constant));
}

QString casesWithInputs(const record::InputQuality& inputs) {
  constexpr std::size_t kMost = 12;
  QStringList lines;
  for (const record::InputCase& one : inputs.of_cases) {
    if (static_cast<std::size_t>(lines.size()) == kMost) {
      lines << QStringLiteral("…");
      break;
    }
    lines << say(QT_TRANSLATE_NOOP("VerdictPage", "case %1: %2"))
                 .arg(QString::fromStdString(one.id), QString::fromStdString(one.columns));
  }
  return lines.join(u'\n');
}

/// Of two, the one that moved more; NaN moves most.
bool movedMore(const record::PredictionShift& one, const record::PredictionShift& other) {
  if (std::isnan(other.population_stability)) return false;
  return !(one.population_stability <= other.population_stability);
}

const record::PredictionShift* mostMoved(const std::vector<record::PredictionShift>& shifts) {
  const record::PredictionShift* found = nullptr;
  for (const char* const of : {"trained", "same_weights"}) {
    for (const record::PredictionShift& shift : shifts) {
      if (shift.of == of && (found == nullptr || movedMore(shift, *found))) found = &shift;
    }
    if (found != nullptr) break;
  }
  return found;
}

void paintBars(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const record::PredictionShift& shift,
               int place) {
  const QColor trial =
      place <= 0 ? plot::referenceStyle(ink.colors).color : plot::trialStyle(ink.colors, place - 1).color;
  const double line = QFontMetricsF(ink.font).height();
  const QRectF bars = area.adjusted(4, line + 8, -4, -line - 6);
  std::int64_t most = 1;
  for (const auto* const counts : {&shift.counts_reference, &shift.counts}) {
    for (const std::int64_t count : *counts) most = std::max(most, count);
  }
  const double width = bars.width() / static_cast<double>(shift.counts.size());
  const auto top = [&](std::int64_t count) {
    return bars.bottom() - static_cast<double>(count) / static_cast<double>(most) * bars.height();
  };
  for (std::size_t i = 0; i < shift.counts.size(); ++i) {
    const double left = bars.left() + static_cast<double>(i) * width;
    painter.fillRect(QRectF(QPointF(left + 1, top(shift.counts[i])), QPointF(left + width - 1, bars.bottom())), trial);
    // The reference stands before it as an edge: equal ones are seen as one.
    painter.setPen(QPen(plot::referenceStyle(ink.colors).color, 2));
    const double edge = std::floor(top(shift.counts_reference[i])) + 0.5;
    painter.drawLine(QPointF(left + 1, edge), QPointF(left + width - 1, edge));
  }
  painter.setFont(ink.font);
  const double marks = 14;
  const QFontMetricsF metrics(ink.font);
  const QString ofTrial = say(QT_TRANSLATE_NOOP("VerdictPage", "trial"));
  const QString ofReference = say(QT_TRANSLATE_NOOP("VerdictPage", "reference"));
  double left = bars.left();
  painter.fillRect(QRectF(left, area.top() + 4, marks - 4, line - 6), trial);
  painter.setPen(ink.text);
  painter.drawText(QRectF(left + marks, area.top(), metrics.horizontalAdvance(ofTrial) + 2, line),
                   static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), ofTrial);
  left += marks + metrics.horizontalAdvance(ofTrial) + 16;
  painter.setPen(QPen(plot::referenceStyle(ink.colors).color, 2));
  painter.drawLine(QPointF(left, area.top() + line / 2), QPointF(left + marks - 4, area.top() + line / 2));
  painter.setPen(ink.text);
  painter.drawText(QRectF(left + marks, area.top(), metrics.horizontalAdvance(ofReference) + 2, line),
                   static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), ofReference);
  painter.setPen(ink.faintText);
  const QRectF below(bars.left(), bars.bottom() + 3, bars.width(), line);
  painter.drawText(below, static_cast<int>(Qt::AlignLeft), measuredText(shift.low));
  painter.drawText(below, static_cast<int>(Qt::AlignRight), measuredText(shift.high));
}

}  // namespace

void showContext(plot::PictureView& view, const VerdictData& data, const QString& subject) {
  const record::VerdictContext& context = data.beside;
  plot::PictureWords words;
  words.title = say(QT_TRANSLATE_NOOP("VerdictPage", "Beside trivial models"));
  words.subject = subject;
  words.unit = inputsText(context.inputs);
  QStringList spoken;
  for (const record::PairedDecisions& one : context.paired) {
    spoken << say(QT_TRANSLATE_NOOP("VerdictPage",
                                    "Right decisions, %1: the reference alone in %2, the trial alone in %3, McNemar's "
                                    "exact p %4 (shown, never judged)."))
                  .arg(sideName(one.of == "trained" ? Side::Trained : Side::SameWeights), casesText(one.only_reference),
                       casesText(one.only_trial), measuredText(one.p_value));
  }
  spoken << casesWithInputs(context.inputs);
  words.spoken = spoken.join(u'\n');
  if (!context.missing.empty()) {
    words.emptyText =
        say(QT_TRANSLATE_NOOP("VerdictPage", "not measured: %1")).arg(QString::fromStdString(context.missing));
  }
  view.setWords(words);
  plot::RowsModel& rows = view.table()->rows();
  rows.setColumns({{say(QT_TRANSLATE_NOOP("VerdictPage", "Metric"))},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "Of"))},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "Value")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "What it says")), {}, false, {}, true}});
  const auto lines = std::make_shared<const std::vector<Line>>(linesOf(data));
  rows.setRows(static_cast<int>(lines->size()), [lines](int row, int column) -> RowsCell {
    const Line& line = (*lines)[static_cast<std::size_t>(row)];
    if (column == 0) return {line.metric};
    if (column == 1) return {line.who};
    if (column == 2) return line.count.isEmpty() ? numberCell(line.value) : RowsCell{line.count};
    return {line.meaning, {}, line.isHighlighted ? RowsCell::Tone::Warn : RowsCell::Tone::Plain};
  });
  view.table()->fitColumns();
}

void showDistribution(plot::PictureView& view, const VerdictData& data, int place, const QString& subject) {
  const record::PredictionShift* const found = mostMoved(data.beside.shifts);
  plot::PictureWords words;
  words.title = say(QT_TRANSLATE_NOOP("VerdictPage", "Distribution of outputs"));
  words.subject = subject;
  plot::RowsModel& rows = view.table()->rows();
  rows.setColumns({{say(QT_TRANSLATE_NOOP("VerdictPage", "From")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "To")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "Reference")), {}, true},
                   {say(QT_TRANSLATE_NOOP("VerdictPage", "Trial")), {}, true}});
  if (found == nullptr) {
    words.emptyText = say(QT_TRANSLATE_NOOP("VerdictPage", "not measured: %1"))
                          .arg(QString::fromStdString(data.beside.shifts_missing));
    view.setWords(words);
    rows.setRows(0, [](int, int) { return RowsCell(); });
    return;
  }
  const auto shift = std::make_shared<const record::PredictionShift>(*found);
  words.title = say(QT_TRANSLATE_NOOP("VerdictPage", "Distribution of output %1")).arg(wholeText(shift->output));
  words.unit = sideName(shift->of == "trained" ? Side::Trained : Side::SameWeights);
  words.note = say(QT_TRANSLATE_NOOP("VerdictPage", "PSI %1, KS %2"))
                   .arg(measuredText(shift->population_stability), measuredText(shift->kolmogorov_smirnov));
  words.spoken =
      say(QT_TRANSLATE_NOOP(
              "VerdictPage",
              "The output that moved most. Bars: the trial; lines: the reference. Population stability %1 (by custom "
              "stable below 0.1), Kolmogorov–Smirnov distance %2; not finite: %3 of the "
              "trial, %4 of the reference."))
          .arg(measuredText(shift->population_stability), measuredText(shift->kolmogorov_smirnov),
               wholeText(shift->non_finite), wholeText(shift->non_finite_reference));
  view.setWords(words);
  view.setPaint([shift, place](QPainter& painter, const QRectF& area, const plot::PlotInk& ink) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintBars(painter, area, ink, *shift, place);
    painter.restore();
  });
  rows.setRows(static_cast<int>(shift->counts.size()), [shift](int row, int column) -> RowsCell {
    const auto bar = static_cast<std::size_t>(row);
    const double width = (shift->high - shift->low) / static_cast<double>(shift->counts.size());
    if (column < 2) {
      const double end = shift->low + width * static_cast<double>(row + column);
      return {measuredText(end), exactNumber(end)};
    }
    const std::int64_t count = column == 2 ? shift->counts_reference[bar] : shift->counts[bar];
    return {wholeText(count), QString::number(count)};
  });
  view.table()->fitColumns();
}

}  // namespace mantissa::ui::verdict
