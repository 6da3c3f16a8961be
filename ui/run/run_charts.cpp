// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_charts.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

#include "core/report/plain_words.h"
#include "ui/models/trial_list.h"
#include "ui/run/elided_label.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

enum SmoothingKind { NoSmoothing, Average, RunningMean };

constexpr std::size_t kMostMarks = 2000;  // ticks a person can tell apart are far fewer

bool hasScaler(const record::TrialRow& arm) {
  const QJsonObject policy = QJsonDocument::fromJson(QByteArray::fromStdString(arm.start.policy)).object();
  return policy[QLatin1String("scaler")][QLatin1String("enabled")].toBool();
}

QString markText(const ArmData& arm, const Skip& skip) {
  const QString name = QString::fromStdString(arm.arm().start.name);
  const QString step = QString::fromStdString(report::count_words(skip.step));
  return skip.parameter.isEmpty() ? RunCharts::tr("%1, step %2: skipped, %3.").arg(name, step, causeWords(skip.cause))
                                  : RunCharts::tr("%1, step %2: skipped, %3, first in %4.")
                                        .arg(name, step, causeWords(skip.cause), skip.parameter);
}

}  // namespace

RunCharts::RunCharts(QWidget* parent)
    : QWidget(parent),
      m_navigation(new plot::PlotNavigation(this)),
      m_cursor(new plot::PlotCursor(this)),
      m_axis(new QComboBox),
      m_smoothing(new QComboBox),
      m_weight(new QDoubleSpinBox),
      m_deviation(new QComboBox),
      m_hint(new ElidedLabel(tr("Drag selects, wheel zooms, double click resets"))) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  auto* const row = new QHBoxLayout;
  row->setSpacing(8);
  makeChoosers();
  const auto choose = [row](const QString& text, QWidget* field) {
    auto* const label = new QLabel(text);
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field);
  };
  choose(tr("&x"), m_axis);
  row->addSpacing(8);
  choose(tr("S&moothing"), m_smoothing);
  row->addWidget(m_weight);
  row->addSpacing(8);
  choose(tr("&Deviation"), m_deviation);
  row->addStretch(1);
  m_hint->setForegroundRole(QPalette::PlaceholderText);
  m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(m_hint, 4);
  layout->addLayout(row);

  auto* const grid = new QGridLayout;
  grid->setSpacing(8);
  const std::array<QString, 4> ids = {QStringLiteral("loss"), QStringLiteral("scale"), QStringLiteral("deviation"),
                                      QStringLiteral("gradient")};
  for (int i = 0; i < 4; ++i) {
    auto* const view = new plot::PlotView(ids[static_cast<std::size_t>(i)]);
    m_plots[static_cast<std::size_t>(i)] = view;
    view->setNavigation(m_navigation);
    view->setPlotCursor(m_cursor);
    view->setMinimumSize(220, 120);
    connect(view, &plot::PlotView::redrawNeeded, this, &RunCharts::redrawNeeded);
    connect(view, &plot::PlotView::markActivated, this, &RunCharts::stepChosen);
    connect(view, &plot::PlotView::exportFailed, this, &RunCharts::exportFailed);
    grid->addWidget(view, i / 2, i % 2);
    grid->setRowStretch(i / 2, 1);
    grid->setColumnStretch(i % 2, 1);
  }
  layout->addLayout(grid, 1);
  rebuild();
}

