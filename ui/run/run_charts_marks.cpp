// SPDX-License-Identifier: GPL-3.0-or-later
// Skipped steps as marks along the bottom of charts.
#include <QComboBox>

#include <algorithm>

#include "core/report/plain_words.h"
#include "ui/models/record_words.h"
#include "ui/run/run_charts.h"

namespace mantissa::ui::run {
namespace {

QString textOf(const ArmData& arm, const Skip& skip) {
  const QString name = QString::fromStdString(arm.arm().start.name);
  const QString step = models::figure(report::count_words(skip.step));
  QStringList cause = {causeWords(skip.cause)};
  if (!skip.parameter.isEmpty()) cause << RunCharts::tr("first in %1").arg(skip.parameter);
  if (skip.sinceGrowth) cause << growthWords(skip);
  return RunCharts::tr("%1, step %2: skipped, %3.").arg(name, step, cause.join(QStringLiteral(", ")));
}

bool isBefore(const plot::PlotMark& left, const plot::PlotMark& right) { return left.x < right.x; }

}  // namespace

QString RunCharts::markText(const plot::PlotMark& mark) const {
  const ArmData* const arm = m_data == nullptr ? nullptr : m_data->arm(mark.source);
  const Skip* const skip = arm == nullptr ? nullptr : arm->skipAt(mark.step);
  return skip == nullptr ? QString() : textOf(*arm, *skip);
}

std::vector<plot::PlotMark> RunCharts::marksOf(const ArmData& arm, std::size_t firstSkip) const {
  const auto axis = static_cast<std::size_t>(m_axis->currentIndex());
  const auto optimizer =
      m_optimizer->currentIndex() <= 0 ? std::nullopt : std::optional<qint64>(m_optimizer->currentIndex() - 1);
  std::vector<plot::PlotMark> marks;
  for (std::size_t i = firstSkip; i < arm.skips().size(); ++i) {
    const Skip& skip = arm.skips()[i];
    if (skip.isOf(optimizer)) marks.push_back({skip.x[axis], skip.step, {}, {}, arm.arm().id});
  }
  return marks;
}

/// All of them anew.
void RunCharts::updateMarks() {
  m_marked.clear();
  std::vector<plot::PlotMark> marks;
  qint64 left = 0;  // calibrations
  if (m_data != nullptr) {
    for (const ArmData* const arm : m_data->shown()) {
      m_marked[arm->arm().id] = {arm->skips().size(), arm->skipsBy(record::SkipCause::Calibration)};
      left += arm->skipsBy(record::SkipCause::Calibration);
      const std::vector<plot::PlotMark> own = marksOf(*arm, 0);
      marks.insert(marks.end(), own.begin(), own.end());
    }
  }
  std::stable_sort(marks.begin(), marks.end(), isBefore);
  qint64 calibrations = 0;
  plot::PlotMark* first = nullptr;
  for (auto mark = marks.begin(); mark != marks.end() && left > 0; ++mark) {
    const Skip* const skip = m_data->arm(mark->source)->skipAt(mark->step);
    if (skip == nullptr || skip->cause != record::SkipCause::Calibration) continue;
    if (first == nullptr) first = &*mark;
    ++calibrations;
    --left;
  }
  if (first != nullptr) first->label = tr("%1 calibration").arg(models::figure(report::count_words(calibrations)));
  for (const auto& [chart, view] : m_plots) {
    if (hasMarks(chart)) view->setMarks(marks);
  }
}

/// Those that are new: a run may have a hundred thousand, and get more with every step.
void RunCharts::addMarks() {
  std::vector<plot::PlotMark> marks;
  for (const ArmData* const arm : m_data->shown()) {
    Marked& marked = m_marked[arm->arm().id];
    const qint64 calibrations = arm->skipsBy(record::SkipCause::Calibration);
    if (arm->skips().size() < marked.skips || calibrations != marked.calibrations) return updateMarks();
    const std::vector<plot::PlotMark> own = marksOf(*arm, marked.skips);
    marks.insert(marks.end(), own.begin(), own.end());
    marked.skips = arm->skips().size();
  }
  std::stable_sort(marks.begin(), marks.end(), isBefore);
  for (const auto& [chart, view] : m_plots) {
    if (hasMarks(chart)) view->addMarks(marks);
  }
}

}  // namespace mantissa::ui::run
