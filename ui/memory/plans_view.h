// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

#include "core/memory/plans.h"
#include "ui/memory/shown_ledger.h"

namespace mantissa::ui::memory {

/// What a table of plans is about.
struct PlansSubject {
  engine::PlanQuestion question;
  std::vector<QString> names;       ///< of each option: "FP16 autocast", or "fp16, FP16 autocast"
  std::vector<QString> shortNames;  ///< "FP16", or "fp16"
  std::size_t option = 0;           ///< of what is planned now
  std::int64_t microbatch = 0;
  std::int64_t accumulation = 0;
  std::vector<bool> areTimesTyped;  ///< of each option; none, or false: measured here, where there are some
};

enum class PlanColumn {
  Plan,
  Microbatch,
  Accumulation,
  Checkpointing,
  Peak,
  Headroom,
  Fits,
  Update,
  Finish,
  Deadline,
  Cost
};
inline constexpr int kPlanColumns = 11;

ShownPlans shownPlans(const PlansSubject& subject, const engine::Plans& plans);

/// "★ 32 × 2, FP16 autocast" and "6 h 47 min": what the strip says of them.
shell::Statement fastestStatement(const PlansSubject& subject, const ShownPlans& plans);
shell::Statement deadlineStatement(const PlansSubject& subject, const ShownPlans& plans);

}  // namespace mantissa::ui::memory
