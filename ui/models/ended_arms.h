// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

#include "ui/models/trial_list.h"

namespace mantissa::ui::models {

/// The run of this window whose archive could not take its end: deleted, moved away, or on a disk without space. As
/// long as the archive calls its arms running, since this process lives, lists show them as failed.
class EndedArms {
 public:
  /// \param why  a few words without a full stop: "no space left"
  void end(const QString& archive, std::int64_t experiment, const QString& why);
  /// It goes on.
  void forget() { m_ended.reset(); }

  /// What an archive says now. Where it knows by itself how the run ended, that is forgotten here.
  TrialList take(const QString& archive, const TrialList& read);
  /// The same list with the arms that have ended.
  TrialList applied(const QString& archive, const TrialList& read) const;

 private:
  struct Ended {
    QString archive;
    std::int64_t experiment = 0;
    QString why;
  };
  bool isOfIt(const record::TrialRow& arm) const;

  std::optional<Ended> m_ended;
};

}  // namespace mantissa::ui::models
