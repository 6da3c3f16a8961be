// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/trial.h"

namespace mantissa::archive {
class Reader;
}

namespace mantissa::ui::rules {

/// What a trial's verdict rests on, as session::archived_evidence gives it. Called on a thread of the panel; throws
/// what that throws.
using EvidenceReader = std::function<judge::Evidence(const std::string& archive, std::int64_t trial)>;

/// One archived run that rules are explained by.
struct RunFacts {
  struct Trial {
    std::string name;
    std::string problem;  ///< why it has no evidence; empty: it has
    judge::Evidence evidence;
  };

  std::int64_t experiment = 0;
  std::string name;
  QString fixedAt;    ///< when its rules were stored: UTC, ISO 8601
  std::string rules;  ///< JSON of [rules] as fixed; empty: none were
  std::vector<Trial> trials;
};
using SharedRun = std::shared_ptr<const RunFacts>;

/// An archived run that could be chosen, or one of its trials.
struct RunChoice {
  std::int64_t experiment = 0;
  std::int64_t trial = 0;  ///< 0: all of the run
  QString name;
  QString startedAt;   ///< UTC, ISO 8601
  QStringList trials;  ///< names of the trials that are spoken of

  bool operator==(const RunChoice& other) const {
    return experiment == other.experiment && trial == other.trial && name == other.name &&
           startedAt == other.startedAt && trials == other.trials;
  }
};

/// Runs with trials that have ended: those of this name first, then all others, each newest first; at most `most`
/// runs. A run of several trials is followed by each of them alone.
std::vector<RunChoice> runChoices(const std::vector<record::TrialRow>& arms, const std::string& name, std::size_t most);

/// The trials of a run that a choice speaks of. \param trial  0: all that have ended
std::vector<record::TrialRow> trialsOf(const std::vector<record::TrialRow>& arms, std::int64_t experiment,
                                       std::int64_t trial);

/// On whatever thread. A trial whose evidence cannot be read says why. \param trials  of one run, as `trialsOf`
/// \param isWanted  asked before each trial \return null where it is not wanted any more \throws Error as
/// archive::Reader
SharedRun readRun(const mantissa::archive::Reader& reader, const std::string& archive, std::int64_t experiment,
                  const std::vector<record::TrialRow>& trials, const EvidenceReader& read,
                  const std::function<bool()>& isWanted);

}  // namespace mantissa::ui::rules
