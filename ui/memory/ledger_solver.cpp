// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_solver.h"

#include <optional>
#include <utility>

namespace mantissa::ui::memory {
namespace {

// Worked out in two milliseconds: sooner than another thread has its turn on a machine that trains.
constexpr std::size_t kFewEvents = 10'000;

}  // namespace

LedgerSolver::LedgerSolver(QObject* parent) : QObject(parent) {
  m_ledgers.thread.setObjectName(QStringLiteral("traced ledger"));
  m_plans.thread.setObjectName(QStringLiteral("ledger solver"));
  for (Lane* const lane : {&m_ledgers, &m_plans}) {
    lane->worker = new QObject;
    lane->worker->moveToThread(&lane->thread);
    connect(&lane->thread, &QThread::finished, lane->worker, &QObject::deleteLater);
  }
}

LedgerSolver::~LedgerSolver() {
  for (Lane* const lane : {&m_ledgers, &m_plans}) lane->isEnding = true;
  for (Lane* const lane : {&m_ledgers, &m_plans}) {
    if (!lane->thread.isRunning()) {
      delete lane->worker;  // no thread has it
      continue;
    }
    lane->thread.quit();
    lane->thread.wait();
  }
}

void LedgerSolver::start(Lane& lane, const std::function<void(std::uint64_t number)>& work) {
  const std::uint64_t number = ++lane.newest;
  if (!lane.thread.isRunning()) lane.thread.start();  // with the first question
  const auto begin = [&lane, number, work] {
    if (!lane.isObsolete(number)) work(number);
  };
  QMetaObject::invokeMethod(lane.worker, begin, Qt::QueuedConnection);
}

void LedgerSolver::askLedger(const TracedQuestion& question) {
  if (question.traced->forecasts[question.choice.forecast].forecast.events() <= kFewEvents) {
    m_ledgers.told = ++m_ledgers.newest;
    Q_EMIT ledgerAnswered(std::make_shared<const TracedAnswer>(m_stepsHere.answer(question)));
    return;
  }
  start(m_ledgers, [this, question](std::uint64_t number) {
    auto answer = std::make_shared<const TracedAnswer>(m_steps.answer(question));
    const auto tell = [this, number, answer = std::move(answer)] {
      if (number <= m_ledgers.told) return;  // dropped
      m_ledgers.told = number;
      Q_EMIT ledgerAnswered(answer);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
  });
}

void LedgerSolver::askPlans(const SolverQuestion& question) {
  start(m_plans, [this, question](std::uint64_t number) {
    std::optional<SolverAnswer> solved =
        m_tracedPlans.solve(question, [this, number] { return m_plans.isObsolete(number); });
    if (!solved) return;
    const auto tell = [this, number, answer = std::make_shared<const SolverAnswer>(std::move(*solved))] {
      if (number != m_plans.newest || number <= m_plans.told) return;
      m_plans.told = number;
      Q_EMIT plansAnswered(answer);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
  });
}

void LedgerSolver::drop() {
  for (Lane* const lane : {&m_ledgers, &m_plans}) lane->told = ++lane->newest;
}

}  // namespace mantissa::ui::memory
