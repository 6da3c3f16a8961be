// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/run.h"

namespace mantissa::cli {

/// While it lives, the first SIGINT or SIGTERM asks the run to stop at the next microbatch and a second one ends the
/// process at once with exit code 130. SIGHUP, of a terminal that closes, only ever asks; where it was ignored (nohup)
/// it stays so. The archive is consistent either way: what was committed stays.
///
/// One at a time in a process.
class InterruptScope {
 public:
  explicit InterruptScope(session::StopToken& stop);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

}  // namespace mantissa::cli
