// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "ui/memory/traced_ledger.h"
#include "ui/memory/traced_plans.h"

namespace mantissa::ui::memory {

/// Works out what a traced experiment's steps need, and their plans, on a thread for each: both replay the allocator.
/// Lives on the window's thread, which waits for neither.
///
/// Of the questions that wait only the newest is begun. Plans that a newer question has made obsolete are given up in
/// their middle; a ledger is soon done and told, so that a slider that is dragged shows where it was a moment ago.
class LedgerSolver : public QObject {
  Q_OBJECT

 public:
  explicit LedgerSolver(QObject* parent = nullptr);
  /// Waits for the step that is being replayed.
  ~LedgerSolver() override;

  /// A step of few events is answered before this returns.
  void askLedger(const TracedQuestion& question);
  void askPlans(const SolverQuestion& question);
  /// Nothing that was asked is told any more.
  void drop();

  bool isLedgerAsked() const { return m_ledgers.told != m_ledgers.newest; }
  bool arePlansAsked() const { return m_plans.told != m_plans.newest; }
  bool isBusy() const { return isLedgerAsked() || arePlansAsked(); }

 Q_SIGNALS:
  /// To the newest question, or, while isLedgerAsked(), to one before it, each newer than the last.
  void ledgerAnswered(const std::shared_ptr<const mantissa::ui::memory::TracedAnswer>& answer);
  /// To the newest question.
  void plansAnswered(const std::shared_ptr<const mantissa::ui::memory::SolverAnswer>& answer);

 private:
  struct Lane {
    QThread thread;
    QObject* worker = nullptr;             // lives on the thread
    std::atomic<std::uint64_t> newest{0};  // the number of the question that was asked last
    std::uint64_t told = 0;                // of the last that needs no answer any more
    std::atomic<bool> isEnding{false};
    bool isObsolete(std::uint64_t number) const { return isEnding || number != newest; }
  };
  static void start(Lane& lane, const std::function<void(std::uint64_t number)>& work);

  TracedSteps m_stepsHere;    // of few events; used on the window's thread
  TracedSteps m_steps;        // used on the thread of m_ledgers
  TracedPlans m_tracedPlans;  // used on the thread of m_plans
  Lane m_ledgers;
  Lane m_plans;
};

}  // namespace mantissa::ui::memory
