// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/step_panel.h"

#include <QClipboard>
#include <QCursor>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/report/plain_words.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::run {
namespace {

QString count(qint64 value) { return models::figure(report::count_words(value)); }

/// In full precision.
QString full(const std::optional<double>& value, bool forFile) {
  if (!value) return plot::notMeasuredText();
  return forFile && std::isfinite(*value) ? QString::fromStdString(to_text(*value)) : plot::fullValueText(*value);
}

QString scaleText(const std::optional<double>& scale, bool forFile) {
  if (!scale) return StepPanel::tr("no scaler");
  return forFile ? models::fileScaleText(*scale) : models::fullScaleText(*scale);
}

/// What a cause means, as a sentence.
QString explanation(record::SkipCause cause) {
  switch (cause) {
    case record::SkipCause::None:
      return {};
    case record::SkipCause::Calibration:
      return StepPanel::tr("overflow before the first applied update: the scale finds its level");
    case record::SkipCause::GrowthProbe:
      return StepPanel::tr("overflow at the first attempt after the scale grew");
    case record::SkipCause::Overflow:
      return StepPanel::tr("a gradient was not finite");
    case record::SkipCause::Input:
      return StepPanel::tr("the inputs were not finite already");
    case record::SkipCause::Loss:
      return StepPanel::tr("the loss was not finite, inputs and weights were");
    case record::SkipCause::Weights:
      return StepPanel::tr("the weights were not finite before the step");
    case record::SkipCause::Rule:
      return StepPanel::tr("a rule of the experiment refused the update");
    case record::SkipCause::NoGradient:
      return StepPanel::tr("no parameter got a gradient");
    case record::SkipCause::ScaleTooSmall:
      return StepPanel::tr("finite before unscaling, not after it");
  }
  return {};
}

QString causeText(record::SkipCause cause) {
  return StepPanel::tr("%1: %2").arg(causeWords(cause), explanation(cause));
}

bool isNotFinite(const std::optional<double>& value) { return value && !std::isfinite(*value); }

bool isRemarkable(const ArmData& arm, qint64 step) {
  if (arm.skipAt(step) != nullptr) return true;
  for (const Quantity quantity : {Quantity::Loss, Quantity::GradientNorm, kMainDeviation}) {
    if (isNotFinite(arm.valueAt(quantity, step))) return true;
  }
  return false;
}

}  // namespace

StepPanel::StepPanel(QWidget* parent)
    : QFrame(parent, Qt::Popup),
      m_title(new QLabel),
      m_grid(new QGridLayout),
      m_previous(new QPushButton(tr("&Previous skip"))),
      m_next(new QPushButton(tr("&Next skip"))) {
  setFrameShape(QFrame::StyledPanel);
  setAccessibleName(tr("Record of a step"));
  setFocusPolicy(Qt::StrongFocus);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setSpacing(8);
  QFont bold = m_title->font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_title->setTextFormat(Qt::PlainText);
  layout->addWidget(m_title);
  m_grid->setHorizontalSpacing(16);
  m_grid->setVerticalSpacing(2);
  m_grid->setColumnStretch(1, 1);
  layout->addLayout(m_grid);
  auto* const row = new QHBoxLayout;
  auto* const copying = new QPushButton(tr("&Copy"));
  auto* const closing = new QPushButton(tr("Close"));
  for (QPushButton* const button : {m_previous, m_next, copying, closing}) button->setFocusPolicy(Qt::TabFocus);
  row->addWidget(m_previous);
  row->addWidget(m_next);
  row->addStretch(1);
  row->addWidget(copying);
  row->addWidget(closing);
  layout->addLayout(row);
  connect(m_previous, &QPushButton::clicked, this, [this] { go(neighbour(-1)); });
  connect(m_next, &QPushButton::clicked, this, [this] { go(neighbour(1)); });
  connect(copying, &QPushButton::clicked, this, &StepPanel::copy);
  connect(closing, &QPushButton::clicked, this, &QWidget::close);
}

