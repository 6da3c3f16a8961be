// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <atomic>
#include <cstdint>
#include <vector>

#include "ui/run/run_data.h"

namespace mantissa::ui::run {

/// Reads what was not kept of a run's steps out of its archive, on a thread of its own: whole curves, ready to be
/// shown. Answers arrive on the window's thread; a newer call or `cancel` drops those of an older one.
class PastLoader : public QObject {
  Q_OBJECT

 public:
  explicit PastLoader(QObject* parent = nullptr);
  ~PastLoader() override;  ///< a read that is going on ends at its next step

  void load(const QString& archive, const std::vector<PastRequest>& requests);
  void cancel();
  bool isBusy() const { return m_busy; }

 Q_SIGNALS:
  void loaded(const std::vector<mantissa::ui::run::Past>& pasts);
  void failed(const QString& sentence);

 private:
  std::vector<Past> read(const QString& archive, const std::vector<PastRequest>& requests, std::uint64_t job) const;

  QThread m_thread;
  QObject* m_worker;                    // lives on m_thread
  std::atomic<std::uint64_t> m_job{0};  // the newest: older ones give up
  bool m_busy = false;
};

}  // namespace mantissa::ui::run
