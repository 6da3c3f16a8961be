// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/record/memory_comparison.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// "saved activations": a category for people.
std::string category_words(record::MemoryCategory category);

/// "+1.1 %", "−0.03 %", "0 %"; "–" for nothing.
std::string error_words(const std::optional<double>& error);

/// Of an arm's page: predicted beside measured, by category, with the error and what each is; "not measured" where
/// nobody looked.
std::string memory_section(const std::optional<record::MemoryComparison>& memory);

/// `export memory`: the same as a table with the columns `category, predicted, measured, error`: the peak first, bytes,
/// and the error as a share of what was measured.
void export_memory(TableFormat format, const record::MemoryComparison& memory, const Sink& sink);

}  // namespace mantissa::report
