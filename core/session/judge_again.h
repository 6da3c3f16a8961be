// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/judgement.h"
#include "core/record/utility.h"

namespace mantissa::session {

/// A judgement of an archived trial from what its run measured: nothing is trained or evaluated.
struct JudgedAgain {
  record::Judgement judgement;
  record::Verdict of_run;    ///< what the trial's own run came to
  std::string rules_of_run;  ///< JSON of the rules that were fixed before the first step; empty: there were none
  std::optional<record::Utility> utility;  ///< by the gains and losses of these rules; nothing without [utility]
  std::vector<std::string> notes;
};

/// Judges a trial once more: by the rules of its run, or by those of a file. Where the file's rules are others than
/// those fixed before the first step the judgement is post hoc, and is kept in the archive beside the verdict of the
/// run, which stays what it is. What was decided with another threshold, tie rule, or form of decision is decided anew
/// from the outputs. \param rules_file  TOML with [rules], also a whole experiment file; empty: the rules of the run
/// \throws Error UnknownTrial (archived_evidence.h), ArchiveDamaged (rules that are not those hashed before the first
///         step), InvalidSetting and FileProblem for the rules, whatever opening an archive throws
JudgedAgain judge_again(const std::string& archive, std::int64_t trial, const std::string& rules_file);

}  // namespace mantissa::session
