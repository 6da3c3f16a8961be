// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/worker/mailbox.h"

#include <utility>

#include <QCoreApplication>
#include <QEvent>
#include <QPointer>

namespace mantissa::ui::worker {
namespace {

QEvent::Type mailEvent() {
  static const auto type = static_cast<QEvent::Type>(QEvent::registerEventType());
  return type;
}

}  // namespace

void Mailbox::post(std::function<void()> call) {
  bool wake = false;
  {
    const std::lock_guard<std::mutex> lock(m_mutex);
    wake = m_calls.empty();
    m_calls.push_back(std::move(call));
  }
  if (wake) QCoreApplication::postEvent(this, new QEvent(mailEvent()));
}

bool Mailbox::event(QEvent* event) {
  if (event->type() != mailEvent()) return QObject::event(event);
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
  return true;
}

}  // namespace mantissa::ui::worker
