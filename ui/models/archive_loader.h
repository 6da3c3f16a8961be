// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <atomic>
#include <cstdint>

#include "ui/models/trial_list.h"

namespace mantissa::ui::models {

class ArchiveWatch;

/// Reads an archive's arms on a thread of its own, and goes on looking into it, for reading only: whatever process
/// begins or ends an arm, and while one runs about once a second, its arms are read anew.
///
/// Results arrive on the thread that the loader lives on; what a newer call has made obsolete is dropped. An archive
/// that cannot be read leaves the one before watched.
class ArchiveLoader : public QObject {
  Q_OBJECT

 public:
  explicit ArchiveLoader(QObject* parent = nullptr);
  /// Waits for a read that is going on.
  ~ArchiveLoader() override;

  /// Reads `path` anew; answered by `loaded` or `failed`.
  void load(const QString& path);

  /// The same for an archive that somebody may still have to make: while there is no such file, it has no arms.
  void await(const QString& path);

 Q_SIGNALS:
  /// The answer, and again whenever something of the archive has changed.
  void loaded(const QString& path, const mantissa::ui::models::TrialList& trials);
  /// \param sentence  which file, what is wrong with it, what to do
  void failed(const QString& path, const QString& sentence);

 private:
  void begin(const QString& path, bool mayBeMissing);
  void deliver(std::uint64_t job, const QString& path, const TrialList& trials, const QString& sentence);

  QThread m_thread;
  ArchiveWatch* m_watch;                // lives on m_thread
  std::atomic<std::uint64_t> m_job{0};  // the last one asked for
  std::uint64_t m_watched = 0;          // the one whose archive was loaded last
};

}  // namespace mantissa::ui::models
