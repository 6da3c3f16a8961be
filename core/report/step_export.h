// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "core/record/step_record.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// `export steps`: one row an attempted step with the columns of core/record/step_columns.h, in their order.
/// With several optimizers the columns of each follow, as `column[index]`. Give it the steps of one arm one by one,
/// then `finish`.
class StepExport {
 public:
  StepExport(TableFormat format, Sink sink);
  void add(const record::StepRecord& step);
  void finish();

 private:
  /// The first step says how many optimizers there are.
  TableWriter& table(std::size_t optimizers);

  TableFormat format_;
  Sink sink_;
  std::optional<TableWriter> table_;
};

}  // namespace mantissa::report
