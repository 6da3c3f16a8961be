// SPDX-License-Identifier: GPL-3.0-or-later
// What a person chooses for all charts: the row of choosers, what it offers, and how it is kept.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <array>

#include "core/spec/parse.h"
#include "ui/plot/plot_numbers.h"
#include "ui/run/layout_menu.h"
#include "ui/run/run_charts.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/flow_layout.h"

namespace mantissa::ui::run {
namespace {

enum SmoothingKind { NoSmoothing, Average, RunningMean };
enum DeviationUnit { Multiples, AsMeasured };

QString whyNoMultiples(bool isTrajectory, bool isMeasured) {
  if (isMeasured) {
    return isTrajectory ? RunCharts::tr(
                              "As measured: the repeats of the reference do not differ, nothing is a multiple "
                              "of their spread")
                        : RunCharts::tr(
                              "As measured: the rounding repeats do not differ from the reference, nothing is "
                              "a multiple of their floor");
  }
  return isTrajectory ? RunCharts::tr(
                            "As measured: no repeat has measured the run-to-run spread. Set repeats = 2 under "
                            "[reference] and run again: deviations then stand in multiples of it")
                      : RunCharts::tr(
                            "As measured: no repeat has measured the rounding floor. Set rounding_repeats = 1 "
                            "under [reference] and run again: deviations then stand in multiples of it");
}

QString hintText() { return RunCharts::tr("Drag selects, wheel zooms, double click resets"); }
QStringList shorterHints() {
  return {RunCharts::tr("Drag selects, wheel zooms"), RunCharts::tr("Drag or wheel zooms")};
}

}  // namespace

int RunCharts::chooserHeight() const { return m_row->layout()->heightForWidth(width()); }

void RunCharts::makeRow(QWidget* widget) {
  auto* const row = new QHBoxLayout(widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  auto* const flow = new shell::FlowLayout;
  flow->setSpacing(8);
  row->addLayout(flow, 1);
  // A label stays beside its fields, in whichever row they stand.
  const auto choose = [flow](QLabel* label, std::initializer_list<QWidget*> fields) {
    auto* const group = new QWidget;
    auto* const layout = new QHBoxLayout(group);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(8);
    label->setTextFormat(Qt::PlainText);
    label->setBuddy(*fields.begin());
    layout->addWidget(label);
    for (QWidget* const field : fields) layout->addWidget(field);
    flow->addWidget(group);
  };
  choose(new QLabel(tr("&x")), {m_axis});
  choose(new QLabel(tr("S&moothing")), {m_smoothing, m_weight});
  choose(new QLabel(tr("&Deviation")), {m_deviation, m_units});
  choose(m_optimizerLabel, {m_optimizer});
  m_hint->setForegroundRole(QPalette::PlaceholderText);
  m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  flow->addOptional(m_hint);
  tellCursor();
  m_layoutButton->setToolTip(tr("Which charts are shown, and in how many columns"));
  connect(m_layoutButton, &QPushButton::clicked, this,
          [this] { m_menu->popup(m_layoutButton->mapToGlobal(m_layoutButton->rect().bottomLeft())); });
  row->addWidget(m_layoutButton, 0, Qt::AlignTop);
  m_follow->setParent(widget);  // in no layout: that it comes moves nothing
  m_follow->setToolTip(tr("Shows the newest steps again, and goes on with them"));
  m_follow->hide();
  connect(m_follow, &QPushButton::clicked, m_navigation, &plot::PlotNavigation::followEnd);
}

/// Below the button of the layout where the choosers have a second row, else beside it, instead of the hint.
void RunCharts::offerToFollow() {
  const bool isOffered = m_live && !m_navigation->isEndInSight();
  const QRect beside = m_layoutButton->geometry();
  const QSize size(std::max(beside.width(), m_follow->sizeHint().width()), beside.height());
  const bool isBelow = m_row->height() >= 2 * size.height();
  m_follow->setGeometry(QRect(isBelow ? QPoint(beside.right() + 1 - size.width(), m_row->height() - size.height())
                                      : QPoint(beside.left() - 8 - size.width(), beside.top()),
                              size));
  m_hint->setVisible(!isOffered || isBelow);
  if (m_follow->isHidden() != isOffered) return;
  if (m_follow->hasFocus()) m_layoutButton->setFocus(Qt::OtherFocusReason);
  m_follow->setVisible(isOffered);
  m_follow->raise();
}

void RunCharts::makeChoosers() {
  for (QWidget* const field :
       std::initializer_list<QWidget*>{m_axis, m_smoothing, m_weight, m_deviation, m_units, m_optimizer}) {
    field->setFocusPolicy(Qt::StrongFocus);  // not by the wheel
    field->installEventFilter(this);
  }
  m_axis->addItems({tr("Attempted step"), tr("Applied update"), tr("Samples"), tr("Wall time")});
  m_axis->setAccessibleName(tr("What the curves are drawn against"));
  connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (m_data != nullptr) m_data->setAxis(static_cast<XAxis>(index));
    m_navigation->startOver(expectedRange());
    for (const auto& [chart, view] : m_plots) link(chart, *view);
    choiceChanged();
  });
  m_smoothing->addItems({tr("None"), tr("EMA, de-biased"), tr("Running mean")});
  m_smoothing->setCurrentIndex(Average);
  m_smoothing->setAccessibleName(tr("Smoothing"));
  m_weight->setAccessibleName(tr("Strength of the smoothing"));
  connect(m_smoothing, &QComboBox::currentIndexChanged, this, &RunCharts::chooseSmoothing);
  connect(m_weight, &QDoubleSpinBox::valueChanged, this, &RunCharts::choiceChanged);
  m_deviation->addItems({tr("Trajectory"), tr("Shadow")});
  m_deviation->setAccessibleName(tr("Which deviation"));
  m_deviation->setItemData(0, tr("Both runs as they went: rounding and what it led to"), Qt::ToolTipRole);
  m_deviation->setItemData(1, tr("The same weights in both precisions: rounding alone"), Qt::ToolTipRole);
  m_units->addItems({tr("\u00D7 yardstick"), tr("As measured")});
  m_units->setAccessibleName(tr("Unit of deviations"));
  m_units->setItemData(
      0, tr("Multiples of the run-to-run spread (trajectory) or of the rounding floor (shadow), where it was measured"),
      Qt::ToolTipRole);
  connect(m_deviation, &QComboBox::currentIndexChanged, this, &RunCharts::choiceChanged);
  connect(m_units, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_wantsMultiples = index == Multiples;
    choiceChanged();
  });
  m_optimizer->addItem(tr("all optimizers"));
  m_optimizer->setAccessibleName(tr("Whose skipped steps are shown"));
  m_optimizer->hide();
  m_optimizerLabel->hide();
  connect(m_optimizer, &QComboBox::currentIndexChanged, this, [this] {
    updateMarks();
    Q_EMIT redrawNeeded();
  });
  chooseSmoothing();
}

