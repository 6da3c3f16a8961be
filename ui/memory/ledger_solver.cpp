// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_solver.h"

namespace mantissa::ui::memory {

LedgerSolver::LedgerSolver(QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(QStringLiteral("ledger solver"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

LedgerSolver::~LedgerSolver() {
  ++m_newest;
  if (!m_thread.isRunning()) {
    delete m_worker;  // no thread has it
    return;
  }
  m_thread.quit();
  m_thread.wait();
}

void LedgerSolver::ask(const SolverQuestion& question) {
  const std::uint64_t number = ++m_newest;
  m_isBusy = true;
  if (!m_thread.isRunning()) m_thread.start();  // with the first question
  const auto work = [this, number, question] {
    if (number != m_newest) return;
    const auto answer = std::make_shared<const SolverAnswer>(solve(question));
    const auto tell = [this, number, answer] {
      if (number != m_newest) return;
      m_isBusy = false;
      Q_EMIT answered(answer);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, work, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::memory