void RunCharts::makeChoosers() {
  m_axis->addItems({tr("Attempted step"), tr("Applied update"), tr("Samples"), tr("Wall time")});
  m_axis->setAccessibleName(tr("What the curves are drawn against"));
  connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (m_data != nullptr) m_data->setAxis(static_cast<XAxis>(index));
    m_navigation->startOver(expectedRange());
    rebuild();
    Q_EMIT redrawNeeded();
  });
  m_smoothing->addItems({tr("None"), tr("EMA, de-biased"), tr("Running mean")});
  m_smoothing->setCurrentIndex(Average);
  m_smoothing->setAccessibleName(tr("Smoothing"));
  m_weight->setAccessibleName(tr("Strength of the smoothing"));
  connect(m_smoothing, &QComboBox::currentIndexChanged, this, &RunCharts::chooseSmoothing);
  connect(m_weight, &QDoubleSpinBox::valueChanged, this, [this] {
    for (const Chart chart : {LossChart, DeviationChart, GradientChart}) m_plots[chart]->setSmoothing(smoothing());
    Q_EMIT redrawNeeded();
  });
  m_deviation->addItems({tr("Trajectory"), tr("Shadow")});
  m_deviation->setAccessibleName(tr("Which deviation"));
  m_deviation->setItemData(0, tr("Both runs as they went: rounding and what it led to"), Qt::ToolTipRole);
  m_deviation->setItemData(1, tr("The same weights in both precisions: rounding alone"), Qt::ToolTipRole);
  connect(m_deviation, &QComboBox::currentIndexChanged, this, [this] {
    m_plots[DeviationChart]->setContent(content(DeviationChart));
    Q_EMIT redrawNeeded();
  });
  chooseSmoothing();
}

void RunCharts::chooseSmoothing() {
  const QSignalBlocker blocker(m_weight);
  const bool mean = m_smoothing->currentIndex() == RunningMean;
  m_weight->setDecimals(mean ? 0 : 2);
  m_weight->setRange(mean ? 1 : 0, mean ? plot::Smoothing::kLargestWindow : 0.99);
  m_weight->setSingleStep(mean ? 10 : 0.05);
  m_weight->setSuffix(mean ? tr(" steps") : QString());
  m_weight->setValue(mean ? 50 : 0.9);
  m_weight->setEnabled(m_smoothing->currentIndex() != NoSmoothing);
  m_weight->setToolTip(mean ? tr("Mean of so many steps") : tr("Weight of the past"));
  if (m_plots[0] == nullptr) return;
  for (const Chart chart : {LossChart, DeviationChart, GradientChart}) m_plots[chart]->setSmoothing(smoothing());
  Q_EMIT redrawNeeded();
}

plot::Smoothing RunCharts::smoothing() const {
  plot::Smoothing smoothing;
  if (m_smoothing->currentIndex() == Average) {
    smoothing.kind = plot::Smoothing::Kind::Exponential;
    smoothing.weight = m_weight->value();
  } else if (m_smoothing->currentIndex() == RunningMean) {
    smoothing.kind = plot::Smoothing::Kind::RunningMean;
    smoothing.window = static_cast<std::size_t>(m_weight->value());
  }
  return smoothing;
}

void RunCharts::setData(RunData* newData) {
  m_data = newData;
  if (m_data != nullptr) m_data->setAxis(static_cast<XAxis>(m_axis->currentIndex()));
  m_navigation->startOver(expectedRange());
  m_cursor->setPosition(std::nullopt);
  rebuild();
}

void RunCharts::setPlannedSteps(qint64 steps) {
  if (m_plannedSteps == steps) return;
  m_plannedSteps = steps;
  m_navigation->setExpectedRange(expectedRange());
}

std::optional<plot::Range> RunCharts::expectedRange() const {
  // Other axes do not say where they will end.
  if (m_plannedSteps <= 0 || m_axis->currentIndex() != static_cast<int>(XAxis::Step)) return std::nullopt;
  return plot::Range{0.0, static_cast<double>(m_plannedSteps)};
}

void RunCharts::setNames(const QString& loss, double clip) {
  if (m_lossName == loss && m_clip == clip) return;
  m_lossName = loss;
  m_clip = clip;
  rebuild();
}

void RunCharts::setLive(bool live) {
  if (m_live == live) return;
  m_live = live;
  for (plot::PlotView* const view : m_plots) view->setLive(live);
}

