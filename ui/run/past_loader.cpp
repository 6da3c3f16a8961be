// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/past_loader.h"

#include <exception>

#include "core/archive/reader.h"
#include "core/base/error.h"

namespace mantissa::ui::run {

PastLoader::PastLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(QStringLiteral("past loader"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

PastLoader::~PastLoader() {
  cancel();
  m_thread.quit();
  m_thread.wait();
  if (!m_thread.isFinished()) delete m_worker;  // the thread never ran
}

void PastLoader::cancel() {
  ++m_job;
  m_busy = false;
}

void PastLoader::load(const QString& archive, const std::vector<PastRequest>& requests) {
  const std::uint64_t job = ++m_job;
  m_busy = true;
  if (!m_thread.isRunning()) m_thread.start();
  const auto work = [this, archive, requests, job] {
    std::vector<Past> pasts;
    QString problem;
    try {
      pasts = read(archive, requests, job);
    } catch (const Error& error) {
      problem = QString::fromStdString(sentence(error.facts()));
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    const auto answer = [this, job, pasts, problem] {
      if (job != m_job) return;
      m_busy = false;
      if (problem.isEmpty()) {
        Q_EMIT loaded(pasts);
      } else {
        Q_EMIT failed(problem);
      }
    };
    QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, work, Qt::QueuedConnection);
}

std::vector<Past> PastLoader::read(const QString& archive, const std::vector<PastRequest>& requests,
                                   std::uint64_t job) const {
  const archive::Reader reader(archive.toStdString());
  std::vector<Past> pasts;
  for (const PastRequest& request : requests) {
    Past& past = pasts.emplace_back();
    past.arm = request.arm;
    past.cuts = request.cuts;
    for (std::size_t i = 0; i < kQuantities; ++i) {
      if (!request.quantities.test(i)) continue;
      PastCurve& curve = past.curves.emplace_back();
      curve.quantity = static_cast<Quantity>(i);
      for (auto& column : curve.positions) column = std::make_shared<plot::PositionColumn>();
      curve.values = std::make_shared<plot::SeriesData>(curve.positions[0]);
    }
    std::array<double, kXAxes> x{};
    std::int64_t samples = 0;
    reader.steps(request.arm, [&](const record::StepRecord& step) {
      x = placeOf(step, x);
      for (const PastCurve& curve : past.curves) {
        const std::optional<double> value = valueOf(step, curve.quantity, samples);
        if (!value) continue;
        for (std::size_t axis = 0; axis < kXAxes; ++axis) curve.positions[axis]->append(x[axis]);
        curve.values->append(*value);
      }
      samples = step.samples;
      past.lastStep = step.step;
      return job == m_job;
    });
  }
  return pasts;
}

}  // namespace mantissa::ui::run
