// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/memory/plans.h"
#include "ui/memory/traced_ledger.h"

namespace mantissa::ui::memory {

/// Plans, and the largest value of what only many replays of the allocator tell. It depends on neither the microbatch,
/// but for the largest accumulation, nor on which panel is looked at.
struct SolverQuestion {
  Traced traced;
  std::size_t forecast = 0;
  engine::Device device;
  std::int64_t accumulation = 1;
  /// The largest accumulation at this microbatch is asked for, too; 0: it is not.
  std::int64_t accumulationAt = 0;
  std::int64_t effectiveBatch = 1;
  std::int64_t updates = 0;
  std::optional<double> deadlineSeconds;
  std::optional<double> pricePerHour;
  std::vector<TypedTime> times;  ///< those of an arm stand in place of what was measured of it

  bool operator==(const SolverQuestion& other) const;
};
struct SolverAnswer {
  SolverQuestion asked;
  engine::PlanQuestion question;
  std::optional<engine::Plans> plans;
  QString noPlans;  ///< why there are none
  std::optional<std::int64_t> largestMicrobatch;
  std::optional<std::int64_t> largestAccumulation;
};
/// \param asksAccumulation  for the largest one
SolverQuestion questionOf(const TracedQuestion& question, bool asksAccumulation);

/// What no step of a plan may take: larger counts are not tried.
inline constexpr std::int64_t kMostSamples = 1'000'000'000;

/// Answers on the thread that asks. What a step of a size takes is kept, so that another device, deadline, time or
/// price costs no replay that was made before.
class TracedPlans {
 public:
  /// \param isObsolete  asked between replays: nobody waits for the answer any more. Nothing is answered then
  std::optional<SolverAnswer> solve(const SolverQuestion& question, const std::function<bool()>& isObsolete);

 private:
  engine::Need needOf(std::size_t forecast, const engine::Device& device, std::int64_t microbatch,
                      std::int64_t accumulation);

  Traced m_traced;
  using Size = std::tuple<std::size_t, std::int64_t, std::int64_t>;  ///< forecast, microbatch, accumulation
  std::map<Size, engine::StepUse> m_uses;
};

}  // namespace mantissa::ui::memory
