// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/record/case_row.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// `export cases`: one row a frozen case with the columns of core/record/case_columns.h, in their order. Vectors take a
/// column an element, `output[0]`, `output[1]` …, as many as the longest one needs; a target of one element is
/// `target`.
void export_cases(TableFormat format, const std::vector<record::CaseRow>& cases, const Sink& sink);

}  // namespace mantissa::report
