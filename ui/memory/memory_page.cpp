// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/memory_page.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/typed_view.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/shell/strip_place.h"

namespace mantissa::ui::memory {

MemoryPage::MemoryPage(QWidget* parent)
    : shell::Page(parent),
      m_strips(new shell::MessageStrips),
      m_stripPlace(new shell::StripPlace),
      m_strip(new shell::GlanceStrip(kStatements)),
      m_controls(new LedgerControls),
      m_results(new LedgerResults) {
  makeLayout();
  m_redraw.setSingleShot(true);
  connect(&m_redraw, &QTimer::timeout, this, [this] { m_results->redraw(); });
  connect(m_results, &LedgerResults::redrawNeeded, this, &MemoryPage::redrawSoon);
  connect(m_results, &LedgerResults::timeTyped, this, &MemoryPage::takeTime);
  connect(m_controls, &LedgerControls::edited, this, &MemoryPage::recompute);
  listenToCharts();
  setValues(TypedValues::example());
}

void MemoryPage::makeLayout() {
  auto* const area = new QScrollArea;
  area->setWidget(m_results);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);  // what is in it has the keyboard, and brings itself into view
  area->setAccessibleName(tr("Results"));
  auto* const columns = new QHBoxLayout;
  columns->setSpacing(8);
  columns->addWidget(m_controls);
  auto* const results = new QVBoxLayout;
  results->setSpacing(0);
  results->addWidget(area, 1);
  m_stripPlace->add(m_strips);
  results->addWidget(m_stripPlace);
  columns->addLayout(results, 1);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_strip);
  layout->addLayout(columns, 1);
}

void MemoryPage::listenToCharts() {
  for (plot::ChartWidget* const chart : m_results->charts()) {
    connect(chart, &plot::ChartWidget::exportAsked, this, [this, chart] {
      if (m_settings != nullptr) chart->setExportFolder(m_settings->startFolder(QStringLiteral("export"), {}));
    });
    connect(chart, &plot::ChartWidget::exported, this, [this](const QString& path) {
      if (m_settings != nullptr) m_settings->setFolderOf(QStringLiteral("export"), path);
      m_strips->dismiss(QString::fromLatin1(kExportTopic));
      const QString sentence = tr("Written to %1").arg(QDir::toNativeSeparators(path));
      spdlog::info("{}", sentence.toStdString());
      Q_EMIT told(sentence);
    });
    connect(chart, &plot::ChartWidget::exportFailed, this, [this](const QString& sentence) {
      spdlog::warn("{}", sentence.toStdString());
      m_strips->show(shell::MessageStrip::Kind::Failure, sentence, QString::fromLatin1(kExportTopic));
    });
  }
}

void MemoryPage::useActions(shell::ActionList& actions) {
  m_actions = &actions;
  m_solve = actions.add(QStringLiteral("memory_solve"), tr("Tools"), tr("&Solve"), QKeySequence(tr("Ctrl+Shift+B")),
                        tr("Goes to the plan that fits the device and finishes soonest"), [this] { solve(); });
  m_controls->addAction(m_solve);
  enableActions();
}

bool MemoryPage::takeStrips(shell::MessageStrips& strips) {
  m_stripPlace->add(&strips);
  return true;
}

TypedValues MemoryPage::values() const {
  TypedValues values = m_controls->values();
  values.times = m_times;
  return values;
}

void MemoryPage::setValues(const TypedValues& values) {
  m_times = values.times;
  m_controls->setValues(values);
  recompute();
}

void MemoryPage::recompute() {
  const TypedValues typed = values();
  m_answer = answerOf(typed);
  m_controls->showAnswer(m_answer);
  m_shown = shownOf(typed, m_answer, {});
  m_strip->setStatements(m_shown.statements);
  m_results->showLedger(m_shown);
  enableActions();
  redrawSoon();
}

void MemoryPage::redrawSoon() {
  if (!m_redraw.isActive()) m_redraw.start(0);
}

void MemoryPage::solve() {
  if (m_shown.plans.plans.empty()) return;
  m_results->selectPlan(m_shown.plans.best.value_or(0));
  m_results->plans()->table()->setFocus(Qt::OtherFocusReason);
}

/// Empty forgets the time. Others of the same plan give way to it.
void MemoryPage::takeTime(std::size_t plan, const QString& text) {
  if (plan >= m_shown.plans.plans.size()) return;
  const engine::Plan& chosen = m_shown.plans.plans[plan];
  const TypedAnswer::Option& option = m_answer.options[chosen.option];
  const std::optional<double> seconds = number_from_text(text.trimmed().toStdString());
  if (!text.trimmed().isEmpty() && !(seconds && std::isfinite(*seconds) && *seconds > 0)) {
    m_strips->show(shell::MessageStrip::Kind::Warning,
                   tr("Time of a step: found '%1', expected seconds above 0, with a decimal point.").arg(text),
                   QString::fromLatin1(kTimeTopic));
    return;
  }
  m_strips->dismiss(QString::fromLatin1(kTimeTopic));
  const auto isSame = [&](const TypedTime& time) {
    return time.policy == option.policy && time.isCheckpointed == option.isCheckpointed &&
           time.step.microbatch == chosen.microbatch && time.step.accumulation == chosen.accumulation;
  };
  m_times.erase(std::remove_if(m_times.begin(), m_times.end(), isSame), m_times.end());
  if (seconds && !text.trimmed().isEmpty()) {
    m_times.push_back({option.policy, option.isCheckpointed, {chosen.microbatch, chosen.accumulation, *seconds}});
  }
  recompute();
}

void MemoryPage::enableActions() {
  if (m_actions == nullptr) return;
  const bool hasPlans = !m_shown.plans.plans.empty();
  m_actions->setEnabled(m_solve, hasPlans, m_shown.why.isEmpty() ? m_shown.plans.emptyText : m_shown.why);
}

void MemoryPage::showEvent(QShowEvent* event) {
  shell::Page::showEvent(event);
  redrawSoon();
}

void MemoryPage::changeEvent(QEvent* event) {
  shell::Page::changeEvent(event);
  // Colours of the pictures' keys and curves are part of what is shown.
  if (event->type() == QEvent::PaletteChange && !m_shown.statements.empty()) {
    m_results->showLedger(m_shown);
    redrawSoon();
  }
}

}  // namespace mantissa::ui::memory
