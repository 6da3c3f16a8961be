// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/record/case_row.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// `export cases`: one row a frozen case with the columns of core/record/case_columns.h, in their order. Vectors take a
/// column an element, `output[0]`, `output[1]` …, as many as the longest one needs; a target of one element is
/// `target`.
/// \param decided  one a case, of decisions that are sets or rankings: they stand in the last columns, `decided,
///                 decided_reference, decided_same_weights`. Empty: there are no such columns
void export_cases(TableFormat format, const std::vector<record::CaseRow>& cases, const Sink& sink,
                  const std::vector<record::DecidedCase>& decided = {});

}  // namespace mantissa::report
