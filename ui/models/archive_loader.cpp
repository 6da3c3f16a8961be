// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/archive_loader.h"

#include "ui/models/archive_watch.h"

namespace mantissa::ui::models {

ArchiveLoader::ArchiveLoader(QObject* parent) : QObject(parent) {
  qRegisterMetaType<TrialList>();
  m_watch = new ArchiveWatch(
      [this](std::uint64_t job, const QString& path, const TrialList& trials, const QString& sentence) {
        QMetaObject::invokeMethod(
            this, [=] { deliver(job, path, trials, sentence); }, Qt::QueuedConnection);
      });
  m_thread.setObjectName(QStringLiteral("archive loader"));
  m_watch->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_watch, &QObject::deleteLater);
  m_thread.start();
}

ArchiveLoader::~ArchiveLoader() {
  m_thread.quit();
  m_thread.wait();
}

void ArchiveLoader::load(const QString& path) { begin(path, false); }

void ArchiveLoader::await(const QString& path) { begin(path, true); }

void ArchiveLoader::begin(const QString& path, bool mayBeMissing) {
  const std::uint64_t job = ++m_job;
  const auto read = [this, path, job, mayBeMissing] {
    if (job == m_job) m_watch->begin(path, job, mayBeMissing);
  };
  QMetaObject::invokeMethod(m_watch, read, Qt::QueuedConnection);
}

void ArchiveLoader::deliver(std::uint64_t job, const QString& path, const TrialList& trials, const QString& sentence) {
  if (job != m_job && job != m_watched) return;
  if (!trials) {
    Q_EMIT failed(path, sentence);
    return;
  }
  m_watched = job;
  Q_EMIT loaded(path, trials);
}

}  // namespace mantissa::ui::models