/// Legends that do not say the newest values must not look as if they did.
void RunCharts::tellCursor() {
  const std::optional<double> position = m_cursor->position();
  const auto tell = [this](const QString& text, const QStringList& shorter) {
    m_hint->setShorter(shorter);
    m_hint->setText(text);
    m_hint->setToolTip(text);
  };
  if (!position) return tell(hintText(), shorterHints());
  const bool isTime = m_axis->currentIndex() == static_cast<int>(XAxis::Seconds);
  const QString where = isTime ? plot::durationText(*position) : plot::positionText(*position);
  const std::array<QString, kXAxes> notes = {tr("Cursor at step %1 on all charts"),
                                             tr("Cursor at update %1 on all charts"),
                                             tr("Cursor at sample %1 on all charts"), tr("Cursor at %1 on all charts")};
  const QString note = notes.at(static_cast<std::size_t>(m_axis->currentIndex())).arg(where);
  const bool isSmoothed = m_smoothing->currentIndex() != NoSmoothing;
  const std::array<QString, kXAxes> places = {tr("Step %1"), tr("Update %1"), tr("Sample %1"), tr("At %1")};
  const QString place = places.at(static_cast<std::size_t>(m_axis->currentIndex())).arg(where);
  tell(isSmoothed ? tr("%1: measured values").arg(note) : note, {note, place});
}

void RunCharts::chooseSmoothing() {
  const QSignalBlocker blocker(m_weight);
  if (m_smoothing->currentIndex() != NoSmoothing) m_lastSmoothing = m_smoothing->currentIndex();
  const bool mean = m_smoothing->currentIndex() == RunningMean;
  m_weight->setDecimals(mean ? 0 : 2);
  m_weight->setRange(mean ? 1 : 0, mean ? plot::Smoothing::kLargestWindow : 0.99);
  m_weight->setSingleStep(mean ? 10 : 0.05);
  m_weight->setSuffix(mean ? tr(" steps") : QString());
  m_weight->setValue(mean ? 50 : 0.9);
  m_weight->setEnabled(m_smoothing->currentIndex() != NoSmoothing);
  m_weight->setToolTip(mean ? tr("Mean of so many steps") : tr("Weight of the past"));
  choiceChanged();
}

