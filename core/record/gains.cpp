// SPDX-License-Identifier: Apache-2.0
#include "core/record/gains.h"

namespace mantissa::record {

Pace pace_of(const Latency& latency) {
  if (!latency.p50_ratio_low || !latency.p50_ratio_high) return Pace::Unknown;
  if (*latency.p50_ratio_low > 1.0) return Pace::Slower;
  return *latency.p50_ratio_high < 1.0 ? Pace::Faster : Pace::Same;
}

}  // namespace mantissa::record
