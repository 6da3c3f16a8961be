// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/record/trial.h"

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

/// An archived run that could be chosen.
struct RunChoice {
  std::int64_t experiment = 0;
  QString name;
  QString startedAt;  ///< UTC, ISO 8601
};

/// Runs with trials that have ended: those of this name first, then all others, each newest first; at most `most`.
std::vector<RunChoice> runChoices(const std::vector<record::TrialRow>& arms, const std::string& name, std::size_t most);

/// On whatever thread. A trial whose evidence cannot be read says why. \throws Error as archive::Reader
SharedRun readRun(const std::string& archive, std::int64_t experiment, const EvidenceReader& read);

}  // namespace mantissa::ui::rules
