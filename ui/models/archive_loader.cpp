// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/archive_loader.h"

#include <exception>
#include <memory>
#include <utility>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::models {

ArchiveLoader::ArchiveLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
  qRegisterMetaType<TrialList>();
  m_thread.setObjectName(QStringLiteral("archive loader"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.start();
}

ArchiveLoader::~ArchiveLoader() {
  m_thread.quit();
  m_thread.wait();
}

void ArchiveLoader::load(const QString& path) {
  const std::uint64_t job = ++m_job;
  const auto read = [this, path, job] {
    TrialList trials;
    QString sentenceOfError;
    try {
      trials =
          std::make_shared<const std::vector<record::TrialRow>>(mantissa::archive::Reader(path.toStdString()).trials());
    } catch (const Error& error) {
      sentenceOfError = errorText(error);
    } catch (const std::exception& error) {
      sentenceOfError = QString::fromUtf8(error.what());
    }
    const auto deliver = [this, path, job, trials = std::move(trials), sentenceOfError] {
      if (job != m_job) return;
      if (trials) {
        Q_EMIT loaded(path, trials);
      } else {
        Q_EMIT failed(path, sentenceOfError);
      }
    };
    QMetaObject::invokeMethod(this, deliver, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, read, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::models
