// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/archived_text.h"

#include <QFile>

#include <algorithm>
#include <exception>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::editor {
namespace {

record::ExperimentStart experimentIn(const archive::Reader& reader, std::int64_t id) {
  if (id == 0) {
    for (const record::TrialRow& arm : reader.trials()) id = std::max(id, arm.experiment_id);
  }
  return reader.experiment(id);
}

}  // namespace

ArchivedText::ArchivedText(QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(QStringLiteral("archived text"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.start();
}

ArchivedText::~ArchivedText() {
  m_thread.quit();
  m_thread.wait();
}

void ArchivedText::read(const QString& archive, std::int64_t experiment) {
  m_isPending = true;
  const std::uint64_t job = ++m_job;
  const auto work = [this, archive, experiment, job] {
    record::ExperimentStart start;
    QString problem;
    try {
      start = experimentIn(archive::Reader(QFile::encodeName(archive).toStdString()), experiment);
    } catch (const Error& error) {
      problem = models::errorText(error);
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(
        this,
        [this, job, start, problem] {
          if (job != m_job) return;
          m_isPending = false;
          if (!problem.isEmpty()) {
            Q_EMIT failed(problem);
          } else {
            Q_EMIT arrived(QString::fromStdString(start.name), QString::fromStdString(start.file),
                           QString::fromStdString(start.text));
          }
        },
        Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, work, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::editor
