// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/record/outcomes.h"
#include "core/session/judge_again.h"

namespace mantissa::ui::verdict {

/// What core/session does with an archived trial. The workbench gives it, so that the page does without LibTorch; an
/// empty member is an action that cannot be done. Called on threads of the page; they throw what core/session throws.
struct Judging {
  /// session::judge_again
  std::function<session::JudgedAgain(const std::string& archive, std::int64_t trial, const std::string& rulesFile)>
      judgeAgain;
  /// session::add_outcomes
  std::function<std::int64_t(const std::string& archive, std::int64_t trial, const std::string& file)> addOutcomes;
  /// session::mature_quality
  std::function<std::optional<record::MatureQuality>(const std::string& archive, std::int64_t trial)> matureQuality;
};

}  // namespace mantissa::ui::verdict
