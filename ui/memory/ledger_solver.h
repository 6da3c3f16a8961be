// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>

#include <atomic>
#include <cstdint>
#include <memory>

#include "ui/memory/traced_ledger.h"

namespace mantissa::ui::memory {

/// Works out plans of a traced experiment on a thread of its own: they ask for a replay of the allocator each. What a
/// newer question has made obsolete is not begun, or dropped. Lives on the window's thread.
class LedgerSolver : public QObject {
  Q_OBJECT

 public:
  explicit LedgerSolver(QObject* parent = nullptr);
  /// Waits for the question that is being answered.
  ~LedgerSolver() override;

  void ask(const SolverQuestion& question);
  bool isBusy() const { return m_isBusy; }

 Q_SIGNALS:
  /// To the newest question.
  void answered(const std::shared_ptr<const mantissa::ui::memory::SolverAnswer>& answer);

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::atomic<std::uint64_t> m_newest{0};
  bool m_isBusy = false;
};

}  // namespace mantissa::ui::memory