StepPanel::Fields StepPanel::fieldsOf(const ArmData& arm, qint64 step, Numbers numbers) const {
  const bool forFile = numbers == Numbers::OfFiles;
  Fields fields = {{QString::fromStdString(arm.arm().start.name), {}}};
  const Skip* const skip = arm.skipAt(step);
  if (skip == nullptr) {
    fields.emplace_back(tr("Skipped"), tr("no"));
  } else {
    fields.emplace_back(tr("Skipped"), causeText(skip->cause));
    if (skip->sinceGrowth) fields.emplace_back(tr("When"), growthWords(*skip));
    if (skip->optimizer) {
      fields.emplace_back(tr("First in"), m_data->optimizerName(static_cast<std::size_t>(*skip->optimizer)));
    }
    fields.emplace_back(tr("First non-finite gradient"),
                        skip->parameter.isEmpty() ? tr("of no parameter known") : skip->parameter);
    fields.emplace_back(tr("Largest finite gradient, scaled"), full(skip->largestFiniteGradient, forFile));
    fields.emplace_back(tr("Loss scale before"), scaleText(skip->scaleBefore, forFile));
    fields.emplace_back(tr("Loss scale after"), scaleText(skip->scaleAfter, forFile));
  }
  fields.emplace_back(tr("Loss"), full(arm.valueAt(Quantity::Loss, step), forFile));
  fields.emplace_back(tr("Gradient norm, unscaled"), full(arm.valueAt(Quantity::GradientNorm, step), forFile));
  if (const auto outputs = arm.valueAt(kMainDeviation, step)) {
    fields.emplace_back(tr("Output deviation, RMSE"), full(outputs, forFile));
  }
  if (skip == nullptr) return fields;
  for (const OptimizerSkip& one : skip->optimizers) {
    const QString parameter = one.parameter.isEmpty() ? QString() : tr(", first in %1").arg(one.parameter);
    fields.emplace_back(tr("Skipped by %1").arg(m_data->optimizerName(static_cast<std::size_t>(one.optimizer))),
                        tr("%1%2; largest finite gradient %3")
                            .arg(causeWords(one.cause), parameter, full(one.largestFiniteGradient, forFile)));
  }
  return fields;
}

void StepPanel::showStep(const RunData& run, qint64 step) {
  m_data = &run;
  m_step = step;
  fill();
  const QRect parent(parentWidget()->mapToGlobal(QPoint(0, 0)), parentWidget()->size());
  QPoint corner = QCursor::pos() + QPoint(8, 8);
  if (!parent.contains(QCursor::pos())) corner = parent.center() - rect().center();
  corner.setX(std::clamp(corner.x(), parent.left(), std::max(parent.left(), parent.right() - width())));
  corner.setY(std::clamp(corner.y(), parent.top(), std::max(parent.top(), parent.bottom() - height())));
  move(corner);
  show();
  setFocus();
}

StepPanel::Fields StepPanel::allFields(Numbers numbers) const {
  Fields fields;
  for (const ArmData* const arm : m_data->shown()) {
    if (!isRemarkable(*arm, m_step)) continue;
    const Fields own = fieldsOf(*arm, m_step, numbers);
    fields.insert(fields.end(), own.begin(), own.end());
  }
  if (fields.empty()) fields.emplace_back(tr("Nothing was skipped here, and every loss is finite."), QString());
  return fields;
}

void StepPanel::fill() {
  const Fields fields = allFields(Numbers::OfTheScreen);
  m_title->setText(tr("Step %1").arg(count(m_step)));
  while (QLayoutItem* const item = m_grid->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (int row = 0; row < static_cast<int>(fields.size()); ++row) {
    const auto& [name, value] = fields[static_cast<std::size_t>(row)];
    auto* const label = new QLabel(name);
    label->setTextFormat(Qt::PlainText);
    if (value.isEmpty()) {
      QFont bold = label->font();
      bold.setBold(true);
      label->setFont(bold);
      label->setContentsMargins(0, row == 0 ? 0 : 8, 0, 0);
      m_grid->addWidget(label, row, 0, 1, 2);
      continue;
    }
    label->setForegroundRole(QPalette::PlaceholderText);
    auto* const text = new QLabel(value);
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_grid->addWidget(label, row, 0);
    m_grid->addWidget(text, row, 1);
  }
  m_previous->setEnabled(neighbour(-1) > 0);
  m_next->setEnabled(neighbour(1) > 0);
  setAccessibleDescription(text());
  adjustSize();
}

qint64 StepPanel::neighbour(int direction) const {
  qint64 nearest = 0;
  for (const ArmData* const arm : m_data->shown()) {
    const std::vector<Skip>& skips = arm->skips();
    const auto from = std::lower_bound(skips.begin(), skips.end(), m_step + (direction > 0 ? 1 : 0),
                                       [](const Skip& skip, qint64 step) { return skip.step < step; });
    if (direction > 0 && from != skips.end() && (nearest == 0 || from->step < nearest)) nearest = from->step;
    if (direction < 0 && from != skips.begin()) nearest = std::max(nearest, std::prev(from)->step);
  }
  return nearest;
}

void StepPanel::go(qint64 step) {
  if (step <= 0) return;
  m_step = step;
  fill();
}

QString StepPanel::text() const {
  if (m_data == nullptr) return {};
  QStringList lines = {tr("Step %1").arg(m_step)};
  for (const auto& [name, value] : allFields(Numbers::OfFiles)) {
    lines << (value.isEmpty() ? name : QStringLiteral("%1\t%2").arg(name, value));
  }
  return lines.join(u'\n') + u'\n';
}

void StepPanel::copy() const { QGuiApplication::clipboard()->setText(text()); }

void StepPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    close();
  } else if (event->key() == Qt::Key_Left) {
    go(neighbour(-1));
  } else if (event->key() == Qt::Key_Right) {
    go(neighbour(1));
  } else if (event->matches(QKeySequence::Copy)) {
    copy();
  } else {
    QFrame::keyPressEvent(event);
  }
}

}  // namespace mantissa::ui::run