plot::PlotContent RunCharts::content(Chart chart) const {
  plot::PlotContent content;
  const auto axis = static_cast<XAxis>(m_axis->currentIndex());
  const std::array<QString, kXAxes> names = {tr("step"), tr("update"), tr("samples"), tr("time")};
  content.xName = names[static_cast<std::size_t>(axis)];
  content.xKind = axis == XAxis::Seconds ? plot::XAxisKind::Seconds : plot::XAxisKind::Count;
  content.scale = plot::YScale::Log10;
  content.live = m_live;
  content.smoothing = smoothing();
  Quantity quantity = Quantity::Loss;
  switch (chart) {
    case LossChart:
      content.title = tr("Loss");
      content.unit = m_lossName.isEmpty() ? tr("log") : tr("%1, log").arg(m_lossName);
      break;
    case ScaleChart:
      quantity = Quantity::Scale;
      content.title = tr("Loss scale");
      content.unit = tr("log2; skipped steps below");
      content.scale = plot::YScale::Log2;
      content.smoothing = {};
      content.markRow = true;
      break;
    case DeviationChart:
      quantity = m_deviation->currentIndex() == 0 ? Quantity::Trajectory : Quantity::Shadow;
      content.title = tr("Output deviation");
      content.unit = m_deviation->currentIndex() == 0 ? tr("RMSE, trajectory, log") : tr("RMSE, shadow, log");
      break;
    case GradientChart:
      quantity = Quantity::GradientNorm;
      content.title = tr("Gradient norm");
      content.unit = tr("unscaled, log");
      if (m_clip > 0) {
        content.limits.push_back({m_clip, tr("clip at %1").arg(QString::fromStdString(report::number_words(m_clip)))});
      }
      break;
  }
  if (m_data == nullptr) return content;
  const plot::PlotColors& colors = shell::Theme::colors();
  const std::vector<const ArmData*> arms = m_data->shown();
  std::vector<record::TrialRow> rows;
  for (const ArmData* const arm : arms) rows.push_back(arm->arm());
  for (const ArmData* const arm : arms) {
    const int place = models::placeOf(arm->arm(), rows);
    const bool isReference = place == 0;
    // The reference has no scaler, and deviates from nothing.
    if (isReference && (chart == ScaleChart || chart == DeviationChart)) continue;
    plot::PlotSeries series;
    series.id = QString::number(arm->arm().id);
    series.name = QString::fromStdString(arm->arm().start.name);
    series.style = isReference ? plot::referenceStyle(colors) : plot::trialStyle(colors, place - 1);
    series.data = arm->series(quantity);
    series.isReference = isReference;
    series.steps = chart == ScaleChart;
    series.note = chart == ScaleChart && !hasScaler(arm->arm()) ? tr("no scaler") : QString();
    content.series.push_back(series);
  }
  return content;
}

void RunCharts::rebuild() {
  for (const Chart chart : {LossChart, ScaleChart, DeviationChart, GradientChart}) {
    if (m_plots[chart] != nullptr) m_plots[chart]->setContent(content(chart));
  }
  m_revision = m_data == nullptr ? -1 : m_data->revision();
  updateMarks();
}

void RunCharts::updateMarks() {
  m_marks = 0;
  std::vector<plot::PlotMark> marks;
  if (m_data != nullptr) {
    const auto axis = static_cast<std::size_t>(m_axis->currentIndex());
    for (const ArmData* const arm : m_data->shown()) {
      m_marks += arm->skips().size();
      const std::size_t first = arm->skips().size() > kMostMarks ? arm->skips().size() - kMostMarks : 0;
      for (std::size_t i = first; i < arm->skips().size(); ++i) {
        const Skip& skip = arm->skips()[i];
        marks.push_back({skip.x[axis], skip.step, markText(*arm, skip), {}});
      }
    }
  }
  std::stable_sort(marks.begin(), marks.end(), [](const auto& left, const auto& right) { return left.x < right.x; });
  m_plots[ScaleChart]->setMarks(std::move(marks));
}

double RunCharts::redraw() {
  if (m_data != nullptr) {
    std::size_t marks = 0;
    for (const ArmData* const arm : m_data->shown()) marks += arm->skips().size();
    if (m_revision != m_data->revision()) {
      rebuild();
    } else if (marks != m_marks) {
      updateMarks();
    }
  }
  double milliseconds = 0;
  for (plot::PlotView* const view : m_plots) {
    if (view->redraw()) milliseconds += view->frameMilliseconds();
  }
  return milliseconds;
}

void RunCharts::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_plots[3] != nullptr) Q_EMIT redrawNeeded();
}

}  // namespace mantissa::ui::run
