// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <cstdint>

#include "ui/models/trial_list.h"

namespace mantissa::ui::models {

/// Reads an archive's arms on a thread of its own. Results arrive on the thread that the loader lives on; what a newer
/// call has made obsolete is dropped.
class ArchiveLoader : public QObject {
  Q_OBJECT

 public:
  explicit ArchiveLoader(QObject* parent = nullptr);
  /// Waits for a read that is going on.
  ~ArchiveLoader() override;

  /// Reads `path` anew; answered by `loaded` or `failed`.
  void load(const QString& path);

 Q_SIGNALS:
  void loaded(const QString& path, const mantissa::ui::models::TrialList& trials);
  /// \param sentence  which file, what is wrong with it, what to do
  void failed(const QString& path, const QString& sentence);

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::uint64_t m_job = 0;
};

}  // namespace mantissa::ui::models
