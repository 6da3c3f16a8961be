// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/worker/engine.h"

namespace mantissa::ui::worker {

/// The real engine: session::run and session::resume.
class SessionEngine : public Engine {
 public:
  record::RunSummary run(const Job& job, session::Observer& observer, session::RunControl& control) override;
};

}  // namespace mantissa::ui::worker
