// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/archive/sqlite.h"
#include "core/record/step_record.h"

namespace mantissa::archive {

/// Puts step records into the tables `steps` and `step_optimizers`; prepared once, used for every record.
class StepInsert {
 public:
  explicit StepInsert(Connection& connection);
  void run(const record::StepRecord& step);

 private:
  void run(const record::StepRecord& step, std::int64_t index, const record::OptimizerStep& optimizer);

  Statement statement_;
  Statement optimizer_statement_;
};

/// Every step of an arm after `after`, in order, until `use` returns false.
void read_steps(Connection& connection, std::int64_t trial, std::int64_t after,
                const std::function<bool(const record::StepRecord&)>& use);

/// The last committed step of an arm; nothing where there is none.
std::optional<record::StepRecord> last_step(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
