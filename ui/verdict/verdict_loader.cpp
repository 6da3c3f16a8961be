// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/verdict_loader.h"

#include <exception>

#include "core/base/error.h"

namespace mantissa::ui::verdict {

VerdictLoader::VerdictLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
  qRegisterMetaType<SharedVerdict>();
  m_thread.setObjectName(QStringLiteral("verdict loader"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

VerdictLoader::~VerdictLoader() {
  cancel();
  if (!m_thread.isRunning()) {
    delete m_worker;  // no thread has it
    return;
  }
  m_thread.quit();
  m_thread.wait();
}

void VerdictLoader::cancel() {
  ++m_job;
  m_isBusy = false;
}

void VerdictLoader::load(const QString& archive, std::int64_t trial) {
  const std::uint64_t job = ++m_job;
  m_isBusy = true;
  if (!m_thread.isRunning()) m_thread.start();
  const auto work = [this, archive, trial, job] {
    if (job != m_job) return;
    SharedVerdict data;
    QString problem;
    try {
      data = readVerdict(archive, trial);
    } catch (const Error& error) {
      problem = QString::fromStdString(sentence(error.facts()));
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    const auto answer = [this, job, data, problem] {
      if (job != m_job) return;
      m_isBusy = false;
      if (data) {
        Q_EMIT loaded(data);
      } else {
        Q_EMIT failed(problem);
      }
    };
    QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, work, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::verdict