void RunCharts::toggleSmoothing() {
  m_smoothing->setCurrentIndex(m_smoothing->currentIndex() == NoSmoothing ? m_lastSmoothing : NoSmoothing);
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

ChartChoices RunCharts::choices() const {
  ChartChoices choices;
  choices.axis = static_cast<XAxis>(m_axis->currentIndex());
  choices.comparison = static_cast<Comparison>(m_deviation->currentIndex());
  choices.multiples = m_wantsMultiples;
  choices.smoothing = smoothing();
  choices.live = m_live;
  return choices;
}

void RunCharts::offerOptimizers() {
  std::size_t most = 0;
  if (m_data != nullptr) {
    for (const ArmData* const arm : m_data->shown()) most = std::max(most, arm->optimizers());
  }
  m_optimizer->setVisible(most > 1);
  m_optimizerLabel->setVisible(most > 1);
  QStringList names;
  for (std::size_t i = 0; most > 1 && i < most; ++i) names << m_data->optimizerName(i);
  const auto isNamed = [&] {
    if (m_optimizer->count() != names.size() + 1) return false;
    for (int i = 0; i < names.size(); ++i) {
      if (m_optimizer->itemText(i + 1) != names[i]) return false;
    }
    return true;
  };
  if (isNamed()) return;
  const QSignalBlocker blocker(m_optimizer);
  const int chosen = m_optimizer->currentIndex();
  while (m_optimizer->count() > 1) m_optimizer->removeItem(1);
  m_optimizer->addItems(names);
  if (chosen < m_optimizer->count()) m_optimizer->setCurrentIndex(chosen);
}

/// Where there is no yardstick, nothing is offered that would do nothing; what a person chose holds where there is one.
void RunCharts::offerMultiples() {
  const auto comparison = static_cast<Comparison>(m_deviation->currentIndex());
  const bool isTrajectory = comparison == Comparison::Trajectory;
  bool isMeasured = false;
  bool isOffered = false;
  for (std::size_t i = 0; i < kMeasures && m_data != nullptr; ++i) {
    const std::optional<Yardstick> yardstick = m_data->yardstick(deviation(static_cast<Measure>(i), comparison));
    isMeasured = isMeasured || yardstick;
    isOffered = isOffered || (yardstick && yardstick->isUsable());
  }
  // Those that are to come count as well.
  if (!isMeasured && m_experiment && m_data != nullptr && (m_live || m_data->steps() == 0)) {
    const spec::Reference& reference = m_experiment->reference;
    isOffered = (isTrajectory ? reference.repeats : reference.rounding_repeats) > 0;
  }
  const int shown = isOffered && m_wantsMultiples ? Multiples : AsMeasured;
  if (m_units->currentIndex() != shown) {
    const QSignalBlocker blocker(m_units);
    m_units->setCurrentIndex(shown);
  }
  m_units->setEnabled(isOffered);
  m_units->setToolTip(isOffered ? QString() : whyNoMultiples(isTrajectory, isMeasured));
}

void RunCharts::nameOptimizers() {
  if (m_data == nullptr) return;
  std::vector<QString> kinds;
  if (m_experiment) {
    for (const spec::Optimizer& optimizer : m_experiment->training.optimizers) {
      kinds.push_back(QString::fromStdString(to_text(optimizer.kind)));
    }
  }
  m_data->setOptimizerKinds(std::move(kinds));
}

QByteArray RunCharts::saveLayout() const {
  QJsonArray charts;
  for (const Chart chart : m_menu->charts()) charts << idOf(chart);
  const QJsonObject layout = {{QStringLiteral("charts"), charts},
                              {QStringLiteral("columns"), m_menu->columns()},
                              {QStringLiteral("axis"), m_axis->currentIndex()},
                              {QStringLiteral("smoothing"), m_smoothing->currentIndex()},
                              {QStringLiteral("weight"), m_weight->value()},
                              {QStringLiteral("deviation"), m_deviation->currentIndex()},
                              {QStringLiteral("units"), m_wantsMultiples ? Multiples : AsMeasured}};
  return QJsonDocument(layout).toJson(QJsonDocument::Compact);
}

void RunCharts::restoreLayout(const QByteArray& bytes) {
  const QJsonObject layout = QJsonDocument::fromJson(bytes).object();
  std::vector<Chart> charts;
  for (const auto& id : layout[QLatin1String("charts")].toArray()) {
    if (const std::optional<Chart> chart = chartOfId(id.toString())) charts.push_back(*chart);
  }
  // What a layout does not say is as on a new page.
  const auto restore = [&layout](const char* name, QComboBox* chooser, int usual = 0) {
    const int index = layout[QLatin1String(name)].toInt(usual);
    if (index >= 0 && index < chooser->count()) chooser->setCurrentIndex(index);
  };
  restore("axis", m_axis);
  restore("smoothing", m_smoothing, Average);
  if (layout.contains(QLatin1String("weight"))) m_weight->setValue(layout[QLatin1String("weight")].toDouble());
  restore("deviation", m_deviation);
  m_wantsMultiples = layout[QLatin1String("units")].toInt(Multiples) != AsMeasured;
  choiceChanged();
  m_menu->choose(charts, layout[QLatin1String("columns")].toInt(2));
  chooseCharts();
  if (bytes.isEmpty()) closeTables();
}

}  // namespace mantissa::ui::run
