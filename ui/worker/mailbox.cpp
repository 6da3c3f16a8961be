// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/mailbox.h"

#include <utility>

#include <QPointer>

namespace mantissa::ui::worker {

Mailbox::Mailbox() { connect(this, &Mailbox::mailArrived, this, &Mailbox::deliver, Qt::QueuedConnection); }

void Mailbox::post(std::function<void()> call) {
  bool was_empty = false;
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    was_empty = m_calls.empty();
    m_calls.push_back(std::move(call));
  }
  if (was_empty) Q_EMIT mailArrived();
}

void Mailbox::deliver() {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    calls.swap(m_calls);
  }
  const QPointer<Mailbox> alive(this);
  for (const std::function<void()>& call : calls) {
    call();
    if (!alive) break;  // the call took the mailbox with it
  }
}

}  // namespace mantissa::ui::worker
