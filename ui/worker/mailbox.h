// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include <QObject>

namespace mantissa::ui::worker {

/// Brings calls of another thread to the thread that the mailbox lives on, in their order. However many are posted
/// while that thread is busy, one event wakes it. What was not delivered when the mailbox goes is let go.
class Mailbox : public QObject {
  Q_OBJECT

 public:
  Mailbox();

  /// From any thread, as long as the mailbox lives.
  void post(std::function<void()> call);

 Q_SIGNALS:
  void mailArrived();

 private:
  void deliver();

  std::mutex m_mutex;
  std::vector<std::function<void()>> m_calls;  // guarded by m_mutex
};

}  // namespace mantissa::ui::worker
