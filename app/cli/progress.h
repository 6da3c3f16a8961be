// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "app/cli/console.h"
#include "core/session/run.h"

namespace mantissa::cli {

/// Shows a run on stderr: a bar that replaces itself on a terminal, otherwise a line every few seconds.
class ProgressDisplay : public session::Observer {
 public:
  explicit ProgressDisplay(Console& console);

  void on_note(const std::string& sentence) override;
  void on_progress(const session::Progress& progress) override;
  void on_phase(const std::string& phase) override;

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  bool terminal_;
  std::string phase_;
  Clock::time_point last_shown_;
};

/// "━━━━──── 1,204/2,000 60 %  loss 0.1203  fp16 0.1204 2^16 12 skipped  ETA 12 s", never wider than `columns`: what
/// does not fit is left out, arms from the end ("and 3 more").
std::string progress_bar(const session::Progress& progress, int columns);

/// "step 1,204 of 2,000 (60 %), loss 0.1203; fp16: loss 0.1204, scale 2^16, 12 of 1,204 steps skipped (1 %); 12 s
/// left".
std::string progress_line(const session::Progress& progress);

}  // namespace mantissa::cli
