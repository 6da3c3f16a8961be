// SPDX-License-Identifier: GPL-3.0-or-later
// What the Memory page does with an experiment: trace its steps, ask for what comes of them, and show it.
#include <spdlog/spdlog.h>

#include <QAction>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number_text.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_solver.h"
#include "ui/memory/memory_page.h"
#include "ui/memory/traced_view.h"
#include "ui/memory/typed_view.h"
#include "ui/models/name_words.h"
#include "ui/shell/message_strip.h"
#include "ui/worker/training_controller.h"

namespace mantissa::ui::memory {
namespace {

QString typedDuration(double seconds) {
  const bool isHours = std::fmod(seconds, 3600) == 0;
  return QString::fromStdString(to_text(isHours ? seconds / 3600 : seconds)) +
         (isHours ? QStringLiteral(" h") : QStringLiteral(" s"));
}

}  // namespace

void MemoryPage::recomputeTraced() {
  TracedQuestion question;
  question.choice.forecast = static_cast<std::size_t>(std::max(0, m_controls->chosenArm()));
  question.choice.values = values();
  question.fields = commonFieldsOf(question.choice.values);
  QString why;
  if (!m_traced || m_traced->forecasts.empty()) {
    const QString name = models::isolated(QString::fromStdString(m_experiment->name));
    why = m_isTracing && m_isTraceWaiting ? tr("The trace of %1 waits until what runs has ended.").arg(name)
          : m_isTracing                   ? tr("Steps of %1 are being traced.").arg(name)
          : m_traced                      ? tr("No arm of %1 could be traced.").arg(name)
                     : tr("%1 is not traced yet. Solve traces a step of every arm, on the CPU.").arg(name);
  } else {
    why = ledgerProblem(question.fields);
  }
  if (!why.isEmpty()) {
    forgetAnswers();
    m_shown = nothingShown(why);
    m_shown.subject = QString::fromStdString(m_experiment->name);
    m_controls->showAnswer(question.fields, {});
    return showShown();
  }
  question.traced = m_traced;
  askTraced(question);
  showTraced();
}

/// Asks for what has changed, and for nothing else.
void MemoryPage::askTraced(const TracedQuestion& question) {
  const bool isNew = !m_asked || !m_asked->hasSameLedger(question);
  m_asked = question;
  if (isNew) {
    m_patience.start();
    m_isAsking = true;
    m_solver->askLedger(question);
    m_isAsking = false;
  }
  const SolverQuestion plans = questionOf(question, m_controls->limit() == LimitOf::Accumulation);
  if (m_askedPlans && *m_askedPlans == plans) return;
  m_askedPlans = plans;
  m_patience.start();
  m_solver->askPlans(plans);
}

void MemoryPage::forgetAnswers() {
  m_solver->drop();
  m_patience.stop();
  m_asked.reset();
  m_tracedAnswer.reset();
  m_askedPlans.reset();
  m_solved.reset();
}

bool MemoryPage::isOld() const { return isOfExperiment() && m_solver->isLedgerAsked(); }

/// The newest answers that there are.
void MemoryPage::showTraced() {
  if (!isOfExperiment() || !m_asked) return;
  LedgerControls::LimitAnswer limit;
  if (!m_tracedAnswer) {
    m_shown = nothingShown(tr("The step is being worked out."));
    m_shown.subject = QString::fromStdString(m_experiment->name);
  } else {
    m_shown = shownOf(*m_tracedAnswer, m_solved.get());
    if (isOld() && !m_patience.isActive()) markOld(m_shown, m_asked->fields);
    limit.value = tracedLimitText(m_controls->limit(), *m_tracedAnswer, m_solved.get());
    limit.sentence = tracedLimitSentence(m_controls->limit(), *m_tracedAnswer, m_solved.get());
    if (m_solved) limit.largestMicrobatch = m_solved->largestMicrobatch;
  }
  m_controls->showAnswer(m_asked->fields, limit);
  showShown();
}

void MemoryPage::tellTrace(const QString& sentence) {
  shell::MessageStrip* const strip = m_strips->show(
      shell::MessageStrip::Kind::Note, sentence.arg(models::isolated(QString::fromStdString(m_experiment->name))),
      QString::fromLatin1(kTraceTopic));
  auto* const cancel = new QAction(tr("Cancel"), strip);
  cancel->setToolTip(tr("Stops after the trace that is under way"));
  connect(cancel, &QAction::triggered, this, &MemoryPage::cancelTrace);
  strip->addWayOut(cancel);
}

void MemoryPage::cancelTrace() {
  m_cancelsTrace = true;
  if (m_controller != nullptr) m_controller->cancelTrace();
}

/// Where nobody has cancelled it, a run goes first: the trace begins anew behind it.
void MemoryPage::traceStopped() {
  const bool isCancelled = std::exchange(m_cancelsTrace, false) || !m_experiment || m_controller == nullptr;
  if (isCancelled || !m_isTracing) {
    m_isTracing = m_isTraceWaiting = false;
    m_strips->dismiss(QString::fromLatin1(kTraceTopic));
    return recompute();
  }
  m_isTraceWaiting = true;
  const QString sentence = tr("What runs goes first: the trace of %1 begins anew when it has ended.");
  spdlog::info("{}", sentence.arg(QString::fromStdString(m_experiment->name)).toStdString());
  tellTrace(sentence);
  m_controller->traceMemory(*m_experiment);
  recompute();
}

void MemoryPage::trace() {
  m_strips->dismissSeen(QString::fromLatin1(kArmTopic));
  m_isTracing = true;
  m_cancelsTrace = false;
  const bool waits = m_controller->looksAhead() || m_controller->state() != worker::JobState::Idle;
  m_isTraceWaiting = waits;
  tellTrace(waits ? tr("%1 is traced when what runs has ended.") : tr("Tracing steps of %1."));
  m_controller->traceMemory(*m_experiment);
  recompute();
}

void MemoryPage::takeTraced(const Traced& traced) {
  m_isTracing = m_isTraceWaiting = false;
  m_strips->dismiss(QString::fromLatin1(kTraceTopic));
  forgetAnswers();
  m_traced = traced;
  for (const session::ArmMemory& arm : traced->failures) {
    m_strips->show(shell::MessageStrip::Kind::Warning,
                   tr("%1 has no ledger: %2")
                       .arg(models::isolated(QString::fromStdString(arm.name)), QString::fromStdString(arm.failure)),
                   QString::fromLatin1(kArmTopic) + QString::fromStdString(arm.name));
  }
  QStringList arms;
  int chosen = 0;
  for (std::size_t i = 0; i < traced->forecasts.size(); ++i) {
    const session::ArmForecast& forecast = traced->forecasts[i];
    arms << (forecast.activation_checkpointing ? tr("%1, checkpointed").arg(armText(forecast)) : armText(forecast));
    // The first trial as the file has it says what a policy changes.
    const bool isAsInFile = forecast.activation_checkpointing == traced->forecasts.front().activation_checkpointing;
    if (chosen == 0 && isAsInFile && forecast.policy != "FP32") chosen = static_cast<int>(i);
  }
  m_controls->setArms(arms, chosen);
  TypedValues planned = isOfExperiment() ? values() : m_otherValues;
  const auto set = [&planned](FieldId field, const QString& text) { planned.text(field) = text; };
  set(FieldId::Microbatch, QString::number(traced->trace.planned.microbatch));
  set(FieldId::Accumulation, QString::number(traced->trace.planned.accumulation));
  set(FieldId::Updates, traced->trace.updates > 0 ? QString::number(traced->trace.updates) : QString());
  const spec::Budget& budget = traced->experiment.budget;
  if (budget.device_memory_bytes) set(FieldId::Capacity, typedSize(*budget.device_memory_bytes));
  if (budget.reserve > 0) set(FieldId::Reserve, QString::fromStdString(to_text(budget.reserve)));
  set(FieldId::Deadline, budget.deadline_seconds ? typedDuration(*budget.deadline_seconds) : QString());
  set(FieldId::Price, budget.price_per_hour ? QString::fromStdString(to_text(*budget.price_per_hour)) : QString());
  if (isOfExperiment()) {
    m_controls->setValues(planned);
  } else {
    m_otherValues = planned;
  }
  if (m_wanted && m_wanted->trace->experiment == QString::fromStdString(traced->experiment.name)) {
    const KeptLedger wanted = *std::exchange(m_wanted, std::nullopt);
    m_controls->chooseArm(wanted.trace->arm);
    if (isOfExperiment()) return setValues(wanted.values);
    m_otherValues = wanted.values;
  }
  recompute();
}

}  // namespace mantissa::ui::memory
