// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/archive/clock.h"

namespace mantissa::archive {

/// Who runs an arm: enough to tell later whether that very process still lives.
struct ProcessIdentity {
  std::string host;
  std::int64_t process = 0;
  std::string started;  ///< "boot/namespace/start tick"; empty where the system does not tell
};

ProcessIdentity this_process();

/// Whether an arm that is marked `running` still runs. In the same boot and process namespace the process table tells;
/// elsewhere a heartbeat of the last 30 seconds does, or one that is up to five minutes ahead, as clocks differ.
bool still_runs(const ProcessIdentity& who, const std::string& heartbeat_at, UtcTime now);

}  // namespace mantissa::archive
