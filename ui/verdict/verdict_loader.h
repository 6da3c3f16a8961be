// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <atomic>
#include <cstdint>

#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// Reads verdicts on a thread of its own. Answers arrive on the window's thread; a newer call or `cancel` drops those
/// of an older one.
class VerdictLoader : public QObject {
  Q_OBJECT

 public:
  explicit VerdictLoader(QObject* parent = nullptr);
  ~VerdictLoader() override;  ///< waits for a read that is going on

  void load(const QString& archive, std::int64_t trial);
  void cancel();
  bool isBusy() const { return m_isBusy; }

 Q_SIGNALS:
  void loaded(const mantissa::ui::verdict::SharedVerdict& data);
  void failed(const QString& sentence);

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::atomic<std::uint64_t> m_job{0};
  bool m_isBusy = false;
};

}  // namespace mantissa::ui::verdict
