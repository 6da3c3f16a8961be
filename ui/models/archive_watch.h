// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/archive/file_identity.h"
#include "core/archive/reader.h"
#include "ui/models/trial_list.h"

class QTimer;

namespace mantissa::ui::models {

/// The part of an ArchiveLoader that lives on its thread: one archive, its open connection and what was seen of it.
class ArchiveWatch : public QObject {
  Q_OBJECT

 public:
  /// Arms, or a sentence in place of them. Called on the watch's thread.
  using Deliver =
      std::function<void(std::uint64_t job, const QString& path, const TrialList& trials, const QString& sentence)>;

  explicit ArchiveWatch(Deliver deliver);
  ~ArchiveWatch() override;

  /// Reads an archive, and watches it from then on where that went well.
  void begin(const QString& path, std::uint64_t job, bool mayBeMissing);

 private:
  struct Seen {
    std::unique_ptr<mantissa::archive::Reader> reader;  // null while there is no file, or one that cannot be read
    std::int64_t version = -1;
    std::vector<mantissa::archive::Standing> standings;
    TrialList trials = std::make_shared<const std::vector<record::TrialRow>>();
  };

  static Seen see(std::unique_ptr<mantissa::archive::Reader> reader);
  void take(Seen seen);
  void look();
  void lookClosely();
  void readRunning();
  void tellTrouble(const QString& sentence);

  Deliver m_deliver;
  QTimer* m_timer = nullptr;  // made on the thread
  QString m_path;
  std::uint64_t m_job = 0;
  Seen m_seen;
  std::optional<mantissa::archive::FileIdentity> m_identity;  // of the file that was seen last
  int m_looks = 0;
  bool m_countsAreStale = false;  // something was committed since the arms that run were read
  QString m_trouble;
  int m_troubledLooks = 0;
};

}  // namespace mantissa::ui::models
