// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/case_set.h"
#include "core/record/judgement.h"
#include "core/record/trial.h"
#include "core/record/verdict_context.h"

namespace mantissa::judge {
struct DecisionRule;
}

namespace mantissa::ui::verdict {

/// Which weights are compared with the reference's: the reference's own under the trial's policy, or the trial's.
enum class Side { SameWeights, Trained };
inline constexpr std::array<Side, 2> kSides = {Side::SameWeights, Side::Trained};
constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }

/// Which way a decision flipped. NoDecision: an output is not finite, so that none is made; Neutral: from one wrong
/// decision to another; Unknown: the case has no target. The most telling first.
enum class Direction { None, NoDecision, RightToWrong, WrongToRight, Neutral, Unknown };

/// What one comparison made of a case.
struct CaseSide {
  bool isMeasured = false;
  bool flips = false;
  bool tie = false;
  Direction direction = Direction::None;
  std::optional<std::int64_t> decision;  ///< nothing where none was made, of a non-finite output for instance
  QString words;                         ///< of a decision that is a set, an order or a tie; else empty
  std::optional<std::int64_t> positionFlips;
  std::optional<double> margin;  ///< nothing where it was not kept
  double relative = 0;           ///< case_relative; NaN and infinite values are values where it was measured
};

/// A frozen case without its outputs: 10,000 cases of 1,000 classes would not fit a window.
struct CaseFacts {
  QString id;
  record::CaseKind kind = record::CaseKind::Ordinary;
  QString slice;
  std::vector<double> target;  ///< at most the first two elements; empty: none
  std::optional<std::int64_t> decision;
  QString words;                                 ///< the same of the reference
  std::optional<std::int64_t> positions;         ///< of a language model, which decides at each
  std::optional<std::int64_t> positionsCorrect;  ///< by the reference
  std::optional<double> margin;                  ///< of the reference
  bool tie = false;                              ///< in the reference
  std::array<CaseSide, 2> sides;                 ///< by Side

  const CaseSide& side(Side which) const { return sides[index(which)]; }
};

/// The cases of one slice, or all of them.
struct SliceFacts {
  QString name;
  bool isWhole = false;  ///< all cases
  std::int64_t cases = 0;
  std::array<std::int64_t, 2> flips{};
  std::array<bool, 2> isCompared{};  ///< by Side; false: no case was, of a run that was made elsewhere for instance
  std::optional<double> reference, trial;  ///< quality; nothing where it could not be taken
  std::optional<double> largest;           ///< case_relative of same_weights; NaN where one of them is
};

/// Everything that the page shows of one trial, as it stood in the archive at one moment.
struct VerdictData {
  record::TrialRow trial;
  QString fixedAt;             ///< when its rules were stored: UTC, ISO 8601
  std::string rules;           ///< JSON of [rules] as fixed; empty: none were
  std::string rulesSha256;     ///< as stored with the experiment
  std::string experimentText;  ///< of the file that was run, with its overrides; of a foreign run its rules file
  QString experimentFile;      ///< path as given
  /// The qualities of the run over those cases alone whose outcomes are known by now: like for like beside them.
  struct KnownQuality {
    std::optional<double> reference, sameWeights, trained;
  };
  std::optional<KnownQuality> ofKnownOutcomes;  ///< nothing: no outcome is known
  std::vector<record::Judgement> judgements;
  std::optional<record::CaseSet> caseSet;
  /// Its run was made elsewhere: nothing shows that its rules were fixed before its first step.
  bool isForeign() const { return trial.start.kind == record::TrialKind::Foreign; }

  bool hasDecisions = false;  ///< the task decides: there may be flips
  bool higherIsBetter = true;
  std::vector<record::Latency> latencyReference;  ///< beside the trial's own; empty: not measured
  std::vector<CaseFacts> cases;                   ///< in the order of the frozen set
  record::VerdictContext beside;                  ///< what is no rule: trivial models, distributions, inputs
  std::vector<SliceFacts> slices;                 ///< all cases first; empty where there are none
};
using SharedVerdict = std::shared_ptr<const VerdictData>;

/// \param decision  null: not known, of an archive from before it was kept; margins that need it are left out then
CaseFacts factsOf(const record::CaseRow& row, const judge::DecisionRule* decision);

/// \param evidence  as the archive keeps it; nothing: quality is left out
std::vector<SliceFacts> slicesOf(const std::vector<record::CaseRow>& rows, const std::vector<CaseFacts>& facts,
                                 const std::string& metric, const std::optional<std::string>& evidence);

/// Reads everything of one trial. On whatever thread. \throws Error as archive::Reader
SharedVerdict readVerdict(const QString& archive, std::int64_t trial);

}  // namespace mantissa::ui::verdict

Q_DECLARE_METATYPE(mantissa::ui::verdict::SharedVerdict)
