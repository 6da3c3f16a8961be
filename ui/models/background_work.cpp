// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/background_work.h"

#include <utility>

namespace mantissa::ui::models {

BackgroundWork::BackgroundWork(const QString& name, QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(name);
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

BackgroundWork::~BackgroundWork() {
  drop();
  if (!m_thread.isRunning()) {
    delete m_worker;  // no thread has it
    return;
  }
  m_thread.quit();
  m_thread.wait();
}

void BackgroundWork::drop() {
  ++m_job;
  m_isBusy = false;
}

void BackgroundWork::start(Piece piece) {
  const std::uint64_t job = ++m_job;
  m_isBusy = true;
  if (!m_thread.isRunning()) m_thread.start();
  const auto work = [this, piece = std::move(piece), job] {
    if (job != m_job) return;
    const Answer answer = piece([this, job] { return job == m_job; });
    const auto tell = [this, job, answer] {
      if (job != m_job) return;
      m_isBusy = false;
      answer();
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, work, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::models
