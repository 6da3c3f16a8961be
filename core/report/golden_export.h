// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/record/case_row.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// `export golden`: one row a case whose outputs are kept in full (cases.golden), with the columns `case, kind, slice,
/// target, output_reference[i], output_same_weights[i], output[i]`, named as in `export cases`. A side that was not
/// measured is empty. Numbers read back equal in every bit. \return the number of rows
std::int64_t export_golden(TableFormat format, const std::vector<record::CaseRow>& cases, const Sink& sink);

}  // namespace mantissa::report
