// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/experiment_loader.h"

#include <spdlog/spdlog.h>

#include <QJsonDocument>
#include <QJsonObject>

#include <exception>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/spec/parse.h"

namespace mantissa::ui::run {

ExperimentLoader::ExperimentLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(QStringLiteral("experiment loader"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.start();
}

ExperimentLoader::~ExperimentLoader() {
  m_thread.quit();
  m_thread.wait();
}

void ExperimentLoader::load(const QString& archive, std::int64_t experiment, std::int64_t reference) {
  const std::uint64_t job = ++m_job;
  const auto read = [this, archive, experiment, reference, job] {
    ArchivedExperiment what;
    try {
      const archive::Reader reader(archive.toStdString());
      const std::vector<record::CheckpointRow> checkpoints = reader.history(reference).checkpoints;
      if (!checkpoints.empty()) what.lastCheckpoint = checkpoints.back().step;
      const record::ExperimentStart start = reader.experiment(experiment);
      // Of a run that was made elsewhere there are rules alone.
      const QJsonObject lock = QJsonDocument::fromJson(QByteArray::fromStdString(start.lock)).object();
      if (!lock.contains(QLatin1String("foreign"))) {
        what.experiment = std::make_shared<const spec::Experiment>(spec::parse_experiment(start.text, start.file));
      }
    } catch (const Error& error) {
      spdlog::info("experiment {} has no summary: {}", experiment, sentence(error.facts()));
    } catch (const std::exception& error) {
      spdlog::info("experiment {} has no summary: {}", experiment, error.what());
    }
    QMetaObject::invokeMethod(
        this,
        [this, experiment, job, what] {
          if (job == m_job) Q_EMIT loaded(experiment, what);
        },
        Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, read, Qt::QueuedConnection);
}

}  // namespace mantissa::ui::run
