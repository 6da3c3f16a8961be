// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

#include "ui/models/trial_list.h"

namespace mantissa::ui::models {

/// The runs of this window whose archive could not take their end: deleted, moved away, or on a disk without space. As
/// long as the archive calls their arms running, since this process lives, lists show them as failed.
class EndedArms {
 public:
  /// \param why  a few words without a full stop: "no space left"
  void end(const QString& archive, std::int64_t experiment, const QString& why);
  /// It goes on, or another one has its number.
  void forget(const QString& archive, std::int64_t experiment);

  /// What an archive says now. Where it knows by itself how a run ended, or another archive has taken its place, that
  /// is forgotten here.
  TrialList take(const QString& archive, const TrialList& read);
  /// The same list with the arms that have ended.
  TrialList applied(const QString& archive, const TrialList& read);

 private:
  struct Ended {
    QString archive;
    std::int64_t experiment = 0;
    QString why;
    std::string began;  // its first arm, as the archive has it; empty: not seen yet
  };

  std::vector<Ended> m_ended;
};

}  // namespace mantissa::ui::models
