// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/memory/ledger.h"

namespace mantissa::cli {

/// Whether it fits, why, and what would: one line.
std::string ledger_sentence(const memory::Ledger& ledger);

/// A ledger for people: categories, blocks, limits, the sentence.
std::string ledger_page(const memory::Ledger& ledger);

/// A line a category, a block and a figure: `kind, name, value, unit, with_fixed_bytes, state, exceeds_bytes`. Values
/// are exact; what has no value that fits is an empty cell.
std::string ledger_csv(const memory::Ledger& ledger);

/// The JSON document of resources/schemas/ledger.schema.json.
std::string ledger_document(const memory::Ledger& ledger);

}  // namespace mantissa::cli
