// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/record/step_record.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// `export steps`: one row an attempted step with the columns of core/record/step_columns.h, in their order.
/// Give it the steps one by one, then `finish`.
class StepExport {
 public:
  StepExport(TableFormat format, Sink sink);
  void add(const record::StepRecord& step);
  void finish() { table_.finish(); }

 private:
  TableWriter table_;
};

}  // namespace mantissa::report
