// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <cstdint>
#include <memory>

#include "core/spec/experiment.h"

namespace mantissa::ui::run {

/// Reads the experiment behind an archive's arms on a thread of its own: what was run, for the summary. Answers arrive
/// on the window's thread; what a newer call has made obsolete is dropped.
class ExperimentLoader : public QObject {
  Q_OBJECT

 public:
  explicit ExperimentLoader(QObject* parent = nullptr);
  /// Waits for a read that is going on.
  ~ExperimentLoader() override;

  void load(const QString& archive, std::int64_t experiment);
  void cancel() { ++m_job; }

 Q_SIGNALS:
  /// Null where the archive does not give it (any more): its arms are shown all the same.
  void loaded(std::int64_t experiment, const std::shared_ptr<const mantissa::spec::Experiment>& what);

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::uint64_t m_job = 0;
};

}  // namespace mantissa::ui::run
