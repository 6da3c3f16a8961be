// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/gains.h"

namespace mantissa::perf {

/// The fewest calls for which a percentile is given: five of them lie beyond it, so that a single disturbed call does
/// not make it. The median needs no such number; ten calls are the fewest that a measurement has.
inline constexpr std::int64_t kLeastCallsForP95 = 100;
inline constexpr std::int64_t kLeastCallsForP99 = 500;

/// Durations of single calls of one arm, in seconds, round by round; all rounds have as many calls.
using CallTimes = std::vector<std::vector<double>>;

/// The figures of one arm at one batch size.
///
/// Percentiles are those of all calls (`quantile`). A ratio is taken round by round, because the arms of a round ran
/// right after each other: each round's percentile by the reference's, then `ratio_of_pairs` over the rounds.
/// \param batch  cases of a call. \param reference  of the same rounds; null for the reference itself.
/// \param clock  as the method names it: "steady clock", "device events".
record::Latency latency_of(std::int64_t batch, const CallTimes& own, const CallTimes* reference,
                           const std::string& clock);

}  // namespace mantissa::perf
